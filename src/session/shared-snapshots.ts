/**
 * What was shown of which version of a file, on whichever replica: each remembers what it has shown itself, tells the
 * others some moments after the answer, and asks them for lines that it has not shown.
 */

import type { SnapshotStore } from '../types/session.ts';
import type { StateName, StateSpace } from '../types/state.ts';
import { Lru } from './lru.ts';
import { Snapshots } from './snapshots.ts';

/** Lines of one value, and characters of them; what is longer stays on this replica. */
const LINES = 512;
const MOST_CHARACTERS: number = 512 << 10;

/** How long others can recall it; what is shown again after half of that is sent again. */
const KEEP_MS = 60 * 60_000;

/** Milliseconds in which pages that are shown are sent together. */
const WAIT_MS = 250;

/** Parts that wait to be sent, and those of which it is known when they were. The oldest are left out. */
const MOST_WAITING = 64;
const MOST_KNOWN = 2_000;

/** Parts that one question asks the others for. */
const MOST_ASKED = 8;

/** Some lines of one version of a file: those from `LINES * block + 1`. */
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
  /** When a part was sent last, as `performance.now()` counts. */
  readonly #sentAt = new Lru<number>(MOST_KNOWN);
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
    for (const [no] of shown) this.#shown({ path, tag, block: blockOf(no) }, no);
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

  /** Resolves when what was shown so far lies in the store, or could not be put there. Never throws. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const parts = [...this.#waiting.values()];
    this.#waiting.clear();
    return (this.#sending = this.#sending.then(async () => {
      for (const part of parts) await this.#send(part);
    }));
  }

  close(): Promise<void> {
    return this.flush();
  }

  /** Call it before the line counts as shown. */
  #shown(part: Part, no: number): void {
    const key = keyOf(part);
    if (this.#waiting.has(key)) return;
    const sentAt = this.#sentAt.get(key);
    const isKnown =
      sentAt !== undefined &&
      performance.now() - sentAt < KEEP_MS / 2 &&
      this.#own.recall(part.path, part.tag, no) !== undefined;
    if (isKnown) return;
    this.#waiting.set(key, part);
    if (this.#waiting.size <= MOST_WAITING) return;
    const [oldest] = this.#waiting.keys();
    this.#waiting.delete(oldest as string);
    this.#sentAt.delete(oldest as string);
  }

  /** With what others have shown of the part. Where two send at once, the lines of one may be missing, and none is wrong. */
  async #send(part: Part): Promise<void> {
    const first = startOf(part.block);
    const own = await this.#own.lines(part.path, part.tag, first, first + LINES - 1);
    // It was forgotten meanwhile, or is too large.
    if (own.size === 0 || weigh(own) > MOST_CHARACTERS) return;
    const all = new Map([...(await this.#get(part)), ...own]);
    if (weigh(all) > MOST_CHARACTERS) return;
    const isSent = await this.#space.put(nameOf(part), Buffer.from(JSON.stringify([...all])), KEEP_MS);
    if (isSent) this.#sentAt.set(keyOf(part), performance.now());
    else this.#sentAt.delete(keyOf(part));
  }

  async #get(part: Part): Promise<readonly Line[]> {
    const bytes = await this.#space.get(nameOf(part));
    // It was sealed by a replica: its form needs no check.
    return bytes instanceof Uint8Array ? (JSON.parse(bytes.toString()) as Line[]) : [];
  }
}

function nameOf({ path, tag, block }: Part): StateName {
  return { kind: 'shown', of: [path, tag, block] };
}

function keyOf({ path, tag, block }: Part): string {
  return JSON.stringify([path, tag, block]);
}

function blockOf(no: number): number {
  return Math.floor((no - 1) / LINES);
}

/** The number of its first line. */
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
