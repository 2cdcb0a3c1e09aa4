/**
 * A telemetry file that is inspected: its tasks, and the position of each event. Events stay in the file. The file may
 * grow and be rotated meanwhile.
 */

import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { EventsPage, FileState, TelemetryEvent } from '../types/telemetry.ts';
import { NamedTasks } from './bounded-tasks.ts';
import { parseEvent } from './event-line.ts';
import { EventLines, openParts } from './read-events.ts';
import type { TaskFigures } from './task-figures.ts';
import { ROTATE_AT } from './telemetry-file.ts';

/** The polling interval for new events, in ms. */
const LOOK_MS = 500;

/** The most parts that are held open. If the file continues to be rotated, the oldest are dropped. */
const MAX_OPEN_PARTS = 64;

/** Free offsets between two parts, in bytes: a process that has not noticed a rotation yet still writes to the old part. */
const GAP: number = ROTATE_AT;

export interface FileTask {
  readonly figures: TaskFigures;
  /** The number of its events so far, and how many of them (the first ones) are no longer indexed. */
  readonly total: number;
  readonly forgotten: number;
  /** A page of events from number `from` (0-based): at most `most` events and about 512 KiB. */
  events(from: number, most: number): Promise<EventsPage>;
}

/** Called with each event, and with undefined when a part of the file has been read. Must not throw. */
export type FileWatcher = (event: TelemetryEvent | undefined) => void;

interface Part {
  readonly handle: FileHandle;
  readonly lines: EventLines;
  /** The offset of its first byte, counted through all parts. */
  readonly base: number;
  size: number;
}

export class EventFile {
  readonly #path: string;
  readonly #parts: Part[] = [];
  readonly #tasks = new NamedTasks();
  readonly #index = new EventIndex();
  readonly #watchers = new Set<FileWatcher>();
  #events = 0;
  #skipped = 0;

  private constructor(path: string) {
    this.#path = path;
  }

  /** Throws OrielError (`NOT_FOUND`, `BAD_INPUT`) if it cannot be read. */
  static async open(path: string): Promise<EventFile> {
    const file = new EventFile(path);
    for (const handle of await openParts(path, 'oriel inspect FILE')) await file.#hold(handle);
    return file;
  }

  get state(): FileState {
    const [events, { withoutReads }] = [this.#events, this.#tasks];
    const skipped = this.#skipped + (this.#parts.at(-1)?.lines.hasBegun === true ? 1 : 0);
    const sum = (of: (part: Part) => number): number => this.#parts.reduce((all, part) => all + of(part), 0);
    const [read, size] = [sum(({ lines }) => lines.at), sum((part) => Math.max(part.size, part.lines.at))];
    return { events, skipped, withoutReads, read, size };
  }

  /** Most recently used first. */
  get tasks(): readonly FileTask[] {
    return this.#tasks.all
      .toSorted((a, b) => b.last - a.last)
      .map((figures) => {
        const { total, forgotten } = this.#index.of(figures);
        return {
          figures,
          total,
          forgotten,
          events: (from, most) => this.#index.read(figures, from, most, (at, into) => this.#bytes(at, into)),
        };
      });
  }

  /** Calls `watcher` for new events until the returned function is called. */
  watch(watcher: FileWatcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Reads everything that has been written since the last `read`. Throws the errors of reading. */
  async read(signal: AbortSignal): Promise<void> {
    const before = this.#events + this.#skipped;
    for (const part of this.#parts) {
      await part.lines.readOn((line, offset) => this.#take(line, part.base + offset), signal);
      this.#takeLast(part);
      part.size = part.lines.at;
    }
    if (this.#events + this.#skipped > before) this.#tell(undefined);
  }

  /** Reads new events until `signal` aborts, also from the files that replace this one when it is rotated. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await this.#followRotation();
      await this.read(signal);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#parts.map(({ handle }) => handle.close()));
  }

  async #hold(handle: FileHandle, after: Part | undefined = this.#parts.at(-1)): Promise<void> {
    const base = after ? after.base + Math.max(after.size, after.lines.at) + GAP : 0;
    const { size } = await handle.stat();
    this.#parts.push({ handle, lines: new EventLines(handle), base, size });
  }

  /** Opens the file at the path; undefined if there is no regular file. */
  async #opened(): Promise<FileHandle | undefined> {
    const handle = await open(this.#path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
    // The path may have been replaced since the last `stat`.
    if (!handle || (await handle.stat()).isFile()) return handle;
    await handle.close();
    return undefined;
  }

  /** After the file was truncated: reads it again from its start. The old events are gone. */
  async #beginAnew(emptied: Part): Promise<void> {
    const handle = await this.#opened();
    if (!handle) return;
    this.#parts.pop();
    await emptied.handle.close();
    await this.#hold(handle, emptied);
  }

  /** After a rotation: reads the rest of the old file, to which nobody writes any more, and then opens the new one. */
  async #followRotation(): Promise<void> {
    const last = this.#parts.at(-1);
    const [held, named] = await Promise.all([
      last?.handle.stat(),
      stat(this.#path).catch((): undefined => undefined),
    ]);
    if (!named?.isFile()) return;
    if (isSame(held, named)) {
      if (last && named.size < last.lines.at) await this.#beginAnew(last);
      return;
    }
    const handle = await this.#opened();
    if (!handle) return;
    if (last) last.size = (await last.handle.stat()).size;
    await this.#hold(handle);
    if (this.#parts.length > MAX_OPEN_PARTS) {
      await this.#parts.shift()?.handle.close();
      this.#index.forgetBefore(this.#parts[0]?.base ?? 0);
    }
  }

  #take(line: Buffer | undefined, at: number): void {
    const event = line && parseEvent(line.toString('utf8'));
    if (event) this.#add(event, at, line.length);
    else if (line?.length !== 0) this.#skipped += 1;
  }

  /** Takes a last line without a newline, unless it is still being written (it does not parse yet). */
  #takeLast(part: Part): void {
    const { rest } = part.lines;
    const isWritten = part !== this.#parts.at(-1);
    if (isWritten || (rest && parseEvent(rest.toString('utf8'))))
      part.lines.takeRest((line, offset) => this.#take(line, part.base + offset));
  }

  #add(event: TelemetryEvent, at: number, length: number): void {
    this.#events += 1;
    const [figures] = this.#tasks.add(event);
    this.#index.add(figures, at, length);
    this.#tell(event);
  }

  #tell(event: TelemetryEvent | undefined): void {
    for (const watcher of this.#watchers) watcher(event);
  }

  /** Fills `into` from offset `at`, counted through all parts. Returns the number of bytes read. */
  async #bytes(at: number, into: Buffer): Promise<number> {
    const part = this.#parts.findLast(({ base }) => base <= at);
    if (!part) return 0;
    return (await part.handle.read(into, 0, into.length, at - part.base)).bytesRead;
  }
}

function isSame(one: Stats | undefined, other: Stats): boolean {
  return one !== undefined && one.ino === other.ino && one.dev === other.dev;
}

// An index of the positions of each task's events in a file: eight bytes per event.

/** The most indexed events of all tasks; beyond it the first events of the longest task are dropped. */
const MAX_INDEXED_EVENTS = 4_000_000;

/** The share of a task's events that is dropped at a time. */
const FORGOTTEN = 0.1;

/** Packs a position and a length into one number: lengths are below 2^17, so positions may be up to 2^36 (64 GiB). */
const LENGTHS = 2 ** 17;

/** Bytes that are read and parsed without giving control back to the event loop. */
const WINDOW = 128 << 10;

/** Bytes of events after which a page ends: a page is written as JSON in one step, which blocks the event loop. */
export const PAGE_BYTES: number = 512 << 10;

/** Fills `into` from offset `at` and returns the number of bytes read. */
type ReadBytes = (at: number, into: Buffer) => Promise<number>;

interface Places {
  packed: number[];
  forgotten: number;
}

export class EventIndex {
  readonly #most: number;
  readonly #places = new Map<TaskFigures, Places>();
  #total = 0;

  constructor(most: number = MAX_INDEXED_EVENTS) {
    this.#most = most;
  }

  of(task: TaskFigures): { readonly total: number; readonly forgotten: number } {
    const { packed, forgotten } = this.#of(task);
    return { total: forgotten + packed.length, forgotten };
  }

  add(task: TaskFigures, at: number, length: number): void {
    this.#of(task).packed.push(at * LENGTHS + length);
    this.#total += 1;
    if (this.#total > this.#most) this.#forgetSome();
  }

  /** Drops all events before offset `at`. */
  forgetBefore(at: number): void {
    for (const places of this.#places.values()) {
      const kept = places.packed.findIndex((packed) => packed >= at * LENGTHS);
      this.#forget(places, kept === -1 ? places.packed.length : kept);
    }
  }

  /** A page of events from number `from`: at most `most` and about 512 KiB. Lines that are no longer events are left out. */
  async read(task: TaskFigures, from: number, most: number, bytes: ReadBytes): Promise<EventsPage> {
    const { packed, forgotten } = this.#of(task);
    const start = Math.max(0, from - forgotten);
    const places = pageOf(packed, start, most);
    const events: TelemetryEvent[] = [];
    const window = Buffer.allocUnsafe(WINDOW);
    for (let i = 0; i < places.length;) {
      const [first = 0] = places[i] ?? [];
      const got = await bytes(first, window);
      const begun = i;
      for (; i < places.length; i += 1) {
        const [at, length] = places[i] as readonly [number, number];
        if (at + length > first + WINDOW) break;
        const event = parseEvent(window.toString('utf8', at - first, Math.min(got, at - first + length)));
        if (event) events.push(event);
      }
      if (i === begun) i += 1;
    }
    return { events, next: forgotten + start + places.length };
  }

  #of(task: TaskFigures): Places {
    let places = this.#places.get(task);
    if (!places) this.#places.set(task, (places = { packed: [], forgotten: 0 }));
    return places;
  }

  #forgetSome(): void {
    let longest: Places = { packed: [], forgotten: 0 };
    for (const places of this.#places.values())
      if (places.packed.length > longest.packed.length) longest = places;
    this.#forget(longest, Math.ceil(longest.packed.length * FORGOTTEN));
  }

  #forget(places: Places, count: number): void {
    if (count === 0) return;
    places.packed = places.packed.slice(count);
    places.forgotten += count;
    this.#total -= count;
  }
}

/** Positions and lengths from index `start` on, at most `most` and at most `PAGE_BYTES` plus one event. */
function pageOf(packed: readonly number[], start: number, most: number): (readonly [number, number])[] {
  const places: (readonly [number, number])[] = [];
  let bytes = 0;
  for (let i = start; i < packed.length && places.length < most && bytes < PAGE_BYTES; i += 1) {
    const one = packed[i] as number;
    places.push([Math.floor(one / LENGTHS), one % LENGTHS]);
    bytes += one % LENGTHS;
  }
  return places;
}
