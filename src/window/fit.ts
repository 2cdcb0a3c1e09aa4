/** What fits into an answer: the cost of a line as it will be shown, the budget that is left, and oversized lines. */

import { estimateTokens } from '../limits.ts';
import { cutHead, cutTail } from '../text/cut.ts';
import { decode } from '../text/encoding.ts';
import type { Display } from '../types/display.ts';
import type { Encoding } from '../types/encoding.ts';
import type { CutBy, Line } from '../types/excerpt.ts';
import type { Limits, TokenCounter } from '../types/limits.ts';
import type { LongLine, TextPolicy } from '../types/policy.ts';

/** How lines are made to fit. A display supplies the costs, a dialect the rest. */
export interface Fit {
  readonly limits: Limits;
  /** The most bytes a line number or an anchor may take, so that a line counts as oversized whatever its prefix is. */
  readonly prefix?: number;
  /** Bytes of the line as shown: prefix, escapes, markers and terminator included. */
  cost(line: Line): number;
  /** Bytes of a piece of text as shown, without a prefix. */
  shown(text: string): number;
  readonly tokens: TokenCounter;
  /** `cut`: whole lines until the budget is spent. `refuse`: nothing when not all of it fits. */
  readonly overflow: 'cut' | 'refuse';
  readonly longLine: LongLine;
  /** See `TextPolicy`. */
  readonly bareLines?: boolean;
  /**
   * The next call has larger limits: a line that is oversized here may not be oversized there, and a byte window would
   * begin at its start again.
   */
  readonly isPart?: boolean;
}

/** Bytes that a line may take when it is shown alone. */
function lineBudget({ limits, prefix = 0 }: Fit): number {
  return Math.min(limits.bytes, limits.line, limits.windowMax, limits.tokens * 4) - prefix;
}

/** Bytes that a slice in a byte window may take. */
export function windowBudget({ limits, prefix = 0 }: Fit): number {
  return Math.min(limits.windowMax, limits.tokens * 4) - prefix;
}

/** Tokens that a line may take when it is shown alone. */
function lineTokens({ limits, prefix = 0 }: Fit): number {
  return limits.tokens - prefix / 4;
}

/** Held beyond what may be shown, so that a cut falls before what is held ends: inside a character, perhaps. */
export const SPARE = 256;

/** Stored bytes to hold of a line in order to tell whether it is oversized, and to cut it if so. */
export function holdFor(fit: Fit, encoding: Encoding): number {
  const { longLine, limits } = fit;
  if (longLine.as === 'clip') return (longLine.at + 8) * 4;
  return Math.min(limits.bytes, limits.line) * encoding.unit + SPARE;
}

/** Bytes of a stored line that is not oversized, whatever is in it. */
export function safeLength(fit: Fit): number {
  return Math.min(lineBudget(fit), fit.limits.tokens) / 8;
}

/**
 * Whether a whole stored line is too large to be shown alone. Line windows slice such a line; byte windows begin
 * inside it where they are told to, instead of at its start. Both ask here, or the notices of one would loop in
 * the other.
 */
export function isOversized(
  stored: { readonly bytes: Uint8Array; readonly length: number },
  encoding: Encoding,
  fit: Fit,
): boolean {
  if (stored.length <= safeLength(fit)) return false;
  const room = lineBudget(fit);
  if (stored.length > fit.limits.windowMax) return true;
  const { text } = decode(stored.bytes, encoding);
  const free = fit.bareLines && text.endsWith('\n') ? 1 : 0;
  return fit.shown(text) - free > room || fit.tokens(text) > lineTokens(fit);
}

/**
 * The largest part of an oversized line that may be shown alone, from its start or its end, in stored bytes.
 * `room` bounds what is shown.
 */
export function sliceOf(
  bytes: Uint8Array,
  encoding: Encoding,
  fit: Fit,
  from: 'head' | 'tail',
  room = lineBudget(fit),
): Uint8Array {
  const cut = from === 'head' ? cutHead : cutTail;
  for (let budget = room; ; budget = Math.floor(budget / 2)) {
    const length = cut(bytes, encoding, budget, fit.shown);
    const slice = from === 'head' ? bytes.subarray(0, length) : bytes.subarray(bytes.length - length);
    const tokens = budget > 8 ? fit.tokens(decode(slice, encoding).text) : 0;
    if (tokens <= lineTokens(fit) || budget <= 8) return slice;
  }
}

/** What is left of one answer's limits; shared by all of its ranges. */
export class Budget {
  #lines: number;
  /** Lines of any kind. */
  #rows: number;
  #bytes: number;
  #tokens: number;
  readonly #fit: Fit;

  constructor(fit: Fit, limits: { lines: number; bytes: number; tokens: number }) {
    this.#fit = fit;
    this.#lines = limits.lines;
    this.#rows = fit.limits.answerLines;
    this.#bytes = limits.bytes;
    this.#tokens = limits.tokens;
  }

  /** Lines left. */
  get lines(): number {
    return Math.min(this.#lines, this.#rows);
  }

  /** Takes a line that is between two parts. */
  takeGap(): void {
    this.#rows -= 1;
  }

  /** Takes the line's cost, or says which limit it would pass and takes nothing. */
  take(line: Line): CutBy | undefined {
    if (this.#lines < 1 || this.#rows < 1) return 'lines';
    const bytes = this.#fit.cost(line);
    if (bytes > this.#bytes) return 'bytes';
    const tokens = this.#tokens === Number.POSITIVE_INFINITY ? 0 : this.#tokensOf(line, bytes);
    if (tokens > this.#tokens) return 'tokens';
    this.#lines -= 1;
    this.#rows -= 1;
    this.#bytes -= bytes;
    this.#tokens -= tokens;
    return undefined;
  }

  /** The prefix is charged at the plain rate, so that a counter sees only text. */
  #tokensOf(line: Line, cost: number): number {
    return this.#fit.tokens(line.text) + Math.ceil(Math.max(0, cost - this.#fit.shown(line.text)) / 4);
  }

  /** Takes a line of context, which must fit but does not count as one of the lines that were asked for. */
  takeContext(line: Line): boolean {
    const bytes = this.#fit.cost(line);
    if (bytes > this.#bytes || this.#rows < 1) return false;
    this.#bytes -= bytes;
    this.#rows -= 1;
    return true;
  }
}

/** Whole lines until the budget is spent, an oversized one in slices: what dialects do unless they say otherwise. */
export const cutPolicy: TextPolicy = { overflow: 'cut', longLine: { as: 'slice' } };

/** A dialect's policy over one display and the limits of one call. Tokens are estimated where the host has no counter. */
export function fitOf(policy: TextPolicy, display: Display, limits: Limits, tokens?: TokenCounter): Fit {
  return {
    limits,
    prefix: display.prefix ?? 0,
    cost: policy.cost ?? display.cost ?? ((line) => Buffer.byteLength(display.show(line))),
    shown: (text) => Buffer.byteLength(display.text(text)),
    tokens: tokens ?? estimateTokens,
    overflow: policy.overflow,
    longLine: policy.longLine,
    ...(policy.bareLines && { bareLines: true }),
  };
}
