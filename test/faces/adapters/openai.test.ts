import OpenAI from 'openai';
import { expect, test } from 'vitest';
import {
  chatTools,
  responsesTools,
  runChatCall,
  runResponsesCall,
} from '../../../src/faces/adapters/openai.ts';
import { scriptedApi } from '../../support/api.ts';
import { PIXEL, testTools } from '../../support/tools.ts';

const base = { id: 'c', object: 'chat.completion', created: 0, model: 'm' };

test('Responses API: tools are sent, calls get text, images, failures', async () => {
  const { tools } = testTools();
  const calls = [
    { type: 'function_call', id: 'i1', call_id: 'c1', name: 'read', arguments: '{"path":"f:2..2"}' },
    { type: 'function_call', id: 'i2', call_id: 'c2', name: 'picture', arguments: '' },
    { type: 'function_call', id: 'i3', call_id: 'c3', name: 'read', arguments: '{"path":' },
    { type: 'function_call', id: 'i4', call_id: 'c4', name: 'nothing', arguments: '{}' },
  ];
  const { url, asked } = await scriptedApi(
    { id: 'r', object: 'response', output: calls },
    { id: 'r2', output: [] },
  );
  const client = new OpenAI({ apiKey: 'test', baseURL: url });
  const first = await client.responses.create({ model: 'm', input: 'go', tools: responsesTools(tools) });
  const outputs = await Promise.all(
    first.output.flatMap((item) => (item.type === 'function_call' ? [runResponsesCall(tools, item)] : [])),
  );
  await client.responses.create({ model: 'm', previous_response_id: first.id, input: outputs });
  expect(asked[0]?.['tools']).toMatchObject([
    { type: 'function', name: 'read', parameters: { required: ['path'] }, strict: false },
    { name: 'picture' },
    { name: 'hang' },
  ]);
  expect(asked[1]?.['input']).toEqual([
    { type: 'function_call_output', call_id: 'c1', output: '2|b\n' },
    {
      type: 'function_call_output',
      call_id: 'c2',
      output: [
        { type: 'input_text', text: 'a pixel' },
        { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` },
      ],
    },
    {
      type: 'function_call_output',
      call_id: 'c3',
      output: expect.stringMatching(
        /^The input of read is wrong: the arguments are not a valid JSON object\. Its fields are path/,
      ),
    },
    {
      type: 'function_call_output',
      call_id: 'c4',
      output: 'There is no tool nothing. Use one of read, picture, hang.',
    },
  ]);
});

test('Chat Completions: runTools runs them', async () => {
  const { tools } = testTools();
  const call = (id: string, name: string, args: string): object => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  });
  const tool_calls = [
    call('c1', 'read', '{"path":"f"}'),
    call('c2', 'picture', '{}'),
    call('c3', 'read', '{}'),
  ];
  const { url, asked } = await scriptedApi(
    {
      ...base,
      choices: [
        { index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', content: null, tool_calls } },
      ],
    },
    {
      ...base,
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'done' } }],
    },
  );
  const client = new OpenAI({ apiKey: 'test', baseURL: url });
  const runner = client.chat.completions.runTools({
    model: 'm',
    messages: [{ role: 'user', content: 'go' }],
    tools: chatTools(tools),
  });
  expect(await runner.finalContent()).toBe('done');
  expect(asked[0]?.['tools']).toMatchObject([{ type: 'function', function: { name: 'read' } }, {}, {}]);
  const messages = asked[1]?.['messages'] as object[] | undefined;
  expect(messages?.slice(2)).toEqual([
    { role: 'tool', tool_call_id: 'c1', content: '1|a\n2|b\n' },
    {
      role: 'tool',
      tool_call_id: 'c2',
      content: 'a pixel\n[An image, image/png, that cannot be shown here]',
    },
    {
      role: 'tool',
      tool_call_id: 'c3',
      content: expect.stringMatching(/^The field path of read is missing\./),
    },
  ]);
});

test('runChatCall answers a chat call, and its signal cancels it', async () => {
  const { tools, hanging } = testTools();
  const read = { id: 'c1', function: { name: 'read', arguments: '{"path":"f:1..1"}' } };
  expect(await runChatCall(tools, read)).toEqual({ role: 'tool', tool_call_id: 'c1', content: '1|a\n' });
  const stop = new AbortController();
  const answer = runChatCall(
    tools,
    { id: 'c2', function: { name: 'hang', arguments: '{}' } },
    { signal: stop.signal },
  );
  await hanging.started;
  stop.abort();
  await hanging.stopped;
  expect((await answer).content).toBe('stopped');
});
