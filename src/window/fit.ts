/** Owns what fits: the cost of a line as it will be shown, the running budget of one answer, and what a giant line is. */

import { cutHead, cutTail } from '../text/cut.ts';
import { type Encoding, decode } from '../text/encoding.ts';
import type { TokenCounter } from '../text/tokens.ts';
import type { CutBy, Limits, Line } from './types.ts';

/** How lines are made to fit. A display supplies the costs, a dialect the rest. */
export interface Fit {
  readonly limits: Limits;
  /** Bytes of the line as shown: prefix, escapes, markers and terminator included. */
  cost(line: Line): number;
  /** Bytes of a piece of text as shown, without a prefix. */
  shown(text: string): number;
  readonly tokens: TokenCounter;
  /** `cut`: whole lines until the budget is spent. `refuse`: nothing when not all of it fits. */
  readonly overflow: 'cut' | 'refuse';
  readonly longLine: LongLine;
}

export type LongLine =
  /** A line over the budget is shown in slices, each call going on inside it. */
  | { readonly as: 'slice' }
  /** A line over the budget is not shown and ends the answer. */
  | { readonly as: 'stop' }
  /** A line over `at` is shown up to there, its rest left out, with `marker` behind it. */
  | { readonly as: 'clip'; readonly at: number; readonly unit: 'byte' | 'char'; readonly marker: string };

/** Room kept for a line number or an anchor, so that a line counts as giant whatever its prefix is. */
const PREFIX_ROOM = 32;

/** Bytes that a line may take when it is shown alone. */
export function lineBudget(limits: Limits): number {
  return Math.min(limits.bytes, limits.line, limits.windowMax, limits.tokens * 4) - PREFIX_ROOM;
}

/** Bytes that a slice in a byte window may take. */
export function windowBudget(limits: Limits): number {
  return Math.min(limits.windowMax, limits.tokens * 4) - PREFIX_ROOM;
}

/** Stored bytes to hold of a line in order to tell whether it is giant. */
export function holdFor(fit: Fit, encoding: Encoding): number {
  const { longLine, limits } = fit;
  if (longLine.as === 'clip') return (longLine.at + 8) * 4;
  return Math.max(encoding.unit, Math.min(limits.bytes, limits.line) * encoding.unit);
}

/**
 * Whether a whole stored line is too large to be shown alone. Line windows slice such a line; byte windows begin
 * inside it where they are told to, instead of at its start. Both ask here, or the notices of one would loop in
 * the other.
 */
export function isGiant(bytes: Uint8Array, encoding: Encoding, fit: Fit): boolean {
  const room = lineBudget(fit.limits);
  if (bytes.length <= room / 8 && bytes.length <= fit.limits.tokens / 8) return false;
  if (bytes.length > fit.limits.windowMax) return true;
  const { text } = decode(bytes, encoding);
  return fit.shown(text) > room || fit.tokens(text) > fit.limits.tokens - PREFIX_ROOM / 4;
}

/**
 * The largest part of a giant line that may be shown alone, from its start or its end, in stored bytes.
 * `room` bounds what is shown.
 */
export function sliceOf(
  bytes: Uint8Array,
  encoding: Encoding,
  fit: Fit,
  from: 'head' | 'tail',
  room = lineBudget(fit.limits),
): Uint8Array {
  const cut = from === 'head' ? cutHead : cutTail;
  for (let budget = room; ; budget = Math.floor(budget / 2)) {
    const length = cut(bytes, encoding, budget, fit.shown);
    const slice = from === 'head' ? bytes.subarray(0, length) : bytes.subarray(bytes.length - length);
    const tokens = budget > 8 ? fit.tokens(decode(slice, encoding).text) : 0;
    if (tokens <= fit.limits.tokens - PREFIX_ROOM / 4 || budget <= 8) return slice;
  }
}

/** What is left of one answer's limits; shared by all of its ranges. */
export class Budget {
  #lines: number;
  #bytes: number;
  #tokens: number;
  readonly #fit: Fit;

  constructor(fit: Fit, limits: { lines: number; bytes: number; tokens: number }) {
    this.#fit = fit;
    this.#lines = limits.lines;
    this.#bytes = limits.bytes;
    this.#tokens = limits.tokens;
  }

  /** Lines left. */
  get lines(): number {
    return this.#lines;
  }

  /** Takes the line's cost, or says which limit it would pass and takes nothing. */
  take(line: Line): CutBy | undefined {
    if (this.#lines < 1) return 'lines';
    const bytes = this.#fit.cost(line);
    if (bytes > this.#bytes) return 'bytes';
    const tokens = this.#tokens === Number.POSITIVE_INFINITY ? 0 : this.#tokensOf(line, bytes);
    if (tokens > this.#tokens) return 'tokens';
    this.#lines -= 1;
    this.#bytes -= bytes;
    this.#tokens -= tokens;
    return undefined;
  }

  /** The prefix is charged at the plain rate, so that a counter sees only text. */
  #tokensOf(line: Line, cost: number): number {
    return this.#fit.tokens(line.text) + Math.ceil(Math.max(0, cost - this.#fit.shown(line.text)) / 4);
  }

  /** Takes bytes without a line: context, which must fit but does not count as a line. */
  takeContext(line: Line): boolean {
    const bytes = this.#fit.cost(line);
    if (bytes > this.#bytes) return false;
    this.#bytes -= bytes;
    return true;
  }
}
