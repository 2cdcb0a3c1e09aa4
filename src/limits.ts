/** The default limits, which dialects change; how a host changes them; and their minimum values. */

import { OrielError } from './errors.ts';
import { quote } from './text/visible.ts';
import type { LimitName, Limits, TokenCounter } from './types/limits.ts';

export const KIB = 1024;

export const baseLimits: Limits = {
  lines: 3000,
  answerLines: Number.POSITIVE_INFINITY,
  bytes: 50 * KIB,
  line: 50 * KIB,
  tokens: Number.POSITIVE_INFINITY,
  window: 64 * KIB,
  windowMax: 256 * KIB,
  countBytes: 1 << 30,
};

/** Assumes four bytes of UTF-8 for each token. For code and English, common tokenizers differ from that by at most a third. */
export const estimateTokens: TokenCounter = (text) => Math.ceil(Buffer.byteLength(text) / 4);

export type LimitOptions = { readonly [K in LimitName]?: number };

/** Minimum values. With fewer bytes a line number and one character would not fit. */
export const LEAST: Readonly<Record<LimitName, number>> = {
  lines: 1,
  answerLines: 8,
  bytes: 64,
  line: 64,
  tokens: 32,
  window: 1,
  windowMax: 64,
  countBytes: 0,
};

export const limitNames = Object.keys(LEAST) as LimitName[];

/** If a host lowers `lines`: lines that an answer may have in addition, for context and gaps. */
const EXTRA_LINES = 8;

/**
 * The dialect's limits, changed by those of a host. Lowering `lines` also lowers `answerLines`, for answers of every kind.
 * Changing `bytes` also changes `line`, `window` and `windowMax`, unless these are given too. Throws `BAD_INPUT`.
 */
export function limitsWith(base: Limits, options: LimitOptions = {}): Limits {
  for (const [name, value] of Object.entries(options)) check(name, value);
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as LimitOptions;
  const limits = { ...base, ...given };
  const lowered = given.lines !== undefined && given.lines < base.lines;
  const answerLines = given.answerLines ?? (lowered ? limits.lines + EXTRA_LINES : base.answerLines);
  if (given.bytes === undefined) return capped({ ...limits, answerLines });
  return capped({
    ...limits,
    answerLines,
    line: given.line ?? Math.min(base.line, given.bytes),
    windowMax:
      given.windowMax ?? (given.bytes < base.bytes ? given.bytes : Math.max(base.windowMax, given.bytes)),
    window: given.window ?? Math.min(base.window, given.bytes),
  });
}

/** A default window is at most as large as the largest window. */
function capped(limits: Limits): Limits {
  return { ...limits, window: Math.min(limits.window, limits.windowMax) };
}

/** Throws `BAD_INPUT` for an unknown name, a value that is too small, and NaN. */
function check(name: string, value: number | undefined): void {
  if (!Object.hasOwn(LEAST, name)) {
    throw new OrielError(
      'BAD_INPUT',
      `There is no limit ${quote(name)}. Use one of ${limitNames.join(', ')}.`,
    );
  }
  const least = LEAST[name as LimitName];
  if (value !== undefined && !(value >= least)) {
    throw new OrielError('BAD_INPUT', `The limit ${name} is at least ${least}.`);
  }
}
