/** `oriel/ai-sdk`: tools for the Vercel AI SDK. */

import type { ToolSet } from 'ai';
import * as ai from 'ai';
import { OrielError } from '../../errors.ts';
import type { Tool } from '../../oriel.ts';
import type { Answer } from '../../types/answer.ts';
import { answerAsText, hasImage, parametersOf } from './blocks.ts';

/**
 * The tools by name, for `generateText`, `streamText` and agents. The result of a call is the whole answer; the model sees
 * its text and images. The AI SDK's `abortSignal` cancels the call. Throws OrielError (`UNSUPPORTED`) with `ai` 4 or older.
 */
export function aiSdkTools(tools: readonly Tool[]): ToolSet {
  if (typeof ai.dynamicTool !== 'function') {
    throw new OrielError('UNSUPPORTED', 'oriel/ai-sdk needs version 5 of the package ai, or a newer one.');
  }
  return Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      ai.dynamicTool({
        title: tool.title,
        description: tool.description,
        inputSchema: ai.jsonSchema(parametersOf(tool)),
        execute: (input, { abortSignal }) => tool.run(input, abortSignal && { signal: abortSignal }),
        // Version 5 passes the output itself.
        toModelOutput: (given: unknown) =>
          modelOutput(((given as { output?: unknown }).output ?? given) as Answer) as ModelOutput,
      }),
    ]),
  );
}

type ModelOutput = Awaited<ReturnType<NonNullable<ToolSet[string]['toModelOutput']>>>;

function modelOutput(answer: Answer): unknown {
  if (answer.isError) return { type: 'error-text', value: answerAsText(answer) };
  if (!hasImage(answer)) return { type: 'text', value: answerAsText(answer) };
  return {
    type: 'content',
    value: answer.content.map((block) =>
      block.type === 'text'
        ? { type: 'text', text: block.text }
        : imagePart({ data: block.data, mediaType: block.mimeType }),
    ),
  };
}

/** The shape of an image differs between the versions, which warn about the older shapes. */
function imagePart({ data, mediaType }: { data: string; mediaType: string }): object {
  if ('isStepCount' in ai) return { type: 'file', mediaType, data: { type: 'data', data } };
  return { type: 'ToolLoopAgent' in ai ? 'file-data' : 'media', data, mediaType };
}
