/** How a kept output lies in the shared store: a head under its number, and pieces under the head's id. */

import type { FileHandle } from 'node:fs/promises';
import { OrielError } from '../errors.ts';
import type { StateName } from '../types/state.ts';

/** Bytes of a piece; the last one has what is left. */
const PIECE = 512 << 10;

/** Pieces that are sent or read at once. */
const AT_ONCE = 4;

export interface Head {
  /** Part of the keys of its pieces: they belong to this output and to no other of its number. */
  readonly id: string;
  readonly bytes: number;
  readonly capped: boolean;
}

export function headName(number: number): StateName {
  return { kind: 'spill', of: [number] };
}

export function pieceName({ id }: Head, index: number): StateName {
  return { kind: 'piece', of: [id, index] };
}

/** Bytes of the piece at `index`. */
export function lengthOf(index: number, bytes: number): number {
  return Math.min(PIECE, bytes - index * PIECE);
}

/** Throws OrielError (`LIMIT`) where the file has become shorter. */
export async function readPiece(file: FileHandle, index: number, bytes: number): Promise<Buffer> {
  const piece = Buffer.allocUnsafe(lengthOf(index, bytes));
  for (let done = 0; done < piece.length;) {
    const { bytesRead } = await file.read(piece, done, piece.length - done, index * PIECE + done);
    if (bytesRead === 0) throw new OrielError('LIMIT', 'The full output was removed while it was shared.');
    done += bytesRead;
  }
  return piece;
}

/** The indexes of all pieces in order, as many together as are sent or read at once. */
export function* batchesOf(bytes: number): Generator<readonly number[]> {
  const count = Math.ceil(bytes / PIECE);
  for (let from = 0; from < count; from += AT_ONCE)
    yield Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => from + i);
}
