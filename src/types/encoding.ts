/** The encoding of a text, and the scanner that finds its newlines in stored bytes. */

export interface Encoding {
  /** The name of the WHATWG Encoding standard, in lower case. */
  readonly name: UnicodeName | (string & {});
  /** How the encoding was determined, if not from a byte order mark or the first bytes. */
  readonly known?: 'declared' | 'told' | 'guessed';
  /** Another encoding to try if the text has invalid sequences in this one. */
  readonly perhaps?: string;
  /** Not Unicode. */
  readonly legacy?: true;
  /** Bytes of a code unit. */
  readonly unit: 1 | 2 | 4;
  /** Bytes of the byte order mark at the start of the text; 0 if there is none. */
  readonly bom: number;
  readonly scanner: Scanner;
}

export type UnicodeName = 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32le' | 'utf-32be';

/** Counts and finds newlines. Works on bytes for UTF-8 and single-byte encodings, on code units for UTF-16 and UTF-32. */
export interface Scanner {
  /** The number of newlines in `bytes`. */
  count(bytes: Uint8Array): number;
  /** The position just after the k-th newline (k ≥ 1) in `bytes` at or after `from`, or -1 when it holds fewer. */
  after(bytes: Uint8Array, k: number, from?: number): number;
}
