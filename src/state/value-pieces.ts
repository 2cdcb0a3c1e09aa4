/** How a value that is too large for one entry of a shared store is cut. */

/** Bytes of a piece; the last one has what is left. */
export const PIECE: number = 512 << 10;

/** Pieces that are sent or read at once. */
const AT_ONCE = 4;

/** Bytes of the piece at `index` (0-based) of a value of `bytes` bytes. */
export function lengthOf(index: number, bytes: number): number {
  return Math.min(PIECE, bytes - index * PIECE);
}

/** The indexes of all pieces in order, as many together as are sent or read at once. */
export function* batchesOf(bytes: number): Generator<readonly number[]> {
  const count = Math.ceil(bytes / PIECE);
  for (let from = 0; from < count; from += AT_ONCE)
    yield Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => from + i);
}
