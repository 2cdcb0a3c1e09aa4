/**
 * Limits the bytes of request bodies that were not answered yet: for each client, for each network address, and in total.
 * At a limit, bodies that have stalled for a second are evicted first, then bodies of the address with most bytes in favour
 * of one with fewer, so that a few addresses cannot use up the memory.
 */

import { OrielError } from '../../errors.ts';
import { type Caller, type Origin, originOf } from '../../queues/caller.ts';
import { monotonicMs } from '../outbox.ts';

/** Maximum of a client: four bodies of the maximum size. */
const CLIENT_BYTES = 16 << 20;

/** Maximum of all clients, and of all clients at one address, so that others always have room. */
const TOTAL_BYTES = 64 << 20;
const ORIGIN_BYTES = TOTAL_BYTES - CLIENT_BYTES;

/** A body without new bytes for this long may be evicted for any other. */
const STALLED_MS = 1_000;

/** Bodies that are being read, the longest inactive first. */
const reading = new Set<Parcel>();
/** Bodies whose requests are being answered, the oldest first. */
const complete = new Set<Parcel>();
/** The holder that stands for all clients. */
const EVERYBODY = {};
/** A client or its origin. They may be the same object, which is then counted once. */
type Holder = Caller | Origin;
const held = new Map<Holder, number>();
let refused = 0;

/** Counters of the whole process: reserved bytes of bodies, and bodies that were refused. */
export const inbox = {
  get bytes(): number {
    return held.get(EVERYBODY) ?? 0;
  },
  get refused(): number {
    return refused;
  },
};

/** The reserved bytes of a body, until they are released. */
export class Parcel {
  /** The origin of its client at this request; it may differ in later requests. */
  readonly origin: Origin;
  /** The holders to which it counts, with their maximum bytes: the client first, all clients last. */
  readonly holders: ReadonlyMap<Holder, number>;
  /** When its last bytes arrived, on the clock of `monotonicMs`. */
  cameAt = monotonicMs();
  #bytes = 0;
  readonly #refuse: (error: OrielError) => void;

  /** `refuse` is called when the body, or its request, is evicted; its bytes are then released. */
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

  /** Reserves `bytes` in total for this body. Throws `BUSY` at a limit. */
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

  /** Marks the body as completely received. */
  complete(): void {
    reading.delete(this);
    complete.add(this);
  }

  release(): void {
    reading.delete(this);
    complete.delete(this);
    this.#take(-this.#bytes);
  }

  evict(): void {
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
  for (const other of evicted) other.evict();
}

/** The bodies to evict for `bytes` more bytes; undefined if that would not be enough. */
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

  // Incomplete bodies are evicted first.
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

  // Drops bodies that need not be evicted, because a larger one was chosen later.
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
