/** How a kept output lies in the shared store: a head under its number, and pieces under the head's id. */

import type { FileHandle } from 'node:fs/promises';
import { OrielError } from '../errors.ts';
import { lengthOf, PIECE } from '../state/pieces.ts';
import type { StateName } from '../types/state.ts';

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
