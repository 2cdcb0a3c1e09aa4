/**
 * Bytes of bodies that have not been answered yet, bounded for one client, for one network address and in all before a
 * body is read. Whoever stalls gives way to others of its client or address after a second. Of all, the address that has
 * most gives way to one that has less: a few addresses cannot hold all room.
 */

import { OrielError } from '../../errors.ts';
import { type Caller, type Origin, originOf } from '../../queues/caller.ts';
import { monotonicMs } from '../outbox.ts';

/** Of one client: four of the largest. */
const CLIENT_BYTES = 16 << 20;

/** Of all clients, and of those at one address, whatever names they give themselves: some room stays for the others. */
const TOTAL_BYTES = 64 << 20;
const ORIGIN_BYTES = TOTAL_BYTES - CLIENT_BYTES;

/** A body of which nothing comes for so long gives way to another of its client. */
const STALLED_MS = 1_000;

/** Bodies that are being read; the one that has sent nothing for longest first. */
const reading = new Set<Parcel>();
/** Bodies whose requests are being answered, the oldest first. */
const complete = new Set<Parcel>();
/** Bytes by client and by origin; a client that comes from nowhere else is its own origin, and is counted once. */
const held = new Map<Caller | Origin, number>();
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
  /** Where its client came from with it: later it may come from elsewhere. */
  readonly origin: Origin;
  /** When something of it has last come, on the clock of `monotonicMs`. */
  cameAt = monotonicMs();
  #bytes = 0;
  readonly #refuse: (error: OrielError) => void;

  /** `refuse` hears that the body, or the request that it made, must give way to another one; its room is released then. */
  constructor(client: Caller, refuse: (error: OrielError) => void) {
    this.client = client;
    this.origin = originOf(client);
    this.#refuse = refuse;
  }

  /** Makes its room as large as this. Throws `BUSY` where there is none. */
  grow(bytes: number): void {
    this.cameAt = monotonicMs();
    reading.delete(this);
    const more = bytes - this.#bytes;
    if (more > 0) {
      makeRoom(this, more);
      this.#take(more);
    }
    reading.add(this);
  }

  /** All of it has come. */
  complete(): void {
    reading.delete(this);
    complete.add(this);
  }

  release(): void {
    reading.delete(this);
    complete.delete(this);
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
    for (const holder of new Set([this.client, this.origin])) {
      const of = (held.get(holder) ?? 0) + bytes;
      if (of > 0) held.set(holder, of);
      else held.delete(holder);
    }
  }
}

function makeRoom(parcel: Parcel, bytes: number): void {
  for (const other of reading) {
    const full = fullest(parcel, bytes);
    if (full === undefined) return;
    if (full === 'all') break;
    const isItsOwn = full === 'client' ? other.client === parcel.client : other.origin === parcel.origin;
    if (isItsOwn && parcel.cameAt - other.cameAt >= STALLED_MS) other.giveWay();
  }
  while (fullest(parcel, bytes) === 'all') {
    const other = ofWhoeverHasMost(parcel, bytes);
    if (!other) break;
    other.giveWay();
  }
  if (fullest(parcel, bytes) === undefined) return;
  refused += 1;
  throw busy();
}

/**
 * A body of the address that has most, one that is still being read if there is any: undefined where that is no more than
 * what the address of `parcel` would have.
 */
function ofWhoeverHasMost({ origin }: Parcel, bytes: number): Parcel | undefined {
  let most = (held.get(origin) ?? 0) + bytes;
  let found: Parcel | undefined;
  for (const other of [...reading, ...complete]) {
    const has = held.get(other.origin) ?? 0;
    if (has > most) [most, found] = [has, other];
  }
  return found;
}

/** Whose room is not enough for so many bytes more. */
function fullest({ client, origin }: Parcel, bytes: number): 'client' | 'origin' | 'all' | undefined {
  if ((held.get(client) ?? 0) + bytes > CLIENT_BYTES) return 'client';
  if ((held.get(origin) ?? 0) + bytes > ORIGIN_BYTES) return 'origin';
  return total + bytes > TOTAL_BYTES ? 'all' : undefined;
}

function busy(): OrielError {
  return new OrielError(
    'BUSY',
    'Too many bodies of requests are being read. Make the same request again in a moment.',
  );
}
