/**
 * The cache of derived data that replicas share: pages, GitHub replies and converted documents that one replica has
 * read are found by the others in the shared store. The second level is the cache on the local disk, which also answers
 * while the shared store is unavailable.
 */

import { randomInt } from 'node:crypto';
import type { CachePart, DiskCache, SnapshotStore, TakePiece } from '../../../../src/types/session.ts';
import type { StateName, StateSpace } from '../../../../src/types/state.ts';
import { oriel } from '../oriel.ts';
import {
  CACHE_MS,
  cacheName,
  getLarge,
  MAX_SHARED_VALUE_BYTES,
  MissingPiece,
  putLarge,
  removeLarge,
} from '../state/values.ts';

/** The most bytes that are being sent to the store at a time; beyond that, values stay on this machine. */
const MAX_SENDING_BYTES: number = 32 << 20;

interface OwnCache extends DiskCache {
  close(): Promise<void>;
}

export class SharedCache implements OwnCache {
  readonly #own: OwnCache;
  readonly #space: StateSpace;
  /** The last pending operation of each key. */
  readonly #working = new Map<string, Promise<void>>();
  #sending = 0;
  #hits = 0;
  #misses = 0;

  constructor(own: OwnCache, space: StateSpace) {
    this.#own = own;
    this.#space = space;
  }

  get lookups(): { readonly hits: number; readonly misses: number } {
    return { hits: this.#hits, misses: this.#misses };
  }

  /** Looks in the shared store first, because another replica may have a newer version of the page. */
  async get(key: string): Promise<Buffer | undefined> {
    const value = (await this.#shared(key)) ?? (await this.#own.get(key));
    this.#count(value !== undefined);
    return value;
  }

  async getPieces(key: string, begin: () => TakePiece): Promise<boolean> {
    const found = (await this.#takeShared(key, begin)) || (await this.#own.getPieces(key, begin));
    this.#count(found);
    return found;
  }

  async all(key: string): Promise<readonly Buffer[]> {
    const both = await Promise.all([this.#shared(key), this.#own.get(key)]);
    const all = both.filter((value) => value !== undefined);
    this.#count(all.length > 0);
    return all;
  }

  /** Resolves when the value is stored, or the store has not accepted it. */
  async put(key: string, parts: readonly CachePart[]): Promise<void> {
    const size = oriel.lengthOf(parts);
    await Promise.all([this.#own.put(key, parts), this.#work(key, () => this.#send(key, parts, size))]);
  }

  remove(key: string): void {
    this.#own.remove(key);
    void this.#work(key, () => removeLarge(this.#space, cacheName(key)));
  }

  async close(): Promise<void> {
    const working = Promise.allSettled(this.#working.values());
    await Promise.all([oriel.beforeClose(working), this.#own.close()]);
  }

  /**
   * Operations on a key run one after the other: otherwise a value that is being sent could reappear after it
   * was removed.
   */
  #work(key: string, act: () => Promise<void>): Promise<void> {
    const done = (this.#working.get(key) ?? Promise.resolve()).then(act).finally(() => {
      if (this.#working.get(key) === done) this.#working.delete(key);
    });
    this.#working.set(key, done);
    return done;
  }

  #count(found: boolean): void {
    if (found) this.#hits += 1;
    else this.#misses += 1;
  }

  async #shared(key: string): Promise<Buffer | undefined> {
    let pieces: Buffer[] = [];
    const begin = (): TakePiece => {
      pieces = [];
      return (piece) => Promise.resolve(void pieces.push(piece));
    };
    return (await this.#takeShared(key, begin)) ? Buffer.concat(pieces) : undefined;
  }

  async #takeShared(key: string, begin: () => TakePiece): Promise<boolean> {
    const pieces = await getLarge(this.#space, cacheName(key));
    if (!pieces) return false;
    const take = begin();
    try {
      for await (const piece of pieces) await take(piece);
      return true;
    } catch (error) {
      if (error instanceof MissingPiece) return false;
      throw error;
    }
  }

  /** If the new value is not sent, the older one in the store must be removed, because it would be found first. */
  async #send(key: string, parts: readonly CachePart[], size: number): Promise<void> {
    const name = cacheName(key);
    if (size > MAX_SHARED_VALUE_BYTES || this.#sending + size > MAX_SENDING_BYTES)
      return removeLarge(this.#space, name);
    this.#sending += size;
    try {
      const read = (start: number, length: number): Promise<Uint8Array> =>
        oriel.readParts(parts, start, length);
      await putLarge(this.#space, name, read, size, CACHE_MS);
    } catch {
      // A part could not be read: the value is not shared.
    } finally {
      this.#sending -= size;
    }
  }
}

// Snapshots (the shown lines of each version of a file) shared by all replicas. Each replica keeps the lines that it has
// shown, sends them to the shared store shortly after the answer, and reads lines shown by other replicas from there.

/** Lines of one stored value, and its most characters; a longer one stays on this replica. */
const LINES = 512;
const MAX_SNAPSHOT_PART_CHARACTERS: number = 512 << 10;

/** More than those of one session, because replicas issue tags without coordination. */
const SHARED_TAG_DIGITS = 8;

/** How long other replicas can recall a line, in ms. */
const KEEP_MS = 60 * 60_000;

/** Pages shown within this many milliseconds are sent together. */
const WAIT_MS = 250;

/** Limits of the parts that wait to be sent, and of those for which this replica knows its number. The oldest are dropped. */
const MAX_WAITING_SNAPSHOT_PARTS = 64;
const MAX_NUMBERED_SNAPSHOT_PARTS = 2_000;

/** The most parts read from the store for one request, and the most replicas read for each part: the latest ones. */
const MAX_REQUESTED_SNAPSHOT_PARTS = 8;
const MAX_SNAPSHOT_REPLICAS = 16;

/** Numbers of a part start at a random multiple of this, so that no number recurs after the store was emptied. */
const NUMBERS = 1_000_000;

/** `LINES` lines of one version of a file, from line `LINES * block + 1` (1-based) on. */
interface Part {
  readonly path: string;
  readonly tag: string;
  readonly block: number;
}

type Line = readonly [number, string];

export class SharedSnapshots implements SnapshotStore {
  readonly #own = new oriel.LocalSnapshots(SHARED_TAG_DIGITS);
  readonly #space: StateSpace;
  readonly #waiting = new Map<string, Part>();
  /** The number under which this replica stores its lines of each part. */
  readonly #numbers = new oriel.LruMap<number>(MAX_NUMBERED_SNAPSHOT_PARTS);
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(space: StateSpace) {
    this.#space = space;
  }

  tag(path: string, content: string): string {
    return this.#own.tag(path, content);
  }

  see(path: string, tag: string, lines: Iterable<Line>): void {
    const shown = [...lines];
    for (const block of new Set(shown.map(([no]) => blockOf(no)))) this.#sendLater({ path, tag, block });
    this.#own.see(path, tag, shown);
    if (this.#waiting.size === 0 || this.#timer) return;
    this.#timer = setTimeout(() => void this.flush(), WAIT_MS);
    this.#timer.unref();
  }

  async lines(path: string, tag: string, from: number, to: number): Promise<ReadonlyMap<number, string>> {
    const here = await this.#own.lines(path, tag, from, to);
    if (here.size > to - from) return here;
    const first = blockOf(from);
    const count = Math.min(MAX_REQUESTED_SNAPSHOT_PARTS, blockOf(to) - first + 1);
    const parts = Array.from({ length: count }, (_, i): Part => ({ path, tag, block: first + i }));
    const missing = parts.filter(
      ({ block }) => !hasAll(here, Math.max(from, startOf(block)), Math.min(to, startOf(block + 1) - 1)),
    );
    const there = (await Promise.all(missing.map((part) => this.#get(part)))).flat();
    if (there.length > 0) this.#own.see(path, tag, there);
    const asked = there.filter(([no]) => no >= from && no <= to);
    return new Map([...here, ...asked].toSorted(([a], [b]) => a - b));
  }

  /** Resolves when the lines shown so far are stored, or could not be stored. Never throws. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const parts = [...this.#waiting.values()];
    this.#waiting.clear();
    return (this.#sending = this.#sending.then(async () => {
      for (const part of parts) await this.#send(part);
    }));
  }

  /** Sends the remaining lines, with a timeout of two seconds. */
  close(): Promise<void> {
    return oriel.beforeClose(this.flush());
  }

  /** Schedules a part to be sent, even if it was sent before, because the store may have lost it. */
  #sendLater(part: Part): void {
    this.#waiting.set(keyOf(part), part);
    if (this.#waiting.size <= MAX_WAITING_SNAPSHOT_PARTS) return;
    const [oldest] = this.#waiting.keys();
    this.#waiting.delete(oldest as string);
  }

  /** Each replica writes its own value of a part, so that none overwrites the lines of another. */
  async #send(part: Part): Promise<void> {
    const first = startOf(part.block);
    const own = await this.#own.lines(part.path, part.tag, first, first + LINES - 1);
    // The part was evicted meanwhile, or is too large.
    if (own.size === 0 || weigh(own) > MAX_SNAPSHOT_PART_CHARACTERS) return;
    const number = await this.#numberOf(part);
    if (number === 'away') return;
    await this.#space.put(nameOf(part, number), Buffer.from(JSON.stringify([...own])), KEEP_MS);
  }

  /** The number of this replica for a part; a new one if the store has lost it, or if others would not read it any more. */
  async #numberOf(part: Part): Promise<number | 'away'> {
    const key = keyOf(part);
    const known = this.#numbers.get(key);
    if (known !== undefined) {
      const last = await this.#lastNumber(part);
      if (last === 'away') return last;
      if (last >= known && last - known < MAX_SNAPSHOT_REPLICAS) return known;
    }
    const number = await this.#lastNumber(part, 1);
    if (number !== 'away') this.#numbers.set(key, number);
    return number;
  }

  /** Adds `more` to the last number given for a part and returns it. */
  #lastNumber(part: Part, more = 0): Promise<number | 'away'> {
    return this.#space.add(nameOf(part, 'last'), more, NUMBERS * randomInt(1, 1e8), KEEP_MS);
  }

  async #get(part: Part): Promise<readonly Line[]> {
    const last = await this.#lastNumber(part);
    if (last === 'away') return [];
    const count = Math.min(MAX_SNAPSHOT_REPLICAS, Math.max(0, last % NUMBERS));
    const values = await Promise.all(
      Array.from({ length: count }, (_, i) => this.#space.get(nameOf(part, last - i))),
    );
    // The values were encrypted and authenticated by replicas, so their format needs no check.
    return values.flatMap((bytes) =>
      bytes instanceof Uint8Array ? (JSON.parse(bytes.toString()) as Line[]) : [],
    );
  }
}

/** The store name of the lines of the replica with that number, or of the last number given. */
function nameOf({ path, tag, block }: Part, number: number | 'last'): StateName {
  return { kind: 'shown', of: [path, tag, block, number] };
}

function keyOf({ path, tag, block }: Part): string {
  return JSON.stringify([path, tag, block]);
}

function blockOf(no: number): number {
  return Math.floor((no - 1) / LINES);
}

/** The number (1-based) of the first line of a block. */
function startOf(block: number): number {
  return block * LINES + 1;
}

function hasAll(lines: ReadonlyMap<number, string>, from: number, to: number): boolean {
  for (let no = from; no <= to; no += 1) if (!lines.has(no)) return false;
  return true;
}

function weigh(lines: ReadonlyMap<number, string>): number {
  let characters = 0;
  for (const text of lines.values()) characters += text.length;
  return characters;
}
