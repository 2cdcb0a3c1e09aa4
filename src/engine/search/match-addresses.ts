/**
 * Parses line numbers and offsets from ripgrep's output, without the text of lines. `--max-columns=1` omits every text but
 * the shortest, so a line of 50 MB costs as much as any other.
 */

import { OrielError } from '../../errors.ts';

export const ADDRESS_FLAGS = [
  '--line-number',
  '--byte-offset',
  '--no-column',
  '--no-context-separator',
  '--max-columns=1',
];

export interface Address {
  /** The line number, 1-based. */
  readonly no: number;
  /** The offset of the line (0-based), in bytes of the text as UTF-8 without byte order mark. */
  readonly offset: number;
  /** False for a context line. */
  readonly match: boolean;
  /** The offset in the text where a match begins on this line, if known. */
  readonly at?: number;
}

/** The most bytes of a record; an address with ripgrep's placeholder for the text is shorter. */
const MOST_RECORD = 256;

/** Parses records of the form `no:offset:rest LF`, with `-` instead of `:` on context lines. */
export async function* addresses(chunks: AsyncIterable<Buffer>): AsyncGenerator<Address[], void> {
  let text = '';
  for await (const chunk of chunks) {
    text += chunk.toString('latin1');
    const batch: Address[] = [];
    let at = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
      batch.push(parse(text.slice(at, Math.min(end, at + MOST_RECORD))));
      at = end + 1;
    }
    text = text.slice(at);
    if (text.length > MOST_RECORD) throw unreadable();
    if (batch.length > 0) yield batch;
  }
}

function parse(record: string): Address {
  const parts = /^(\d+)([:-])(\d+)\2/.exec(record);
  if (!parts) throw unreadable();
  return { no: Number(parts[1]), offset: Number(parts[3]), match: parts[2] === ':' };
}

function unreadable(): OrielError {
  return new OrielError('INTERNAL', 'The output of ripgrep could not be understood.');
}
