import assert from 'node:assert/strict';
import Anthropic from '@anthropic-ai/sdk';
import { anthropicTools, runToolUse } from 'oriel/anthropic';
import { mockFetch, oriel } from './world.js';

const message = (content: object[], stop_reason: string): object => ({
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_reason,
  stop_sequence: null,
  usage: { input_tokens: 1, output_tokens: 1 },
  content,
});
const use = (id: string, path: string): object => ({ type: 'tool_use', id, name: 'read', input: { path } });
const two = [
  message([use('1', 'f:2..2'), use('2', 'no')], 'tool_use'),
  message([{ type: 'text', text: 'done' }], 'end_turn'),
];
const asked = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'go' }] };

// By hand: `create` takes the same tools.
const byHand = mockFetch(two);
const client = new Anthropic({ apiKey: 'none', fetch: byHand.fetch });
const tools = anthropicTools(oriel.tools);
const { content } = await client.messages.create({ ...asked, tools });
const uses = content.filter((block) => block.type === 'tool_use');
const results = await Promise.all(uses.map((block) => runToolUse(oriel.tools, block)));
assert.deepEqual(results[0], {
  type: 'tool_result',
  tool_use_id: '1',
  content: [{ type: 'text', text: '2|b\n' }],
});
assert.equal(results[1]?.is_error, true);

// By the tool runner.
const runs = mockFetch(two);
const runner = new Anthropic({ apiKey: 'none', fetch: runs.fetch }).beta.messages.toolRunner({
  ...asked,
  tools,
});
const last = await runner;
assert.deepEqual(last.content, [{ type: 'text', text: 'done' }]);
const sent = runs.sent[1]?.['messages'] as
  | { content: { is_error?: boolean; content: unknown }[] }[]
  | undefined;
assert.deepEqual(sent?.at(-1)?.content[0]?.content, [{ type: 'text', text: '2|b\n' }]);
assert.equal(sent?.at(-1)?.content[1]?.is_error, true);
await oriel.close();
