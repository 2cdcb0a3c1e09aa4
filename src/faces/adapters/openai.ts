/** `oriel/openai`: tools for OpenAI's Responses API and for Chat Completions. */

import type { RunnableToolFunctionWithParse } from 'openai/lib/RunnableFunction';
import type {
  FunctionTool,
  ResponseFunctionToolCall,
  ResponseInputItem,
} from 'openai/resources/responses/responses';
import type { FunctionDefinition } from 'openai/resources/shared';
import type { RunOptions } from '../../assemble.ts';
import type { Tool } from '../../oriel.ts';
import type { Answer } from '../../types/answer.ts';
import {
  answerAsText,
  hasImage,
  needsPeer,
  type NoticeOptions,
  parametersOf,
  parseArguments,
  runNamed,
  tellNotices,
} from './blocks.ts';

/** For `responses.create({ tools })`. */
export function responsesTools(tools: readonly Tool[]): FunctionTool[] {
  needsPeer('openai', 'openai');
  return tools.map((tool) => ({
    type: 'function',
    name: tool.name,
    description: tool.description,
    parameters: parametersOf(tool),
    // Strict mode would make every field required.
    strict: false,
  }));
}

/** Runs a `function_call` of a response and returns the item to send back. Never throws. */
export async function runResponsesCall(
  tools: readonly Tool[],
  call: Pick<ResponseFunctionToolCall, 'name' | 'arguments' | 'call_id'>,
  options: RunOptions & NoticeOptions = {},
): Promise<ResponseInputItem.FunctionCallOutput> {
  const answer = await runNamed(tools, call.name, parseArguments(call.arguments), options);
  return {
    type: 'function_call_output',
    call_id: call.call_id,
    output: hasImage(answer) ? answer.content.map(inputBlock) : answerAsText(answer),
  };
}

/**
 * For `chat.completions.create({ tools })`, and for `chat.completions.runTools`, which runs them. The chat API accepts no
 * images from tools: they are replaced by a note.
 */
export function chatTools(
  tools: readonly Tool[],
  options: NoticeOptions = {},
): (RunnableToolFunctionWithParse<object> & { function: FunctionDefinition })[] {
  needsPeer('openai', 'openai');
  return tools.map((tool) => ({
    type: 'function',
    function: {
      name: tool.name,
      description: tool.description,
      parameters: parametersOf(tool),
      parse: (text) => parseArguments(text) as object,
      async function(input, runner) {
        const answer = await tool.run(input, { signal: runner.controller.signal });
        tellNotices(tool.name, answer, options);
        return answerAsText(answer);
      },
    },
  }));
}

/** The message that answers a tool call of a chat completion. Never throws. */
export async function runChatCall(
  tools: readonly Tool[],
  { id, function: called }: { id: string; function: { name: string; arguments: string } },
  options: RunOptions & NoticeOptions = {},
): Promise<{ role: 'tool'; tool_call_id: string; content: string }> {
  const answer = await runNamed(tools, called.name, parseArguments(called.arguments), options);
  return { role: 'tool', tool_call_id: id, content: answerAsText(answer) };
}

function inputBlock(
  block: Answer['content'][number],
): Exclude<ResponseInputItem.FunctionCallOutput['output'], string>[number] {
  if (block.type === 'text') return { type: 'input_text', text: block.text };
  return { type: 'input_image', image_url: `data:${block.mimeType};base64,${block.data}` };
}
