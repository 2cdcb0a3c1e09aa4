/** Owns what adapters share about answers. */

import type { Tool } from '../../oriel.ts';
import type { Answer } from '../../types/answer.ts';

/** The text of an answer, for hosts that take nothing else; an image is named where it cannot be shown. */
export function textOf({ content }: Answer): string {
  return content
    .map((block) =>
      block.type === 'text' ? block.text : `[An image, ${block.mimeType}, that cannot be shown here]`,
    )
    .join('\n');
}

export function hasImage({ content }: Answer): boolean {
  return content.some(({ type }) => type === 'image');
}

/** The JSON Schema of a tool's input, without the key that some providers refuse. */
export function parametersOf({ jsonSchema }: Tool): Record<string, unknown> {
  const { $schema: _, ...schema } = jsonSchema;
  return schema;
}

/** What a model wrote as arguments. What is no JSON goes on as it is, and the tool says what is wrong with it. */
export function parseArguments(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    return text;
  }
}
