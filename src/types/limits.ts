/** The limits of an answer. */

/** The budget of one answer. All limits are inclusive and count what is shown, prefixes and escapes included. */
export interface Limits {
  /** Lines of one answer. */
  readonly lines: number;
  /** Lines of any answer, including lists, byte windows, context and gaps. Infinity for no limit. */
  readonly answerLines: number;
  /** Bytes of UTF-8 of one answer; notices come on top (1 KiB at most). */
  readonly bytes: number;
  /** Bytes of one line: a longer one is cut, dropped or refused as the fit says. */
  readonly line: number;
  /** Estimated tokens of one answer; Infinity for no such limit. */
  readonly tokens: number;
  /** Bytes of a byte window without a length. */
  readonly window: number;
  /** The most bytes a byte window may have. */
  readonly windowMax: number;
  /** Lines are counted in files up to this many bytes; for larger files answers use byte offsets. */
  readonly countBytes: number;
}

export type LimitName = keyof Limits;

/** Tokens of a text. */
export type TokenCounter = (text: string) => number;
