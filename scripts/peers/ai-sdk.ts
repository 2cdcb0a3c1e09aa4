import assert from 'node:assert/strict';
import { generateText, type LanguageModel, stepCountIs } from 'ai';
import * as mocks from 'ai/test';
import { aiSdkTools } from 'oriel/ai-sdk';
import { oriel } from './world.js';

const available: Record<string, unknown> = { ...mocks };
const newest = ['MockLanguageModelV4', 'MockLanguageModelV3', 'MockLanguageModelV2'].find(
  (name) => name in available,
);
assert(newest);
const Mock = available[newest] as new (
  options: object,
) => LanguageModel & { doGenerateCalls: { prompt: unknown[] }[] };

const isV2 = newest.endsWith('V2');
const finish = (reason: string): unknown => (isV2 ? reason : { unified: reason, raw: undefined });
const usage = isV2
  ? { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  : {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
const call = (id: string, input: object): object => ({
  type: 'tool-call',
  toolCallId: id,
  toolName: 'read',
  input: JSON.stringify(input),
});
let steps = 0;
const model = new Mock({
  doGenerate: () => {
    steps += 1;
    return Promise.resolve(
      steps === 1
        ? {
            content: [call('1', { path: 'f:2..2' }), call('2', { path: 'no' })],
            finishReason: finish('tool-calls'),
            usage,
            warnings: [],
          }
        : { content: [{ type: 'text', text: 'done' }], finishReason: finish('stop'), usage, warnings: [] },
    );
  },
});

const { text } = await generateText({
  model,
  prompt: 'go',
  tools: aiSdkTools(oriel.tools),
  stopWhen: stepCountIs(2),
});
assert.equal(text, 'done');
const shown = model.doGenerateCalls[1]?.prompt.at(-1) as {
  content: { output: { type: string; value: string } }[];
};
assert.deepEqual(
  shown.content.map(({ output }) => output.type),
  ['text', 'error-text'],
);
assert.equal(shown.content[0]?.output.value, '2|b\n');
await oriel.close();
