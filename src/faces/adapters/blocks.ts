/** Helpers of the adapters: answers as blocks of text and images. */

import type { Tool } from '../../oriel.ts';
import type { Answer } from '../../types/answer.ts';

/** The text of an answer, for hosts that accept only text. Images are replaced by a note. */
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

/** Parses the arguments that a model wrote. Invalid JSON is returned as a string, and the tool reports the error. */
export function parseArguments(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    return text;
  }
}

/** A notice of an answer, with its kind: `cut`, `binary`, `exit` and others. */
export interface SaidNotice {
  readonly kind: string;
  readonly text: string;
}

export interface NoticeOptions {
  /**
   * Receives the notices of an answer before the model sees it. The text of a file may imitate a notice; the notices here
   * are authentic.
   */
  readonly onNotices?: (notices: readonly SaidNotice[], tool: string) => void;
}

/** Passes the notices of an answer to the host's `onNotices`, if there are any. */
export function tellNotices(tool: string, { details }: Answer, { onNotices }: NoticeOptions): void {
  const notices = details['notices'] as readonly SaidNotice[] | undefined;
  if (!onNotices || !notices || notices.length === 0) return;
  try {
    onNotices(notices, tool);
  } catch (error) {
    // An error of the host must not prevent the answer.
    process.emitWarning(error as Error);
  }
}
