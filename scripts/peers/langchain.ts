import assert from 'node:assert/strict';
import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { langchainTools } from 'oriel/langchain';
import { oriel, pictureTool } from './world.js';

const tools = langchainTools(oriel.tools);
/** A model that first calls tools, and answers "done" when it has their results. */
const model = (messages: readonly BaseMessage[]): AIMessage =>
  messages.at(-1) instanceof ToolMessage
    ? new AIMessage('done')
    : new AIMessage({
        content: '',
        tool_calls: [{ path: 'f:2..2' }, { path: 'no' }, { file_path: 'f:2..2' }, {}].map((args, i) => ({
          id: String(i),
          name: 'read',
          args,
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
  [
    'go',
    '',
    '2|b\n',
    'no does not exist. Use . to list the working directory.',
    '2|b\n',
    'The field path of read is missing. Its fields are path. Use {"path":"."}.',
    'done',
  ],
);
for (const i of [3, 5]) assert.equal((messages[i] as ToolMessage).status, 'error');
const { artifact } = messages[2] as ToolMessage;
assert.equal((artifact as { details: { kind: string } }).details.kind, 'file');

const [given] = oriel.tools;
const { $schema: _, ...parameters } = given?.jsonSchema ?? {};
assert.deepEqual(tools[0] && convertToOpenAITool(tools[0]), {
  type: 'function',
  function: { name: given?.name, description: given?.description, parameters },
});

const stop = new AbortController();
const { tool: pictured, data, signal } = pictureTool();
const [picture] = langchainTools([pictured]);
const call = { type: 'tool_call', id: '3', name: 'read', args: { path: 'f' } } as const;
const shown = (await picture?.invoke(call, { signal: stop.signal })) as ToolMessage;
stop.abort();
assert.equal(signal()?.aborted, true);
const url = `data:image/png;base64,${data}`;
assert.deepEqual(shown.content, [{ type: 'image_url', image_url: { url } }]);
await oriel.close();
