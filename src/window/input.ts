/** The input of a window: stored bytes, their encoding, their line index, and whether lines are counted. */

import { decode } from '../text/encoding.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Encoding } from '../types/encoding.ts';
import type { Line } from '../types/excerpt.ts';
import type { StoredLine } from './line-reader.ts';
import type { LineIndex, OnScan } from './line-index.ts';

export interface TextInput {
  readonly source: ByteSource;
  readonly encoding: Encoding;
  readonly index: LineIndex;
  /** Whether lines are counted: then excerpts have totals, and lines of byte windows have numbers. */
  readonly counted: boolean;
  readonly signal?: AbortSignal;
  readonly onScan?: OnScan;
}

/** Makes a `Line` of a whole stored line; adds its number of invalid sequences to `tally`. */
export function wholeLine(
  stored: StoredLine,
  no: number | undefined,
  encoding: Encoding,
  tally: { invalid: number },
): Line {
  const { start, text } = stored;
  if (text === undefined) return toLine(stored.bytes, start, no, encoding, tally);
  const end = start + stored.length;
  return no === undefined
    ? { start, end, text, ascii: true, role: 'asked' }
    : { no, start, end, text, ascii: true, role: 'asked' };
}

/** Makes a `Line` of stored bytes; adds their number of invalid sequences to `tally`. */
export function toLine(
  bytes: Uint8Array,
  start: number,
  no: number | undefined,
  encoding: Encoding,
  tally: { invalid: number },
): Line {
  const { text, invalid } = decode(bytes, encoding);
  tally.invalid += invalid;
  const end = start + bytes.length;
  return no === undefined ? { start, end, text, role: 'asked' } : { no, start, end, text, role: 'asked' };
}
