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
    { name: 'read', arguments: '{"path":"f:2..2"}' },
    { name: 'picture', arguments: '' },
    { name: 'read', arguments: '{"path":' },
    { name: 'nothing', arguments: '{}' },
  ].map((call, i) => ({ type: 'function_call', id: `i${i}`, call_id: `c${i}`, ...call }));
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
  const said = [
    '2|b\n',
    [
      { type: 'input_text', text: 'a pixel' },
      { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` },
    ],
    expect.stringMatching(
      /^The input of read is wrong: the arguments are not a valid JSON object\. Its fields are path/,
    ),
    'There is no tool nothing. Use one of read, picture, hang.',
  ];
  expect(asked[1]?.['input']).toEqual(
    said.map((output: unknown, i) => ({ type: 'function_call_output', call_id: `c${i}`, output })),
  );
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
  const reply = (finish_reason: string, message: object): object => ({
    ...base,
    choices: [{ index: 0, finish_reason, message: { role: 'assistant', content: null, ...message } }],
  });
  const { url, asked } = await scriptedApi(
    reply('tool_calls', { tool_calls }),
    reply('stop', { content: 'done' }),
  );
  const client = new OpenAI({ apiKey: 'test', baseURL: url });
  const runner = client.chat.completions.runTools({
    model: 'm',
    messages: [{ role: 'user', content: 'go' }],
    tools: chatTools(tools),
  });
  expect(await runner.finalContent()).toBe('done');
  expect(asked[0]?.['tools']).toMatchObject([{ type: 'function', function: { name: 'read' } }, {}, {}]);
  expect(chatTools(tools) satisfies OpenAI.ChatCompletionTool[]).toHaveLength(3);
  const messages = asked[1]?.['messages'] as object[] | undefined;
  const told = (id: string, content: unknown): object => ({ role: 'tool', tool_call_id: id, content });
  expect(messages?.slice(2)).toEqual([
    told('c1', '1|a\n2|b\n'),
    told('c2', 'a pixel\n[An image, image/png, that cannot be shown here]'),
    told('c3', expect.stringMatching(/^The field path of read is missing\./)),
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
