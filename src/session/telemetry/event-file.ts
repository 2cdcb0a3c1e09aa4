/**
 * A file of telemetry that is looked at: its tasks, and where in the file each event is. Events stay in the file;
 * what it gains while it is looked at is read on.
 */

import { constants, type Stats } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { NamedTasks } from '../../telemetry/named-tasks.ts';
import { parseEvent } from '../../telemetry/parse-event.ts';
import type { TaskFigures } from '../../telemetry/task-figures.ts';
import type { EventsPage, FileState, TelemetryEvent } from '../../types/telemetry.ts';
import { EventIndex } from './event-index.ts';
import { EventLines } from './event-lines.ts';
import { openParts } from './event-parts.ts';
import { ROTATE_AT } from './telemetry-file.ts';

/** Milliseconds between two looks at whether the file has grown. */
const LOOK_MS = 500;

/** Parts that are held open: the oldest ones of a file that continues being rotated are forgotten. */
const MOST_PARTS = 64;

/** Bytes between two parts: a process that has not noticed a rotation yet writes to the old one a little longer. */
const GAP: number = ROTATE_AT;

export interface FileTask {
  readonly figures: TaskFigures;
  /** Its events so far, and how many of them, the first ones, are forgotten. */
  readonly total: number;
  readonly forgotten: number;
  /** At most `most` events, and some 512 KiB of them, from the one with the number `from`. */
  events(from: number, most: number): Promise<EventsPage>;
}

/** Hears of each event, and without one when a stretch of the file has been read. Must not throw. */
export type FileWatcher = (event: TelemetryEvent | undefined) => void;

interface Part {
  readonly handle: FileHandle;
  readonly lines: EventLines;
  /** Its first byte, counted through all parts. */
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

  /** The last used first. */
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

  /** Returns what ends the watching. */
  watch(watcher: FileWatcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Reads what is there. Throws what reading throws. */
  async read(signal: AbortSignal): Promise<void> {
    const before = this.#events + this.#skipped;
    for (const part of this.#parts) {
      await part.lines.readOn((line, offset) => this.#take(line, part.base + offset), signal);
      this.#takeLast(part);
      part.size = part.lines.at;
    }
    if (this.#events + this.#skipped > before) this.#tell(undefined);
  }

  /** Reads on until `signal`: what the file gains, and what follows it when it is rotated. */
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

  /** The file under the name, where it is one. */
  async #opened(): Promise<FileHandle | undefined> {
    const handle = await open(this.#path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
    // What was there when it was looked at may have been replaced since.
    if (!handle || (await handle.stat()).isFile()) return handle;
    await handle.close();
    return undefined;
  }

  /** It was emptied under its name: what it holds now is read from its start, and what it held is gone. */
  async #beginAnew(emptied: Part): Promise<void> {
    const handle = await this.#opened();
    if (!handle) return;
    this.#parts.pop();
    await emptied.handle.close();
    await this.#hold(handle, emptied);
  }

  /** Another file is under the name: what is left of the old one is read first, which nobody writes to any more. */
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
    if (this.#parts.length > MOST_PARTS) {
      await this.#parts.shift()?.handle.close();
      this.#index.forgetBefore(this.#parts[0]?.base ?? 0);
    }
  }

  #take(line: Buffer | undefined, at: number): void {
    const event = line && parseEvent(line.toString('utf8'));
    if (event) this.#add(event, at, line.length);
    else if (line?.length !== 0) this.#skipped += 1;
  }

  /** The last line of a file may have no end; one that is still being written is no event yet. */
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

  /** Fills `into` from the byte `at`, counted through all parts. Returns how many bytes there were. */
  async #bytes(at: number, into: Buffer): Promise<number> {
    const part = this.#parts.findLast(({ base }) => base <= at);
    if (!part) return 0;
    return (await part.handle.read(into, 0, into.length, at - part.base)).bytesRead;
  }
}

function isSame(one: Stats | undefined, other: Stats): boolean {
  return one !== undefined && one.ino === other.ino && one.dev === other.dev;
}
