/** What fits into an answer: the cost of a line as shown, the remaining budget, and the test for oversized lines. */

import { estimateTokens } from '../limits.ts';
import { cutHead, cutTail } from '../text/cut.ts';
import { decode } from '../text/encoding.ts';
import type { Display } from '../types/display.ts';
import type { Encoding } from '../types/encoding.ts';
import type { CutBy, Line } from '../types/excerpt.ts';
import type { Limits, TokenCounter } from '../types/limits.ts';
import type { LongLine, TextPolicy } from '../types/policy.ts';

/** How lines are fitted into an answer. The costs come from a display, the rest from a dialect. */
export interface Fit {
  readonly limits: Limits;
  /** Maximum bytes of a prefix (line number or anchor). Whether a line is oversized does not depend on its actual prefix. */
  readonly prefix?: number;
  /** Bytes of the line as shown: prefix, escapes, markers and terminator included. */
  cost(line: Line): number;
  /** Bytes of a piece of text as shown, without a prefix. */
  shown(text: string): number;
  readonly tokens: TokenCounter;
  /** `cut`: show whole lines until the budget is used up. `refuse`: show nothing unless everything fits. */
  readonly overflow: 'cut' | 'refuse';
  readonly longLine: LongLine;
  /** See `TextPolicy`. */
  readonly bareLines?: boolean;
  /**
   * The next call has larger limits: a line that is oversized here may not be oversized there, and a byte window would
   * begin at its start again.
   */
  readonly nextIsLarger?: boolean;
}

/** Maximum shown bytes of a line that is the only one of an answer. */
function lineBudget({ limits, prefix = 0 }: Fit): number {
  return Math.min(limits.bytes, limits.line, limits.windowMax, limits.tokens * 4) - prefix;
}

/** Maximum shown bytes of a slice in a byte window. */
export function windowBudget({ limits, prefix = 0 }: Fit): number {
  return Math.min(limits.windowMax, limits.tokens * 4) - prefix;
}

/** Maximum tokens of a line that is the only one of an answer. */
function lineTokens({ limits, prefix = 0 }: Fit): number {
  return limits.tokens - prefix / 4;
}

/** Bytes to hold beyond what may be shown: the held bytes may end inside a character, and the cut has to be before it. */
export const SPARE = 256;

/** Stored bytes of a line that must be held to decide whether it is oversized, and to slice it. */
export function holdFor(fit: Fit, encoding: Encoding): number {
  const { longLine, limits } = fit;
  if (longLine.as === 'clip') return (longLine.at + 8) * 4;
  return Math.min(limits.bytes, limits.line) * encoding.unit + SPARE;
}

/** A line of at most this many stored bytes is never oversized: a byte is shown as at most 8 bytes or tokens. */
export function safeLength(fit: Fit): number {
  return Math.min(lineBudget(fit), fit.limits.tokens) / 8;
}

/**
 * Whether a whole stored line is too large for an answer of its own. Line windows slice such a line; byte windows may
 * begin inside it. Both must use this function: if they disagreed, following their notices would loop.
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
 * The largest slice of an oversized line, from its start or its end, that fits into an answer of its own; at least one
 * code point. `room`: maximum shown bytes.
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

/** The remaining budget of an answer, shared by all of its ranges. */
export class Budget {
  #lines: number;
  /** Remaining lines of any kind: requested lines, context and gaps. */
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

  /** Remaining lines. */
  get lines(): number {
    return Math.min(this.#lines, this.#rows);
  }

  /** Charges the line that is shown between two parts. */
  takeGap(): void {
    this.#rows -= 1;
  }

  /** Charges the line. If it would exceed a limit, charges nothing and returns that limit. */
  take(line: Line): CutBy | undefined {
    if (this.#lines < 1 || this.#rows < 1) return 'lines';
    const bytes = this.#fit.cost(line);
    if (bytes > this.#bytes) return 'bytes';
    const tokens = this.#tokensOf(line, bytes);
    if (tokens > this.#tokens) return 'tokens';
    this.#spend(bytes, tokens);
    return undefined;
  }

  /** Charges a line that is shown even if it exceeds the budget. In that case nothing else fits afterwards. */
  charge(line: Line): void {
    const bytes = this.#fit.cost(line);
    this.#spend(bytes, this.#tokensOf(line, bytes));
  }

  #spend(bytes: number, tokens: number): void {
    this.#lines -= 1;
    this.#rows -= 1;
    this.#bytes -= bytes;
    this.#tokens -= tokens;
  }

  /** 0 if tokens are not limited. The prefix counts as four bytes a token, so that the host's counter sees only text. */
  #tokensOf(line: Line, cost: number): number {
    if (this.#tokens === Number.POSITIVE_INFINITY) return 0;
    return this.#fit.tokens(line.text) + Math.ceil(Math.max(0, cost - this.#fit.shown(line.text)) / 4);
  }

  /** Charges a line of context, which does not count for `limits.lines`. False, and no charge, if it does not fit. */
  takeContext(line: Line): boolean {
    const bytes = this.#fit.cost(line);
    const tokens = this.#tokensOf(line, bytes);
    if (bytes > this.#bytes || tokens > this.#tokens || this.#rows < 1) return false;
    this.#bytes -= bytes;
    this.#tokens -= tokens;
    this.#rows -= 1;
    return true;
  }
}

/** The default policy: whole lines until the budget is used up, oversized lines in slices. */
export const cutPolicy: TextPolicy = { overflow: 'cut', longLine: { as: 'slice' } };

/** The fit of a dialect's policy, a display and the limits of a call. Tokens are estimated if the host has no counter. */
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
