/**
 * Owns ripgrep's addresses: which line of which file, and nothing of its text. `--max-columns=1` leaves out every
 * text but the empty one, so a line of 50 MB costs as much as any other.
 */

import { OrielError } from '../../errors.ts';
import { MAX_PATH } from '../../access/ripgrep.ts';

export const ADDRESS_FLAGS = [
  '--null',
  '--line-number',
  '--byte-offset',
  '--with-filename',
  '--no-heading',
  '--no-column',
  '--no-context-separator',
  '--max-columns=1',
];

export interface Address {
  /** As ripgrep printed it, one character a byte, without the leading `./`. */
  readonly path: string;
  /** 1-based. */
  readonly no: number;
  /** Where the line begins, in bytes of the text as UTF-8 without its byte order mark. */
  readonly offset: number;
  /** A context line otherwise. */
  readonly match: boolean;
}

/** Longer than the address and the words that stand for the text. */
const MOST_TAIL = 256;

/** A record is `./path NUL no:offset:rest LF`, with `-` for `:` on context lines. A path may hold line feeds. */
export async function* addresses(chunks: AsyncIterable<Buffer>): AsyncGenerator<Address[], void> {
  let text = '';
  for await (const chunk of chunks) {
    text += chunk.toString('latin1');
    const batch: Address[] = [];
    let at = 0;
    for (;;) {
      const nul = text.indexOf('\0', at);
      const end = nul === -1 ? -1 : text.indexOf('\n', nul);
      if (end === -1) break;
      batch.push(parse(text.slice(at, nul), text.slice(nul + 1, Math.min(end, nul + MOST_TAIL))));
      at = end + 1;
    }
    text = text.slice(at);
    if (text.length > MAX_PATH + MOST_TAIL) throw unreadable();
    if (batch.length > 0) yield batch;
  }
}

function parse(path: string, tail: string): Address {
  const parts = /^(\d+)([:-])(\d+)\2/.exec(tail);
  if (!parts) throw unreadable();
  return {
    path: path.slice('./'.length),
    no: Number(parts[1]),
    offset: Number(parts[3]),
    match: parts[2] === ':',
  };
}

function unreadable(): OrielError {
  return new OrielError('INTERNAL', 'The output of ripgrep could not be understood.');
}
