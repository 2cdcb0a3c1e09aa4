/** `oriel/mastra`: tools for Mastra, with types for the part of its interface that they need. */

import type { Tool } from '../../oriel.ts';
import type { Answer } from '../../types/answer.ts';
import { answerAsText, needsPeer, type OpenSchema, openSchema } from './blocks.ts';

/** The options of `createTool` of `@mastra/core/tools`. */
export interface MastraToolOptions {
  id: string;
  description: string;
  /** Declares the schema but accepts everything, because the tool validates its input itself. */
  inputSchema: OpenSchema;
  execute(input: unknown, context?: { readonly abortSignal?: AbortSignal | undefined }): Promise<Answer>;
  /** `output`: the result of `execute`, which Mastra types as unknown. */
  toModelOutput(output: unknown): unknown;
}

/** Options for `createTool`. The result of a call is the whole answer; the model sees its text and images. */
export function mastraTools(tools: readonly Tool[]): MastraToolOptions[] {
  needsPeer('@mastra/core', 'mastra');
  return tools.map((tool) => ({
    id: tool.name,
    description: tool.description,
    inputSchema: openSchema(tool.jsonSchema),
    execute: (input, context) => tool.run(input, context?.abortSignal ? { signal: context.abortSignal } : {}),
    toModelOutput: (output) => modelOutput(output as Answer),
  }));
}

function modelOutput(answer: Answer): unknown {
  if (answer.isError) return { type: 'error-text', value: answerAsText(answer) };
  return {
    type: 'content',
    value: answer.content.map((block) =>
      block.type === 'text' ? block : { type: 'media', data: block.data, mediaType: block.mimeType },
    ),
  };
}
