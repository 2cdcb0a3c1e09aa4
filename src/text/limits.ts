/** The default limits, which dialects change; how a host changes them; and their minimum values. */

import { OrielError } from '../errors.ts';
import type {
  CutBy,
  LimitName,
  Limits,
  LimitUnit,
  Line,
  LineDisplay,
  LongLine,
  TextEncoding,
  TextPolicy,
  TokenCounter,
} from '../types/excerpt.ts';
import { cutHead, cutTail } from './bytes.ts';
import { decode } from './encoding.ts';
import { didYouMean, nearNames } from './near.ts';
import { quote } from './visible.ts';

export const KIB = 1024;

/** Larger files have no tag that depends on nothing but their text; the edit tool of oh-my-pi has the same limit. */
export const MAX_TAGGED_TEXT_BYTES = 4 * KIB * KIB;

/** A text of up to this many bytes is shown in full, longer code as its map. */
export const MAX_WHOLE_BYTES = 12 * KIB;

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

export type LimitOptions = { readonly [K in LimitName]?: number } & {
  /** What `bytes` and `line` count; in `pi`, `coder` and `zdx`, whose answers name bytes, always these. @default 'bytes' */
  readonly unit?: LimitUnit | undefined;
};

/** The size of a shown text as `limits.bytes` counts it. */
export function shownSize(text: string, { unit }: Pick<Limits, 'unit'>): number {
  return unit === 'characters' ? text.length : Buffer.byteLength(text);
}

/** Maximum bytes of UTF-8 that count as one. */
export function bytesPerUnit({ unit }: Pick<Limits, 'unit'>): number {
  return unit === 'characters' ? 3 : 1;
}

/** Minimum values. With fewer bytes a line number and one character would not fit. */
export const MIN_LIMITS: Readonly<Record<LimitName, number>> = {
  lines: 1,
  answerLines: 8,
  bytes: 64,
  line: 64,
  tokens: 32,
  window: 1,
  windowMax: 64,
  countBytes: 0,
};

export const limitNames = Object.keys(MIN_LIMITS) as LimitName[];

/** If a host lowers `lines`: lines that an answer may have in addition, for context and gaps. */
const EXTRA_LINES = 8;

/**
 * The dialect's limits, changed by those of a host. Lowering `lines` also lowers `answerLines`, for answers of every kind.
 * Changing `bytes` also changes `line`, `window` and `windowMax`, unless these are given too. Throws `BAD_INPUT`.
 */
export function limitsWith(base: Limits, options: LimitOptions = {}): Limits {
  const { unit, ...numbers } = options;
  for (const [name, value] of Object.entries(numbers)) check(name, value);
  if (unit !== undefined && unit !== 'bytes' && unit !== 'characters')
    throw new OrielError('BAD_INPUT', "The limit unit is 'bytes' or 'characters'.");
  const given = Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as LimitOptions;
  const counted = given.unit ?? (given.bytes === undefined ? base.unit : undefined);
  const limits: Limits = {
    ...base,
    ...given,
    unit: base.unit === 'bytes' ? base.unit : counted === 'characters' ? counted : undefined,
  };
  const lowered = given.lines !== undefined && given.lines < base.lines;
  const answerLines = given.answerLines ?? (lowered ? limits.lines + EXTRA_LINES : base.answerLines);
  if (given.bytes === undefined) return capped({ ...limits, answerLines });
  const stored = given.bytes * bytesPerUnit(limits);
  return capped({
    ...limits,
    answerLines,
    line: given.line ?? Math.min(base.line, given.bytes),
    windowMax: given.windowMax ?? (given.bytes < base.bytes ? stored : Math.max(base.windowMax, stored)),
    window: given.window ?? Math.min(base.window, stored),
  });
}

/** A default window is at most as large as the largest window. */
function capped(limits: Limits): Limits {
  return { ...limits, window: Math.min(limits.window, limits.windowMax) };
}

/** Throws `BAD_INPUT` for an unknown name, a value that is no number or too small, and NaN. */
function check(name: string, value: unknown): void {
  if (!Object.hasOwn(MIN_LIMITS, name)) {
    throw new OrielError(
      'BAD_INPUT',
      `There is no limit ${quote(name)}. Use one of ${limitNames.join(', ')}.${didYouMean(nearNames(name, limitNames))}`,
    );
  }
  if (value === undefined) return;
  if (typeof value !== 'number') throw new OrielError('BAD_INPUT', `The limit ${name} is a number.`);
  const least = MIN_LIMITS[name as LimitName];
  if (!(value >= least)) {
    const near = limitNames.filter((other) => other === `${name}s`);
    throw new OrielError('BAD_INPUT', `The limit ${name} is at least ${least}.${didYouMean(near)}`);
  }
}

// What fits into an answer: the cost of a line as shown, the remaining budget, and the test for oversized lines.

/** How lines are fitted into an answer. The costs come from a display, the rest from a dialect. */
export interface AnswerFit {
  readonly limits: Limits;
  /** Maximum bytes of a prefix (line number or anchor). Whether a line is oversized does not depend on its actual prefix. */
  readonly prefix?: number | undefined;
  /** Bytes of the line as shown: prefix, escapes, markers and terminator included. */
  cost(line: Line): number;
  /** Bytes of a piece of text as shown, without a prefix. */
  shown(text: string): number;
  readonly tokens: TokenCounter;
  /** `cut`: show whole lines until the budget is used up. `refuse`: show nothing unless everything fits. */
  readonly overflow: 'cut' | 'refuse';
  readonly longLine: LongLine;
  /** See `TextPolicy`. */
  readonly bareLines?: boolean | undefined;
  /**
   * The next call has larger limits: a line that is oversized here may not be oversized there, and a byte window would
   * begin at its start again.
   */
  readonly nextIsLarger?: boolean | undefined;
}

/** Maximum shown bytes of a line that is the only one of an answer. */
function lineBudget({ limits, prefix = 0 }: AnswerFit): number {
  return Math.min(limits.bytes, limits.line, shownOfWindow(limits), limits.tokens * 4) - prefix;
}

/** Maximum shown bytes of a slice in a byte window. */
export function windowBudget({ limits, prefix = 0 }: AnswerFit): number {
  return Math.min(shownOfWindow(limits), limits.tokens * 4) - prefix;
}

/** Maximum shown bytes, or characters, of a byte window. */
export function shownOfWindow(limits: Limits): number {
  return Math.floor(limits.windowMax / bytesPerUnit(limits));
}

/** Maximum tokens of a line that is the only one of an answer. */
function lineTokens({ limits, prefix = 0 }: AnswerFit): number {
  return limits.tokens - prefix / 4;
}

/** Bytes to hold beyond what may be shown: the held bytes may end inside a character, and the cut has to be before it. */
export const SPARE = 256;

/** Stored bytes of a line that must be held to decide whether it is oversized, and to slice it. */
export function holdFor(fit: AnswerFit, encoding: TextEncoding): number {
  const { longLine, limits } = fit;
  if (longLine.kind === 'clip') return (longLine.at + 8) * 4;
  return Math.min(limits.bytes, limits.line) * bytesPerUnit(limits) * encoding.unit + SPARE;
}

/** A line of at most this many stored bytes is never oversized: a byte is shown as at most 8 bytes or tokens. */
export function safeLength(fit: AnswerFit): number {
  return Math.min(lineBudget(fit), fit.limits.tokens) / 8;
}

/**
 * Whether a whole stored line is too large for an answer of its own. Line windows slice such a line; byte windows may
 * begin inside it. Both must use this function: if they disagreed, following their notices would loop.
 */
export function isOversized(
  stored: { readonly bytes: Uint8Array; readonly length: number },
  encoding: TextEncoding,
  fit: AnswerFit,
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
  encoding: TextEncoding,
  fit: AnswerFit,
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
export class AnswerBudget {
  #lines: number;
  /** Remaining lines of any kind: requested lines, context and gaps. */
  #rows: number;
  #bytes: number;
  #tokens: number;
  readonly #fit: AnswerFit;

  constructor(fit: AnswerFit, limits: { lines: number; bytes: number; tokens: number }) {
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
    // Below a folded run stands a line about it.
    const rows = line.folded ? 2 : 1;
    if (this.lines < rows) return 'lines';
    const bytes = this.#fit.cost(line);
    if (bytes > this.#bytes) return 'bytes';
    const tokens = this.#tokensOf(line, bytes);
    if (tokens > this.#tokens) return 'tokens';
    this.#spend(bytes, tokens, rows);
    return undefined;
  }

  /** Charges a line that is shown even if it exceeds the budget. In that case nothing else fits afterwards. */
  charge(line: Line): void {
    const bytes = this.#fit.cost(line);
    this.#spend(bytes, this.#tokensOf(line, bytes));
  }

  #spend(bytes: number, tokens: number, rows = 1): void {
    this.#lines -= rows;
    this.#rows -= rows;
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
export const cutPolicy: TextPolicy = { overflow: 'cut', longLine: { kind: 'slice' } };

/** The fit of a dialect's policy, a display and the limits of a call. Tokens are estimated if the host has no counter. */
export function fitOf(
  policy: TextPolicy,
  display: LineDisplay,
  limits: Limits,
  tokens?: TokenCounter,
): AnswerFit {
  const bytes = policy.cost ?? display.cost ?? ((line: Line) => Buffer.byteLength(display.show(line)));
  const characters = (line: Line): number => (line.ascii ? bytes(line) : display.show(line).length);
  return {
    limits,
    prefix: display.prefix ?? 0,
    cost: limits.unit === 'characters' && !policy.cost ? characters : bytes,
    shown: (text) => shownSize(display.text(text), limits),
    tokens: tokens ?? estimateTokens,
    overflow: policy.overflow,
    longLine: policy.longLine,
    bareLines: policy.bareLines ? true : undefined,
  };
}
