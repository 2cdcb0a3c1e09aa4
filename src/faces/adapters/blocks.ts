/** Helpers of the adapters: answers as blocks of text and images. */

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

/** What a model wrote as arguments. What is no JSON continues as it is, and the tool says what is wrong with it. */
export function parseArguments(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text);
  } catch {
    return text;
  }
}

/** What an answer says besides its text, each by its kind: `cut`, `binary`, `exit` and others. */
export interface SaidNotice {
  readonly kind: string;
  readonly text: string;
}

export interface NoticeOptions {
  /**
   * Told what an answer says besides its text, before the model sees it. The text of a file can look like one of our
   * notices; what comes here cannot be written by a file.
   */
  readonly onNotices?: (notices: readonly SaidNotice[], tool: string) => void;
}

/** Tells the host of the notices of an answer, where it asked for them and there are any. */
export function tellNotices(tool: string, { details }: Answer, { onNotices }: NoticeOptions): void {
  const notices = details['notices'] as readonly SaidNotice[] | undefined;
  if (!onNotices || !notices || notices.length === 0) return;
  try {
    onNotices(notices, tool);
  } catch (error) {
    // The model has its answer anyway.
    process.emitWarning(error as Error);
  }
}
