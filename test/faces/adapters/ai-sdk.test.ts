import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { expect, test } from 'vitest';
import { aiSdkTools } from '../../../src/faces/adapters/ai-sdk.ts';
import { PIXEL, testTools } from '../../support/tools.ts';

type Reply = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>;

const usage: Reply['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that calls these tools in one step and is done in the next. */
function modelThatCalls(...calls: readonly (readonly [string, unknown])[]): MockLanguageModelV3 {
  const step: Reply = {
    content: calls.map(([toolName, input], i) => ({
      type: 'tool-call',
      toolCallId: `call-${i}`,
      toolName,
      input: JSON.stringify(input),
    })),
    finishReason: { unified: 'tool-calls', raw: undefined },
    usage,
    warnings: [],
  };
  const last: Reply = {
    content: [{ type: 'text', text: 'done' }],
    finishReason: { unified: 'stop', raw: undefined },
    usage,
    warnings: [],
  };
  let steps = 0;
  return new MockLanguageModelV3({ doGenerate: () => Promise.resolve((steps += 1) === 1 ? step : last) });
}

test('a model gets the schema, then text, images and failures', async () => {
  const { tools } = testTools();
  const model = modelThatCalls(
    ['read', { path: 'f:2..2' }],
    ['read', { path: 'none' }],
    ['read', { path: 5 }],
    ['picture', {}],
  );
  const { steps, text } = await generateText({
    model,
    prompt: 'go',
    tools: aiSdkTools(tools),
    stopWhen: stepCountIs(2),
  });
  expect(text).toBe('done');
  expect(model.doGenerateCalls[0]?.tools?.[0]).toMatchObject({
    type: 'function',
    name: 'read',
    description: tools[0]?.description,
    inputSchema: { type: 'object', required: ['path'], additionalProperties: false },
  });
  const shown = model.doGenerateCalls[1]?.prompt.at(-1);
  expect(shown?.role).toBe('tool');
  const content = shown?.content as { output: unknown }[] | undefined;
  const outputs = content?.map(({ output }) => output);
  expect(outputs).toEqual([
    { type: 'text', value: '2|b\n' },
    { type: 'error-text', value: 'none does not exist. Use . to list the working directory.' },
    { type: 'error-text', value: expect.stringMatching(/^The field path of read is wrong: /) },
    {
      type: 'content',
      value: [
        { type: 'text', text: 'a pixel' },
        { type: 'file-data', data: PIXEL, mediaType: 'image/png' },
      ],
    },
  ]);
  expect(steps[0]?.toolResults[0]?.output).toMatchObject({ details: { kind: 'file' }, isError: false });
});

test('the abort signal cancels the work', async () => {
  const { tools, hanging } = testTools();
  const stop = new AbortController();
  const generated = generateText({
    model: modelThatCalls(['hang', {}]),
    prompt: 'go',
    tools: aiSdkTools(tools),
    abortSignal: stop.signal,
    stopWhen: stepCountIs(2),
  });
  generated.catch(() => undefined);
  await hanging.started;
  stop.abort();
  await hanging.stopped;
});
