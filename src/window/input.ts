/** What a window is laid on: stored bytes with their encoding, their line index, and whether lines are counted. */

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
  /** Whether totals and the numbers of lines found by byte are stated. */
  readonly counted: boolean;
  readonly signal?: AbortSignal;
  readonly onScan?: OnScan;
}

/** A whole line as it was read; adds the invalid sequences it holds to `tally`. */
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

/** A shown line from its stored bytes; adds the invalid sequences it holds to `tally`. */
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
