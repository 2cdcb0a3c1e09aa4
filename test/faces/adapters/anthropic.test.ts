import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { anthropicTools, runToolUse } from '../../../src/faces/adapters/anthropic.ts';
import { scriptedApi } from '../../support/api.ts';
import { PIXEL, testTools } from '../../support/tools.ts';

const message = (stop_reason: string, content: object[]): object => ({
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  stop_reason,
  content,
  usage: { input_tokens: 1, output_tokens: 1 },
});

test('the tool runner calls tools and returns texts, images, failures', async () => {
  const { tools } = testTools();
  const use = (id: string, name: string, input: unknown): object => ({ type: 'tool_use', id, name, input });
  const { url, asked } = await scriptedApi(
    message('tool_use', [
      use('t1', 'read', { path: 'f:2..2' }),
      use('t2', 'picture', {}),
      use('t3', 'read', { path: 'none' }),
    ]),
    message('end_turn', [{ type: 'text', text: 'done' }]),
  );
  const client = new Anthropic({ apiKey: 'test', baseURL: url });
  const final = await client.beta.messages.toolRunner({
    model: 'claude',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'go' }],
    tools: anthropicTools(tools),
  });
  expect(final.content).toMatchObject([{ text: 'done' }]);
  expect(asked[0]?.['tools']).toEqual(
    tools.map(({ name, description, jsonSchema }) => {
      const { $schema: _, ...input_schema } = jsonSchema;
      return { name, description, input_schema };
    }),
  );
  const messages = asked[1]?.['messages'] as { content: unknown }[] | undefined;
  const results = messages?.at(-1)?.content;
  const result = (id: string, text: string, ...more: object[]): object => ({
    type: 'tool_result',
    tool_use_id: id,
    content: [{ type: 'text', text }, ...more],
  });
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } };
  const missing = result('t3', 'none does not exist. Use . to list the working directory.');
  expect(results).toEqual([
    result('t1', '2|b\n'),
    result('t2', 'a pixel', image),
    { ...missing, is_error: true },
  ]);
});

test('runToolUse answers known and unknown tools, and can be cancelled', async () => {
  const { tools, hanging } = testTools();
  expect(await runToolUse(tools, { id: 't1', name: 'read', input: { path: 'f' } })).toEqual({
    type: 'tool_result',
    tool_use_id: 't1',
    content: [{ type: 'text', text: '1|a\n2|b\n' }],
  });
  expect(await runToolUse(tools, { id: 't2', name: 'nothing', input: {} })).toMatchObject({
    is_error: true,
    content: [{ text: 'There is no tool nothing. Use one of read, picture, hang.' }],
  });
  const stop = new AbortController();
  const answer = runToolUse(tools, { id: 't3', name: 'hang', input: {} }, { signal: stop.signal });
  await hanging.started;
  stop.abort();
  await hanging.stopped;
  expect((await answer).is_error).toBeUndefined();
});
