/** Filters the server-sent events of an MCP server: large data is reduced before the client parses it. */

import { setImmediate } from 'node:timers/promises';
import { OrielError } from '../../errors.ts';
import { GrowingBytes } from '../../text/growing-bytes.ts';
import { MOST_PARSED, parsable, type Reduce, tooLarge } from './messages.ts';

const LF = 10;
const CR = 13;
const NEWLINE = Buffer.from('\n');
const DATA = Buffer.from('data:');

/** Maximum events of a response: the client takes tens of microseconds for each. */
const MOST_EVENTS = 10_000;

/**
 * Throws `LIMIT` for more than `MOST_EVENTS` events or a line of more than `most` bytes. Reduces large data that is on one
 * line, as servers write it. Large data on several lines is refused (`LIMIT`).
 */
export function eventsWith(reduce: Reduce, most: number): TransformStream<Uint8Array, Uint8Array> {
  const held = new GrowingBytes(most);
  let ofEvent = 0;
  let events = 0;
  const hold = (piece: Uint8Array): void => {
    if (held.length + piece.length > most) throw tooLarge(most);
    held.add(piece);
  };
  const passed = async (line: Buffer): Promise<Uint8Array> => {
    if (line.length > MOST_PARSED && line.subarray(0, DATA.length).equals(DATA)) {
      // The event is not empty: the blank line after it is needed.
      ofEvent += DATA.length;
      const data = await parsable(line.subarray(DATA.length), reduce);
      // Data that was not reduced has its newline.
      return Buffer.concat(data.at(-1) === LF ? [DATA, data] : [DATA, data, NEWLINE]);
    }
    if (isBlank(line)) events += 1;
    if (events > MOST_EVENTS) {
      throw new OrielError(
        'LIMIT',
        `The MCP server sent more than ${MOST_EVENTS} events at once, and was ended.`,
      );
    }
    ofEvent = isBlank(line) ? 0 : ofEvent + line.length;
    if (ofEvent <= MOST_PARSED) return line;
    throw new OrielError('LIMIT', 'The MCP server sent a large message in many lines, and was ended.');
  };
  return new TransformStream({
    async transform(chunk, controller) {
      const lines: Uint8Array[] = [];
      let from = 0;
      for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
        const rest = chunk.subarray(from, end + 1);
        from = end + 1;
        if (held.length > 0 || rest.length > most) hold(rest);
        const line = held.length > 0 ? held.copy() : Buffer.from(rest.buffer, rest.byteOffset, rest.length);
        held.free();
        // A blank line ends an event; further blank lines are dropped.
        if (ofEvent > 0 || !isBlank(line)) lines.push(await passed(line));
      }
      hold(chunk.subarray(from));
      if (lines.length > 0) controller.enqueue(Buffer.concat(lines));
      await setImmediate();
    },
    async flush(controller) {
      if (held.length > 0) controller.enqueue(await passed(held.copy()));
    },
  });
}

function isBlank(line: Buffer): boolean {
  return line[0] === LF || (line[0] === CR && line[1] === LF);
}
