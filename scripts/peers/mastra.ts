import assert from 'node:assert/strict';
import { createTool } from '@mastra/core/tools';
import { mastraTools } from 'oriel/mastra';
import { oriel } from './world.js';

const [read] = mastraTools(oriel.tools).map((options) => createTool(options));
assert(read);
const context = {} as Parameters<NonNullable<typeof read.execute>>[1];
const answer = (await read.execute?.({ path: 'f:2..2' }, context)) as { content: unknown };
assert.deepEqual(answer.content, [{ type: 'text', text: '2|b\n' }]);
assert.deepEqual(read.toModelOutput?.(answer as never), {
  type: 'content',
  value: [{ type: 'text', text: '2|b\n' }],
});
await oriel.close();
