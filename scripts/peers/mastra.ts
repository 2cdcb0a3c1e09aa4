import assert from 'node:assert/strict';
import { Agent, type AgentConfig } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { mastraTools } from 'oriel/mastra';
import { oriel, pictureTool } from './world.js';

const tools = Object.fromEntries(
  mastraTools(oriel.tools).map((options) => [options.id, createTool(options)]),
);
const read = tools['read'];
assert(read);
const context = {} as Parameters<NonNullable<typeof read.execute>>[1];
const answer = (await read.execute?.({ path: 'f:2..2' }, context)) as { content: unknown };
assert.deepEqual(answer.content, [{ type: 'text', text: '2|b\n' }]);

/** A model that first calls a tool, and answers "done" when it has the result. Here: its prompts. */
const asked: { role: string; content: unknown }[][] = [];
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const model = {
  specificationVersion: 'v2',
  provider: 'none',
  modelId: 'none',
  supportedUrls: {},
  doStream: () => Promise.reject(new Error('not asked for')),
  doGenerate({ prompt }: { prompt: { role: string; content: unknown }[] }) {
    asked.push(prompt);
    const call = { type: 'tool-call', toolCallId: '1', toolName: 'read', input: '{"path":"f:2..2"}' };
    return Promise.resolve(
      asked.length === 1
        ? { content: [call], finishReason: 'tool-calls', usage, warnings: [] }
        : { content: [{ type: 'text', text: 'done' }], finishReason: 'stop', usage, warnings: [] },
    );
  },
} as unknown as AgentConfig['model'];

const agent = new Agent({ id: 'reader', name: 'Reader', instructions: 'Read.', model, tools });
const { text } = await agent.generate('go');
assert.equal(text, 'done');
const results = asked[1]?.at(-1)?.content as { output: unknown }[] | undefined;
assert.deepEqual(results?.[0]?.output, { type: 'content', value: [{ type: 'text', text: '2|b\n' }] });

const [plain] = mastraTools(oriel.tools);
const failure = await plain?.execute({ path: 'none' });
assert.deepEqual(failure && plain?.toModelOutput(failure), {
  type: 'error-text',
  value: 'none does not exist. Use . to list the working directory.',
});
const { tool, data, signal } = pictureTool();
const [picture] = mastraTools([tool]);
const stop = new AbortController();
const image = await picture?.execute({}, { abortSignal: stop.signal });
assert.equal(signal(), stop.signal);
const media = { type: 'media', data, mediaType: 'image/png' };
assert.deepEqual(image && picture?.toModelOutput(image), { type: 'content', value: [media] });
await oriel.close();
