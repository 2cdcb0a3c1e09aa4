/** Owns looking backwards: where the line that holds or precedes a byte begins. */

import { readAt } from '../access/bytes.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Encoding, Scanner } from '../types/encoding.ts';

interface Stored {
  readonly source: ByteSource;
  readonly encoding: Encoding;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The start of the line whose bytes reach up to `end` (exclusive; the terminator that ends just there belongs to
 * it), or undefined when it begins more than `hold` bytes before. `end` lies on a code unit.
 */
export async function startOfLineBefore(
  end: number,
  hold: number,
  { encoding, source, signal }: Stored,
): Promise<{ start: number | undefined; bytes: Uint8Array }> {
  const { unit, bom, scanner } = encoding;
  let from = end;
  let bytes: Uint8Array = new Uint8Array(0);
  for (let step = 4096; ; step *= 4) {
    const next = Math.max(bom, end - Math.min(step, hold + unit));
    const more = await readAt(source, next, from - next, signal);
    bytes = Buffer.concat([more, bytes]);
    from = next;
    const start = lastStart(bytes.subarray(0, bytes.length - unit), unit, scanner);
    if (start !== undefined) return { start: from + start, bytes: bytes.subarray(start) };
    if (from === bom) return { start: bom, bytes };
    if (end - from >= hold + unit) return { start: undefined, bytes: bytes.subarray(unit) };
  }
}

/** The position after the last newline in `bytes`, or undefined when there is none. */
function lastStart(bytes: Uint8Array, unit: number, scanner: Scanner): number | undefined {
  if (unit === 1) {
    const at = bytes.lastIndexOf(10);
    return at === -1 ? undefined : at + 1;
  }
  const newlines = scanner.count(bytes);
  return newlines === 0 ? undefined : scanner.after(bytes, newlines);
}

const BLOCK = 64 << 10;

/** The same bytes for a reader that goes backwards: a block is read once, not once for each line in it. */
export function readBehind(source: ByteSource): ByteSource {
  let block: Uint8Array = new Uint8Array(0);
  let from = 0;
  return {
    get size() {
      return source.size;
    },
    identity: source.identity,
    async readInto(target, offset, signal) {
      const end = offset + target.length;
      if (offset < from || end > from + block.length) {
        if (target.length > BLOCK) return source.readInto(target, offset, signal);
        from = Math.max(0, end - BLOCK);
        block = await readAt(source, from, end - from, signal);
      }
      const part = block.subarray(offset - from, end - from);
      target.set(part);
      return part.length;
    },
  };
}
