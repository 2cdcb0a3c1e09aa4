/**
 * Messages of an MCP server: lines of JSON. Large ones are reduced in another process before they are parsed
 * here.
 */

import { setImmediate } from 'node:timers/promises';
import { OrielError } from '../../errors.ts';
import { GrowingBytes } from '../../text/growing-bytes.ts';

/**
 * Reduces a message to the fields that are used, as JSON; undefined if that takes too long or too much
 * memory. Runs in another process, because parsing a large message could take seconds here.
 */
export type Reduce = (message: Uint8Array) => Promise<Uint8Array | undefined>;

/** Bytes of a message that is parsed directly: 5 ms. */
export const MOST_PARSED = 256 << 10;

/** Lines that are processed before the event loop runs again. */
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
  // One growing buffer, because a Buffer for each piece would take about 300 bytes besides its content.
  const line = new GrowingBytes(most);
  let lines = 0;
  const add = (piece: Buffer): void => {
    if (line.length + piece.length > most) throw tooLarge(most);
    line.add(piece);
  };
  try {
    for await (const chunk of chunks) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
        const rest = chunk.subarray(from, end);
        if (line.length > 0 || rest.length > most) add(rest);
        const message = line.length > 0 ? line.copy() : rest;
        line.free();
        from = end + 1;
        // Lines without the name of the protocol are not messages.
        if (message.includes(VERSION)) yield await parsable(message, reduce);
        lines += 1;
        if (lines % LINES_AT_ONCE === 0) await setImmediate();
      }
      add(chunk.subarray(from));
    }
  } finally {
    line.free();
  }
}

export function tooLarge(most: number): OrielError {
  return new OrielError('LIMIT', `The MCP server sent more than ${most >> 20} MiB at once, and was ended.`);
}
