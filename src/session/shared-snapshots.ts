/**
 * Snapshots (the shown lines of each version of a file) shared by all replicas. Each replica keeps the lines that it has
 * shown, sends them to the shared store shortly after the answer, and reads lines shown by other replicas from there.
 */

import { randomInt } from 'node:crypto';
import { beforeClose } from '../state/store-timeout.ts';
import type { SnapshotStore } from '../types/session.ts';
import type { StateName, StateSpace } from '../types/state.ts';
import { Lru } from './lru.ts';
import { Snapshots } from './snapshots.ts';

/** Lines of one stored value, and its most characters; a longer one stays on this replica. */
const LINES = 512;
const MOST_CHARACTERS: number = 512 << 10;

/** How long other replicas can recall a line, in ms. */
const KEEP_MS = 60 * 60_000;

/** Pages shown within this many milliseconds are sent together. */
const WAIT_MS = 250;

/** Limits of the parts that wait to be sent, and of those for which this replica knows its number. The oldest are dropped. */
const MOST_WAITING = 64;
const MOST_KNOWN = 2_000;

/** The most parts read from the store for one request, and the most replicas read for each part: the latest ones. */
const MOST_ASKED = 8;
const MOST_REPLICAS = 16;

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
  readonly #own = new Snapshots({ isShared: true });
  readonly #space: StateSpace;
  readonly #waiting = new Map<string, Part>();
  /** The number under which this replica stores its lines of each part. */
  readonly #numbers = new Lru<number>(MOST_KNOWN);
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

  recall(path: string, tag: string, no: number): string | undefined {
    return this.#own.recall(path, tag, no);
  }

  seen(path: string, tag: string): ReadonlyMap<number, string> {
    return this.#own.seen(path, tag);
  }

  async lines(path: string, tag: string, from: number, to: number): Promise<ReadonlyMap<number, string>> {
    const here = await this.#own.lines(path, tag, from, to);
    if (here.size > to - from) return here;
    const first = blockOf(from);
    const count = Math.min(MOST_ASKED, blockOf(to) - first + 1);
    const parts = Array.from({ length: count }, (_, i): Part => ({ path, tag, block: first + i }));
    const missing = parts.filter(
      ({ block }) => !hasAll(here, Math.max(from, startOf(block)), Math.min(to, startOf(block + 1) - 1)),
    );
    const there = (await Promise.all(missing.map((part) => this.#get(part)))).flat();
    if (there.length > 0) this.#own.learn(path, tag, there);
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
    return beforeClose(this.flush());
  }

  /** Schedules a part to be sent, even if it was sent before, because the store may have lost it. */
  #sendLater(part: Part): void {
    this.#waiting.set(keyOf(part), part);
    if (this.#waiting.size <= MOST_WAITING) return;
    const [oldest] = this.#waiting.keys();
    this.#waiting.delete(oldest as string);
  }

  /** Each replica writes its own value of a part, so that none overwrites the lines of another. */
  async #send(part: Part): Promise<void> {
    const first = startOf(part.block);
    const own = await this.#own.lines(part.path, part.tag, first, first + LINES - 1);
    // The part was evicted meanwhile, or is too large.
    if (own.size === 0 || weigh(own) > MOST_CHARACTERS) return;
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
      if (last >= known && last - known < MOST_REPLICAS) return known;
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
    const count = Math.min(MOST_REPLICAS, Math.max(0, last % NUMBERS));
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
