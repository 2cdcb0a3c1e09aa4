/** The budget of one answer. */

/** The budget of one answer. All limits are inclusive and count what is shown, prefixes and escapes included. */
export interface Limits {
  /** Lines of one answer. */
  readonly lines: number;
  /** Lines of an answer of any kind: lists, byte windows, and what is between and around lines too. Infinity for no such limit. */
  readonly answerLines: number;
  /** Bytes of UTF-8 of one answer; notices come on top (1 KiB at most). */
  readonly bytes: number;
  /** Bytes of one line: a longer one is cut, dropped or refused as the fit says. */
  readonly line: number;
  /** Estimated tokens of one answer; Infinity for no such limit. */
  readonly tokens: number;
  /** Bytes of a byte window that names no length. */
  readonly window: number;
  /** The most bytes a byte window may have. */
  readonly windowMax: number;
  /** Files up to this many bytes have their lines counted; above it answers speak in bytes. */
  readonly countBytes: number;
}

export type LimitName = keyof Limits;

/** Tokens of a text. */
export type TokenCounter = (text: string) => number;
