/** Owns `oriel/ai-sdk`: tools for the Vercel AI SDK. */

import { dynamicTool, jsonSchema, type ToolSet } from 'ai';
import type { Tool } from '../../oriel.ts';
import type { Answer } from '../../types/answer.ts';
import { hasImage, parametersOf, textOf } from './blocks.ts';

/**
 * The tools under their names, for `generateText` and its kin. A call's result is the whole answer; the model sees
 * its text and images. The AI SDK's `abortSignal` ends the work.
 */
export function aiSdkTools(tools: readonly Tool[]): ToolSet {
  return Object.fromEntries(
    tools.map((tool) => [
      tool.name,
      dynamicTool({
        title: tool.title,
        description: tool.description,
        inputSchema: jsonSchema(parametersOf(tool)),
        execute: (input, { abortSignal }) => tool.run(input, abortSignal && { signal: abortSignal }),
        toModelOutput: ({ output }) => modelOutput(output as Answer),
      }),
    ]),
  );
}

type ModelOutput = Awaited<ReturnType<NonNullable<ToolSet[string]['toModelOutput']>>>;

function modelOutput(answer: Answer): ModelOutput {
  if (answer.isError) return { type: 'error-text', value: textOf(answer) };
  if (!hasImage(answer)) return { type: 'text', value: textOf(answer) };
  return {
    type: 'content',
    value: answer.content.map((block) =>
      block.type === 'text'
        ? { type: 'text', text: block.text }
        : { type: 'file-data', data: block.data, mediaType: block.mimeType },
    ),
  };
}
