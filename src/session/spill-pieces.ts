/**
 * Stores kept outputs in the shared store: a head under the number of the output, and pieces under the id in the head.
 * This file sends, removes and copies outputs; it does not choose their numbers.
 */

import { randomBytes } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { writeFailure } from '../access/system-failure.ts';
import { OrielError } from '../errors.ts';
import { batchesOf, lengthOf, PIECE } from '../state/value-pieces.ts';
import { removePieces } from '../state/work-values.ts';
import type { Spill, SpillSink } from '../types/session.ts';
import type { StateName, StateSpace } from '../types/state.ts';

/** The most bytes of a shared output; a larger one stays on the replica that made it. */
const MOST_SHARED: number = 64 << 20;

/** The daily quota: bytes of outputs that one client may share. */
const MOST_IN_A_DAY: number = 512 << 20;

const DAY_MS = 24 * 60 * 60_000;

/** How long other replicas can read an output, in ms. */
export const KEEP_MS: number = DAY_MS;

/** Timeouts for sending and for copying one output, in ms. */
const SENDING_MS = 5_000;
const COPYING_MS = 20_000;

export interface Head {
  /**
   * Random, and a part of the keys of the pieces, so that pieces of another output with the same number are never used.
   */
  readonly id: string;
  readonly bytes: number;
  readonly capped: boolean;
}

/** The pending cleanup of an output that the store did not accept: bytes to subtract from the quota, and stored pieces. */
interface Owed {
  readonly bytes: number;
  readonly today: StateName;
  readonly head?: Head;
}

/** The most pending cleanups; those beyond it stay in the store until they expire. */
const MOST_OWED = 100;

export function headName(number: number): StateName {
  return { kind: 'spill', of: [number] };
}

/** The reason, for a message, why the store has not accepted a value. */
export function whyNot({ isUp }: StateSpace): string {
  return isUp ? 'the shared store does not take it' : STORE_AWAY;
}

const STORE_AWAY = 'the shared store does not answer';

export interface SpillPiecesOptions {
  /** The owner of these outputs if several clients share the space, because each has its own quota. */
  readonly of: string | undefined;
  readonly now: () => number;
}

export class SpillPieces {
  readonly #space: StateSpace;
  readonly #options: SpillPiecesOptions;
  /** Cleanups that failed because the store was unavailable; the next output retries them. */
  readonly #owed: Owed[] = [];

  constructor(space: StateSpace, options: SpillPiecesOptions) {
    this.#space = space;
    this.#options = options;
  }

  /**
   * Stores all pieces and returns the result of `publish`: the number of the output, or the reason why it has none.
   * Without a number nothing stays in the store or counts towards the daily quota.
   */
  async send(
    { bytes, capped, path }: Spill,
    publish: (head: Head) => Promise<number | string>,
  ): Promise<number | string> {
    if (bytes > MOST_SHARED) return `it is larger than ${MOST_SHARED >> 20} MiB`;
    const today = this.#quota();
    const owed = this.#owed.splice(0);
    const used = await this.#space.add(today, bytes - bytesOf(owed, today), 0, 2 * DAY_MS);
    if (used === 'away') {
      this.#owed.push(...owed);
      return whyNot(this.#space);
    }
    // Not awaited: if the store is slow or unavailable, the pieces expire.
    for (const { head: lost } of owed) if (lost) void this.#removePieces(lost);
    if (used > MOST_IN_A_DAY) {
      await this.#takeBack({ bytes, today });
      return `more than ${MOST_IN_A_DAY >> 20} MiB were shared today`;
    }
    const head: Head = { id: randomBytes(12).toString('base64url'), bytes, capped };
    let sent: number | string = STORE_AWAY;
    try {
      return (sent = (await this.#put(head, path)) ?? (await publish(head)));
    } finally {
      if (typeof sent === 'string') void this.#takeBack({ bytes, today, head });
    }
  }

  /** Writes an output to `sink`. For `'away'` (store unavailable) and `'missing'` (piece expired) only a part is written. */
  async copy(head: Head, sink: Pick<SpillSink, 'write'>): Promise<'whole' | 'away' | 'missing'> {
    const end = performance.now() + COPYING_MS;
    for (const batch of batchesOf(head.bytes)) {
      const pieces = await Promise.all(batch.map((index) => this.#space.get(pieceName(head, index))));
      for (const [i, piece] of pieces.entries()) {
        if (piece === 'away' || performance.now() > end) return 'away';
        if (piece?.length !== lengthOf(batch[i] as number, head.bytes)) return 'missing';
        await sink.write(piece);
      }
    }
    return 'whole';
  }

  #quota(): StateName {
    const { of, now } = this.#options;
    const day = Math.floor(now() / DAY_MS);
    return { kind: 'quota', of: ['spill', day, ...(of === undefined ? [] : [of])] };
  }

  /** Stores all pieces; returns the reason if that failed, undefined otherwise. */
  async #put(head: Head, path: string): Promise<string | undefined> {
    const end = performance.now() + SENDING_MS;
    const file = await open(path, 'r').catch((error: unknown) => {
      throw writeFailure(error, 'The full output could not be kept');
    });
    try {
      for (const batch of batchesOf(head.bytes)) {
        if (performance.now() > end) return `the shared store took longer than ${SENDING_MS / 1000} seconds`;
        const puts = batch.map(async (index) =>
          this.#space.put(pieceName(head, index), await readPiece(file, index, head.bytes), KEEP_MS),
        );
        if ((await Promise.all(puts)).includes(false)) return whyNot(this.#space);
      }
      return undefined;
    } finally {
      await file.close();
    }
  }

  async #takeBack(owed: Owed): Promise<void> {
    const { bytes, today, head } = owed;
    if ((await this.#space.add(today, -bytes, 0, 2 * DAY_MS)) !== 'away')
      return head && this.#removePieces(head);
    if (this.#owed.length < MOST_OWED) this.#owed.push(owed);
  }

  #removePieces(head: Head): Promise<void> {
    return removePieces(this.#space, (index) => pieceName(head, index), head.bytes);
  }
}

/** Bytes of the cleanups that belong to the quota of that day. */
function bytesOf(owed: readonly Owed[], today: StateName): number {
  return owed.filter((one) => one.today.of[1] === today.of[1]).reduce((sum, { bytes }) => sum + bytes, 0);
}

function pieceName({ id }: Head, index: number): StateName {
  return { kind: 'piece', of: [id, index] };
}

/** Reads a piece (0-based index). Throws OrielError (`LIMIT`) if the file has become shorter. */
async function readPiece(file: FileHandle, index: number, bytes: number): Promise<Buffer> {
  const piece = Buffer.allocUnsafe(lengthOf(index, bytes));
  for (let done = 0; done < piece.length;) {
    const { bytesRead } = await file.read(piece, done, piece.length - done, index * PIECE + done);
    if (bytesRead === 0) throw new OrielError('LIMIT', 'The full output was removed while it was shared.');
    done += bytesRead;
  }
  return piece;
}
