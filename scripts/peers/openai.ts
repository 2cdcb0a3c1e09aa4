import assert from 'node:assert/strict';
import OpenAI from 'openai';
import { chatTools, responsesTools, runResponsesCall } from 'oriel/openai';
import { mockFetch, oriel } from './world.js';

const asked = { type: 'function_call', id: 'fc', call_id: '1', name: 'read', arguments: '{"path":"f:2..2"}' };
const responses = mockFetch([
  { id: 'r1', object: 'response', output: [asked] },
  {
    id: 'r2',
    object: 'response',
    output: [
      {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'done', annotations: [] }],
      },
    ],
  },
]);
const client = new OpenAI({ apiKey: 'none', fetch: responses.fetch });
const tools = responsesTools(oriel.tools);
const first = await client.responses.create({ model: 'm', input: 'go', tools });
const calls = first.output.filter((item) => item.type === 'function_call');
const input = await Promise.all(calls.map((call) => runResponsesCall(oriel.tools, call)));
const second = await client.responses.create({ model: 'm', tools, input });
assert.equal(second.output_text, 'done');
assert.deepEqual(responses.sent[1]?.['input'], [
  { type: 'function_call_output', call_id: '1', output: '2|b\n' },
]);

const choice = (message: object, finish_reason: string): object => ({
  id: 'c',
  object: 'chat.completion',
  created: 0,
  model: 'm',
  choices: [
    { index: 0, finish_reason, message: { role: 'assistant', content: null, refusal: null, ...message } },
  ],
});
const chat = mockFetch([
  choice(
    {
      tool_calls: [{ id: '1', type: 'function', function: { name: 'read', arguments: '{"path":"f:2..2"}' } }],
    },
    'tool_calls',
  ),
  choice({ content: 'done' }, 'stop'),
]);
const text = await new OpenAI({ apiKey: 'none', fetch: chat.fetch }).chat.completions
  .runTools({ model: 'm', messages: [{ role: 'user', content: 'go' }], tools: chatTools(oriel.tools) })
  .finalContent();
assert.equal(text, 'done');
const messages = chat.sent[1]?.['messages'] as { content: string }[] | undefined;
assert.equal(messages?.at(-1)?.content, '2|b\n');
await oriel.close();
