/** The limits that dialects start from, how a host changes them, and which values are valid. */

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

/** Four bytes of UTF-8 a token: within a third of the truth for code and English on common tokenizers. */
export const estimateTokens: TokenCounter = (text) => Math.ceil(Buffer.byteLength(text) / 4);

export type LimitOptions = { readonly [K in LimitName]?: number };

/** Below these a line number and one character would not fit. */
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

/** Lines of context and gaps that an answer may have beside its lines, where those are fewer than the dialect's. */
const AROUND = 8;

/**
 * The dialect's limits with a host's own. Lowering `lines` bounds answers of every kind; lowering `bytes` also lowers what follows from it (the width of a line,
 * byte windows), unless these are given too. Throws `BAD_INPUT`.
 */
export function limitsWith(base: Limits, options: LimitOptions = {}): Limits {
  for (const [name, value] of Object.entries(options)) check(name, value);
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as LimitOptions;
  const limits = { ...base, ...given };
  const lowered = given.lines !== undefined && given.lines < base.lines;
  const answerLines = given.answerLines ?? (lowered ? limits.lines + AROUND : base.answerLines);
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

function capped(limits: Limits): Limits {
  return { ...limits, window: Math.min(limits.window, limits.windowMax) };
}

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
