/** Owns `oriel/anthropic`: tools for the Messages API of Anthropic. */

import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';
import type {
  ImageBlockParam,
  TextBlockParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { RunOptions } from '../../assemble.ts';
import { OrielError } from '../../errors.ts';
import type { Tool } from '../../oriel.ts';
import { errorAnswer } from '../../render/answer.ts';
import { quote } from '../../text/visible.ts';
import type { Answer } from '../../types/answer.ts';
import { parametersOf } from './blocks.ts';

type Parameters = { type: 'object'; properties?: unknown; required?: string[] };

/** For `messages.create({ tools })`, and with what it needs to run them for `beta.messages.toolRunner`. */
export function anthropicTools(tools: readonly Tool[]): BetaRunnableTool<unknown>[] {
  return tools.map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: parametersOf(tool) as Parameters,
    parse: (input) => input,
    async run(input, context) {
      const answer = await tool.run(input, context?.signal ? { signal: context.signal } : {});
      if (answer.isError) throw new ToolError(blocksOf(answer));
      return blocksOf(answer);
    },
  }));
}

/** Runs a `tool_use` block and gives the `tool_result` to send back. Never throws. */
export async function runToolUse(
  tools: readonly Tool[],
  use: { readonly id: string; readonly name: string; readonly input: unknown },
  options?: RunOptions,
): Promise<ToolResultBlockParam> {
  const tool = tools.find(({ name }) => name === use.name);
  const names = tools.map(({ name }) => name).join(', ');
  const answer = tool
    ? await tool.run(use.input, options)
    : errorAnswer(new OrielError('BAD_INPUT', `There is no tool ${quote(use.name)}. Use one of ${names}.`));
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
