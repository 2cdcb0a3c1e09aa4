/**
 * Reads line numbers and offsets from ripgrep's output, without the text of the lines. `--max-columns=1`
 * leaves out every text but the shortest, so a line of 50 MB costs as much as any other.
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
  /** 1-based. */
  readonly no: number;
  /** Where the line begins, in bytes of the text as UTF-8 without its byte order mark. */
  readonly offset: number;
  /** A context line otherwise. */
  readonly match: boolean;
  /** Where in the text a match begins on this line, where that is known. */
  readonly at?: number;
}

/** Longer than an address and the words that stand for the text. */
const MOST_RECORD = 256;

/** A record is `no:offset:rest LF`, with `-` for `:` on context lines. */
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
