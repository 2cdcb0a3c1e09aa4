import type { ToolMessage } from '@langchain/core/messages';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { expect, test } from 'vitest';
import { langchainTools } from '../../../src/faces/adapters/langchain.ts';
import { PIXEL, testTools } from '../../support/tools.ts';

test('a tool call becomes a message with artifact and status', async () => {
  const { tools } = testTools();
  const made = langchainTools(tools);
  const call = async (name: string, args: Record<string, unknown>): Promise<ToolMessage> => {
    const tool = made.find((known) => known.name === name);
    return (await tool?.invoke({ type: 'tool_call', id: 't1', name, args })) as ToolMessage;
  };
  const read = await call('read', { path: 'f:2..2' });
  expect(read).toMatchObject({ content: '2|b\n', status: 'success', tool_call_id: 't1', name: 'read' });
  expect(read.artifact).toMatchObject({ details: { kind: 'file' } });
  expect((await call('picture', {})).content).toEqual([
    { type: 'text', text: 'a pixel' },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
  ]);
  expect(await call('read', { path: 'none' })).toMatchObject({
    content: 'none does not exist. Use . to list the working directory.',
    status: 'error',
    tool_call_id: 't1',
  });
  expect(await made[0]?.invoke({ path: 'f' })).toBe('1|a\n2|b\n');
});

test('a provider gets the unchanged schema', () => {
  const { tools } = testTools();
  const [read] = langchainTools(tools);
  const { $schema: _, ...parameters } = tools[0]?.jsonSchema ?? {};
  expect(read && convertToOpenAITool(read)).toEqual({
    type: 'function',
    function: { name: 'read', description: tools[0]?.description, parameters },
  });
});

test('the signal of the configuration cancels the work', async () => {
  const { tools, hanging } = testTools();
  const stop = new AbortController();
  const made = langchainTools(tools).find(({ name }) => name === 'hang');
  const call = made?.invoke({}, { signal: stop.signal });
  call?.catch(() => undefined);
  await hanging.started;
  stop.abort();
  await hanging.stopped;
});
