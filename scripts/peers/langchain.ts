import assert from 'node:assert/strict';
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { langchainTools } from 'oriel/langchain';
import { oriel } from './world.js';

const tools = langchainTools(oriel.tools);
/** A model that first calls tools, and answers "done" when it has their results. */
const model = (messages: readonly BaseMessage[]): AIMessage =>
  messages.at(-1) instanceof ToolMessage
    ? new AIMessage('done')
    : new AIMessage({
        content: '',
        tool_calls: ['f:2..2', 'no'].map((path, i) => ({
          id: String(i),
          name: 'read',
          args: { path },
          type: 'tool_call' as const,
        })),
      });

const messages: BaseMessage[] = [new HumanMessage('go')];
for (;;) {
  const answer = model(messages);
  messages.push(answer);
  const calls = answer.tool_calls ?? [];
  if (calls.length === 0) break;
  for (const call of calls) {
    const tool = tools.find(({ name }) => name === call.name);
    messages.push((await tool?.invoke({ ...call, type: 'tool_call' })) as ToolMessage);
  }
}
assert.deepEqual(
  messages.map(({ content }) => content),
  ['go', '', '2|b\n', 'no does not exist. Use . to list the working directory.', 'done'],
);
assert.equal((messages[3] as ToolMessage).status, 'error');
await oriel.close();
