/**
 * Bytes of bodies that have not been answered yet, bounded for one client and in all before a body is read. Whoever
 * stalls gives way: of one client after a second, in all the one that has sent nothing for longest.
 */

import { OrielError } from '../../errors.ts';
import type { Caller } from '../../queues/caller.ts';
import { monotonicMs } from '../outbox.ts';

/** Of one client: four of the largest. */
const CLIENT_BYTES = 16 << 20;

/** Of all clients, whatever names they give themselves. */
const TOTAL_BYTES = 64 << 20;

/** A body of which nothing comes for so long gives way to another of its client. */
const STALLED_MS = 1_000;

/** Bodies that are being read; the one that has sent nothing for longest first. */
const reading = new Set<Parcel>();
/** Bytes by client. */
const held = new Map<Caller, number>();
let total = 0;
let refused = 0;

/** Of the whole process: bytes that bodies take or will take, and bodies that were refused because of others. */
export const inbox = {
  get bytes(): number {
    return total;
  },
  get refused(): number {
    return refused;
  },
};

/** The room that one body takes, until it is released. */
export class Parcel {
  readonly client: Caller;
  /** When something of it has last come, on the clock of `monotonicMs`. */
  cameAt = monotonicMs();
  #bytes = 0;
  readonly #refuse: (error: OrielError) => void;

  /** `refuse` hears that the body must give way to another one; its room is released then. */
  constructor(client: Caller, refuse: (error: OrielError) => void) {
    this.client = client;
    this.#refuse = refuse;
  }

  /** Makes its room as large as this. Throws `BUSY` where there is none. */
  grow(bytes: number): void {
    this.cameAt = monotonicMs();
    reading.delete(this);
    const more = bytes - this.#bytes;
    if (more > 0) {
      makeRoom(this.client, more, this.cameAt);
      this.#take(more);
    }
    reading.add(this);
  }

  /** All of it has come: from now on it keeps its room. */
  complete(): void {
    reading.delete(this);
  }

  release(): void {
    reading.delete(this);
    this.#take(-this.#bytes);
  }

  giveWay(): void {
    this.release();
    refused += 1;
    this.#refuse(busy());
  }

  #take(bytes: number): void {
    this.#bytes += bytes;
    total += bytes;
    const of = (held.get(this.client) ?? 0) + bytes;
    if (of > 0) held.set(this.client, of);
    else held.delete(this.client);
  }
}

function makeRoom(client: Caller, bytes: number, now: number): void {
  for (const other of reading) {
    const own = (held.get(client) ?? 0) + bytes > CLIENT_BYTES;
    if (!own && total + bytes <= TOTAL_BYTES) return;
    if (own ? other.client === client && now - other.cameAt >= STALLED_MS : true) other.giveWay();
  }
  if ((held.get(client) ?? 0) + bytes <= CLIENT_BYTES && total + bytes <= TOTAL_BYTES) return;
  refused += 1;
  throw busy();
}

function busy(): OrielError {
  return new OrielError(
    'BUSY',
    'Too many bodies of requests are being read. Make the same request again in a moment.',
  );
}
