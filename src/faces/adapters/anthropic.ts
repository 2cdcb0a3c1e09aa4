/** `oriel/anthropic`: tools for the Messages API of Anthropic. */

import type {
  ImageBlockParam,
  TextBlockParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { RunOptions } from '../../assemble.ts';
import type { Tool } from '../../oriel.ts';
import type { Answer } from '../../types/answer.ts';
import {
  answerAsText,
  needsPeer,
  type NoticeOptions,
  parametersOf,
  runNamed,
  tellNotices,
} from './blocks.ts';

/** A tool for `messages.create`, with what `beta.messages.toolRunner` needs to run it. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: { type: 'object'; properties?: unknown; required?: string[] };
  parse(input: unknown): unknown;
  run(
    input: unknown,
    context?: { readonly signal?: AbortSignal | null | undefined },
  ): Promise<(TextBlockParam | ImageBlockParam)[]>;
}

/** For `messages.create({ tools })`, and for `beta.messages.toolRunner`, which runs them. */
export function anthropicTools(tools: readonly Tool[], options: NoticeOptions = {}): AnthropicTool[] {
  needsPeer('@anthropic-ai/sdk', 'anthropic');
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: parametersOf(tool) as AnthropicTool['input_schema'],
    parse: (input) => input,
    async run(input, context) {
      const answer = await tool.run(input, context?.signal ? { signal: context.signal } : {});
      tellNotices(tool.name, answer, options);
      if (answer.isError) throw await toolError(answer);
      return blocksOf(answer);
    },
  }));
}

/** The error class of the tool runner; versions before 0.71 have none, and show the message of any error. */
async function toolError(answer: Answer): Promise<Error> {
  try {
    const { ToolError } = await import('@anthropic-ai/sdk/lib/tools/ToolError');
    return new ToolError(blocksOf(answer));
  } catch (cause) {
    return new Error(answerAsText(answer), { cause });
  }
}

/** Runs a `tool_use` block and returns the `tool_result` to send back. Never throws. */
export async function runToolUse(
  tools: readonly Tool[],
  use: { readonly id: string; readonly name: string; readonly input: unknown },
  options: RunOptions & NoticeOptions = {},
): Promise<ToolResultBlockParam> {
  const answer = await runNamed(tools, use.name, use.input, options);
  return {
    type: 'tool_result',
    tool_use_id: use.id,
    content: blocksOf(answer),
    ...(answer.isError && { is_error: true }),
  };
}

type MediaType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

function blocksOf({ content }: Answer): (TextBlockParam | ImageBlockParam)[] {
  return content.map((block) =>
    block.type === 'text'
      ? { type: 'text', text: block.text }
      : {
          type: 'image',
          source: { type: 'base64', media_type: block.mimeType as MediaType, data: block.data },
        },
  );
}
