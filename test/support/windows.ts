/** Windows over in-memory texts without decoration, for unit tests of text/. */

import { Identity } from '../../src/identity.ts';
import { memoryBytes } from '../../src/text/bytes.ts';
import { estimateTokens, type AnswerFit } from '../../src/text/limits.ts';
import { detectEncoding } from '../../src/text/encoding.ts';
import type { ByteSource } from '../../src/types/access.ts';
import type { Excerpt, Next, Window, Limits } from '../../src/types/excerpt.ts';
import { cutWindow } from '../../src/text/excerpt.ts';
import type { TextInput } from '../../src/text/line-reader.ts';
import { LineIndex } from '../../src/text/line-index.ts';

export const wide: Limits = {
  lines: 3000,
  answerLines: Number.POSITIVE_INFINITY,
  bytes: 51_200,
  line: 51_200,
  tokens: Number.POSITIVE_INFINITY,
  window: 65_536,
  windowMax: 262_144,
  countBytes: 1 << 30,
};

/** Lines without prefixes. */
export function plainFit(limits: Partial<Limits> = {}, over: Partial<AnswerFit> = {}): AnswerFit {
  return {
    limits: { ...wide, ...limits },
    cost: (line) => Buffer.byteLength(line.text),
    shown: (text) => Buffer.byteLength(text),
    tokens: estimateTokens,
    overflow: 'cut',
    longLine: { kind: 'slice' },
    ...over,
  };
}

export function inputOf(content: string | Uint8Array, counted = true): TextInput {
  const source = memoryBytes(content);
  const encoding = detectEncoding(Buffer.from(content).subarray(0, 4096));
  return { source, encoding, index: new LineIndex(encoding), counted };
}

/** A source that notes the offset and the length of each read. */
export type Watched = ByteSource & { readonly reads: [number, number][] };

/** A stream: its size is known once a read went beyond its end. */
export function streamOf(content: Uint8Array): Watched {
  const { readInto } = memoryBytes(content);
  const reads: [number, number][] = [];
  let size: number | undefined;
  return {
    get size() {
      return size;
    },
    identity: Identity.once('test'),
    streamed: true,
    reads,
    readInto(target, offset) {
      reads.push([offset, target.length]);
      if (offset + target.length > content.length) size = content.length;
      return readInto(target, offset);
    },
  };
}

export const textOf = (result: Excerpt): string =>
  result.parts
    .flat()
    .filter((line) => line.role === 'asked')
    .map((line) => line.text)
    .join('');

/** The window that `next` of a truncated answer refers to. */
export function windowOf(next: Next): Window {
  return next.kind === 'lines' ? { ...next, context: false } : next;
}

/** Reads page after page by following `next`; returns all excerpts. */
export async function follow(
  input: TextInput,
  window: Window | undefined,
  fit: AnswerFit,
): Promise<Excerpt[]> {
  const pages: Excerpt[] = [];
  for (let at = window; ;) {
    const page = await cutWindow(input, at, fit);
    pages.push(page);
    if (!page.next) return pages;
    if (pages.length > 100_000) throw new Error('the notices loop');
    at = windowOf(page.next);
  }
}
