/** The differences between the versions of pi: the format of sizes and notices, and what counts as a line. */

import { decimalSize } from '../render/units.ts';
import type { CutBy } from '../types/excerpt.ts';
import type { Limits } from '../types/limits.ts';

export interface PiStyle {
  size(bytes: number): string;
  /** The size of something that exceeds the byte limit. */
  overSize(bytes: number, limits: Limits): string;
  /** The separator between whole lines and the notice below them. */
  readonly gap: '' | '\n';
  /** The end of a notice with the next call. */
  readonly stop: '' | '.';
  /** Whether the empty string after a final newline counts as a line. */
  readonly countsLast: boolean;
  /** The command that shows an oversized first line. */
  readonly first: 'head' | 'sed';
  /** Whether `grep` says how many of the matches are shown. */
  readonly tellsShown: boolean;
}

/** The style of pi's design: whole KB of 1,000 bytes. */
export const seedStyle: PiStyle = {
  size: decimalSize,
  // Rounded up, because a size that is rounded down to the limit would not seem to exceed it.
  overSize: (bytes, { bytes: limit }) =>
    limit < 1000 || bytes <= limit ? decimalSize(bytes) : decimalSize(Math.max(bytes, limit + 500)),
  gap: '',
  stop: '',
  countsLast: false,
  first: 'head',
  tellsShown: true,
};

/** The style of pi since version 0.74: KB of 1,024 bytes with one decimal. */
export const publishedStyle: PiStyle = {
  size: oneDecimal,
  overSize: oneDecimal,
  gap: '\n',
  stop: '.',
  countsLast: true,
  first: 'sed',
  tellsShown: false,
};

/** `30KB limit`. */
export function limitOf({ size }: PiStyle, by: CutBy, limits: Limits): string {
  return by === 'tokens' ? `${limits.tokens} token limit` : `${size(limits.bytes)} limit`;
}

/** `512B`, `50.0KB`, `1.5MB`. */
function oneDecimal(bytes: number): string {
  if (bytes < 1024) return `${bytes}B`;
  return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(1)}KB` : `${(bytes / 1024 ** 2).toFixed(1)}MB`;
}
