/** Splits values that are too large for one entry of the shared store into pieces. */

/** Bytes of a piece; the last one may be shorter. */
export const PIECE: number = 512 << 10;

/** Pieces that are sent or read concurrently. */
const AT_ONCE = 4;

/** Bytes of the piece at `index` (0-based) of a value of `bytes` bytes. */
export function lengthOf(index: number, bytes: number): number {
  return Math.min(PIECE, bytes - index * PIECE);
}

/** The indexes of all pieces in order, in groups that are sent or read concurrently. */
export function* batchesOf(bytes: number): Generator<readonly number[]> {
  const count = Math.ceil(bytes / PIECE);
  for (let from = 0; from < count; from += AT_ONCE)
    yield Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => from + i);
}
