/** The public entry `oriel/window`: windows over any bytes, without files, dialects or notices. */

import { memoryBytes, readSourceHead } from './text/bytes.ts';
import { detectEncoding } from './text/encoding.ts';
import { cutWindow } from './text/excerpt.ts';
import {
  type AnswerFit,
  baseLimits,
  estimateTokens,
  type LimitOptions,
  limitsWith,
  shownSize,
} from './text/limits.ts';
import { LineIndex } from './text/line-index.ts';
import type { ByteSource } from './types/access.ts';
import type { Excerpt, TokenCounter, Window } from './types/excerpt.ts';

export { memoryBytes, readAt } from './text/bytes.ts';
export { type Derivation, type Fact, type Facts, type FileFacts, Identity } from './identity.ts';
export type { ByteSource } from './types/access.ts';
export { parseSelection, writeSelector } from './selector/selection.ts';
export type { Selection } from './types/excerpt.ts';
export type { LongLine } from './types/excerpt.ts';
export { type Overflow, Spool, type SpoolOptions, SpoolReader } from './text/spool.ts';
export type { Excerpt, Line, Next, Range, Window } from './types/excerpt.ts';
export type { Limits } from './types/excerpt.ts';

export interface WindowOptions {
  readonly limits?: LimitOptions | undefined;
  readonly longLine?: AnswerFit['longLine'] | undefined;
  readonly overflow?: AnswerFit['overflow'] | undefined;
  /** The bytes that a line takes when it is shown; its bytes in UTF-8 when absent. */
  readonly cost?: AnswerFit['cost'] | undefined;
  readonly tokens?: TokenCounter | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A text for several reads: they share one line index, which grows with them. */
export interface WindowedText {
  /** The excerpt of the window (the whole text when absent) within the limits. Throws what the source throws. */
  read(window?: Window, options?: WindowOptions): Promise<Excerpt>;
}

/** `content`: a text, bytes in memory, or a source of bytes by offset. The encoding is detected from the first bytes. */
export function windowedText(content: string | Uint8Array | ByteSource): WindowedText {
  const source =
    typeof content === 'string' || content instanceof Uint8Array ? memoryBytes(content) : content;
  let index: LineIndex | undefined;
  return {
    async read(window, options = {}) {
      const { signal } = options;
      const limits = limitsWith(baseLimits, options.limits);
      const encoding = detectEncoding(await readSourceHead(source, signal));
      index ??= new LineIndex(encoding);
      const counted = (source.size ?? Number.POSITIVE_INFINITY) <= limits.countBytes;
      const shown = (text: string): number => shownSize(text, limits);
      return cutWindow({ source, encoding, index, counted, signal }, window, {
        limits,
        cost: options.cost ?? (({ text, ascii }) => (ascii ? text.length : shown(text))),
        shown,
        tokens: options.tokens ?? estimateTokens,
        overflow: options.overflow ?? 'cut',
        longLine: options.longLine ?? { kind: 'slice' },
      });
    },
  };
}
