/**
 * Bytes of bodies that have not been answered yet, bounded for one client, for one network address and in all before a
 * body is read. When there is no room, bodies that have stalled for a second are evicted first, then those of the address
 * that has most, for one that has less: a few addresses cannot hold all room.
 */

import { OrielError } from '../../errors.ts';
import { type Caller, type Origin, originOf } from '../../queues/caller.ts';
import { monotonicMs } from '../outbox.ts';

/** Of one client: four of the largest. */
const CLIENT_BYTES = 16 << 20;

/** Of all clients, and of those at one address, whatever names they give themselves: some room stays for the others. */
const TOTAL_BYTES = 64 << 20;
const ORIGIN_BYTES = TOTAL_BYTES - CLIENT_BYTES;

/** A body of which nothing comes for so long is evicted for any other. */
const STALLED_MS = 1_000;

/** Bodies that are being read; the one that has sent nothing for longest first. */
const reading = new Set<Parcel>();
/** Bodies whose requests are being answered, the oldest first. */
const complete = new Set<Parcel>();
/** Stands for all clients. */
const EVERYBODY = {};
/** A client that comes from nowhere else is its own origin, and is counted once. */
type Holder = Caller | Origin;
const held = new Map<Holder, number>();
let refused = 0;

/** Of the whole process: bytes that bodies take or will take, and bodies that were refused because of others. */
export const inbox = {
  get bytes(): number {
    return held.get(EVERYBODY) ?? 0;
  },
  get refused(): number {
    return refused;
  },
};

/** The room that one body takes, until it is released. */
export class Parcel {
  /** Where its client came from with it: later it may come from elsewhere. */
  readonly origin: Origin;
  /** As whose it counts, and how many bytes each of them may have: its client first, all of them last. */
  readonly holders: ReadonlyMap<Holder, number>;
  /** When something of it has last come, on the clock of `monotonicMs`. */
  cameAt = monotonicMs();
  #bytes = 0;
  readonly #refuse: (error: OrielError) => void;

  /** `refuse` hears that the body, or the request that it made, must be evicted to another one; its room is released then. */
  constructor(client: Caller, refuse: (error: OrielError) => void) {
    this.origin = originOf(client);
    this.holders = new Map([
      [client, CLIENT_BYTES],
      ...(this.origin === client ? [] : [[this.origin, ORIGIN_BYTES] as const]),
      [EVERYBODY, TOTAL_BYTES],
    ]);
    this.#refuse = refuse;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Makes its room as large as this. Throws `BUSY` if there is none. */
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
    for (const holder of this.holders.keys()) {
      const of = (held.get(holder) ?? 0) + bytes;
      if (of > 0) held.set(holder, of);
      else held.delete(holder);
    }
  }
}

function makeRoom(parcel: Parcel, bytes: number): void {
  const evicted = evictedFor(parcel, bytes);
  if (!evicted) {
    refused += 1;
    throw busy();
  }
  for (const other of evicted) other.giveWay();
}

/** Whom so many bytes more evict: undefined if that would not make room. */
function evictedFor(parcel: Parcel, bytes: number): ReadonlySet<Parcel> | undefined {
  const changes = new Map<Holder, number>();
  const evicted = new Set<Parcel>();
  const bytesOf = (holder: Holder): number => (held.get(holder) ?? 0) + (changes.get(holder) ?? 0);
  const add = ({ holders }: Parcel, more: number): void => {
    for (const holder of holders.keys()) changes.set(holder, (changes.get(holder) ?? 0) + more);
  };
  const evict = (other: Parcel): void => {
    evicted.add(other);
    add(other, -other.bytes);
  };
  const isFull = (holder: Holder): boolean => bytesOf(holder) > (parcel.holders.get(holder) ?? Infinity);
  const holders = [...parcel.holders.keys()];
  add(parcel, bytes);
  if (!holders.some(isFull)) return evicted;

  const silent = [...reading].filter((other) => parcel.cameAt - other.cameAt >= STALLED_MS);
  for (const holder of holders) {
    for (const other of silent) {
      if (isFull(holder) && other.holders.has(holder) && !evicted.has(other)) evict(other);
    }
  }
  if (holders.some((holder) => holder !== EVERYBODY && isFull(holder))) return undefined;

  // Bodies that are being read go first.
  const larger = new Map<Origin, Parcel[]>();
  for (const other of isFull(EVERYBODY) ? [...reading, ...complete] : []) {
    if (evicted.has(other) || bytesOf(other.origin) <= bytesOf(parcel.origin)) continue;
    const before = larger.get(other.origin);
    if (before) before.push(other);
    else larger.set(other.origin, [other]);
  }
  while (isFull(EVERYBODY)) {
    let most = parcel.origin;
    for (const origin of larger.keys()) if (bytesOf(origin) > bytesOf(most)) most = origin;
    const other = larger.get(most)?.shift();
    if (!other) return undefined;
    evict(other);
  }

  // A large one can make needless what was chosen before it.
  for (const other of [...evicted].reverse()) {
    add(other, other.bytes);
    if (holders.some(isFull)) add(other, -other.bytes);
    else evicted.delete(other);
  }
  return evicted;
}

function busy(): OrielError {
  return new OrielError(
    'BUSY',
    'Too many bodies of requests are being read. Make the same request again in a moment.',
  );
}
