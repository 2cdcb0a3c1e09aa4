/** Messages of an MCP server as they come: lines of JSON, of which what is large is reduced before it is parsed here. */

import { setImmediate } from 'node:timers/promises';
import { OrielError } from '../../errors.ts';

/**
 * Leaves of a message what is read of it, as JSON; undefined where that takes too long or too much memory. It is done
 * elsewhere: to parse what a server sends may take seconds here.
 */
export type Reduce = (message: Uint8Array) => Promise<Uint8Array | undefined>;

/** Bytes of a message that is parsed as it is: 5 ms. */
export const MOST_PARSED = 256 << 10;

/** Lines that are looked at before others have their turn. */
const LINES_AT_ONCE = 64;

const NEWLINE = 10;
const VERSION = '"jsonrpc"';

/** Throws `LIMIT` for a message that cannot be reduced. */
export async function parsable(message: Uint8Array, reduce: Reduce): Promise<Uint8Array> {
  if (message.length <= MOST_PARSED) return message;
  const reduced = await reduce(message);
  if (reduced) return reduced;
  throw new OrielError('LIMIT', 'The MCP server sent a message that takes too long to parse, and was ended.');
}

/** Throws `LIMIT` for a line of more than `most` bytes, and for one that cannot be reduced. */
export async function* messagesIn(
  chunks: AsyncIterable<Buffer>,
  most: number,
  reduce: Reduce,
): AsyncGenerator<Uint8Array> {
  let pieces: Buffer[] = [];
  let [waiting, lines] = [0, 0];
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      const rest = chunk.subarray(from, end);
      const line = pieces.length === 0 ? rest : Buffer.concat([...pieces, rest]);
      [pieces, waiting, from] = [[], 0, end + 1];
      if (line.length > most) throw tooLarge(most);
      // Every message names its protocol.
      if (line.includes(VERSION)) yield await parsable(line, reduce);
      lines += 1;
      if (lines % LINES_AT_ONCE === 0) await setImmediate();
    }
    const rest = chunk.subarray(from);
    if (rest.length > 0) pieces.push(rest);
    waiting += rest.length;
    if (waiting > most) throw tooLarge(most);
  }
}

export function tooLarge(most: number): OrielError {
  return new OrielError('LIMIT', `The MCP server sent more than ${most >> 20} MiB at once, and was ended.`);
}
