/** A telemetry file and its rotated parts: its tasks and their events. The file may grow and be rotated meanwhile. */

import { constants } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { OrielError } from '../errors.ts';
import { errno } from '../files/system-failure.ts';
import { FrameSplitter, type LineFrame } from '../text/bytes.ts';
import { quote } from '../text/visible.ts';
import type {
  CallEvent,
  EventsPage,
  FileState,
  ListFacts,
  NumberSpan,
  ReadFacts,
  TelemetryEvent,
} from '../types/telemetry.ts';
import { NamedTasks } from './bounded-tasks.ts';
import { MAX_HOST_NAME_CHARACTERS, shortName, taskName } from './call-facts.ts';
import type { TaskFigures } from './task-figures.ts';
import { ROTATED } from './telemetry-file.ts';

/** The polling interval for new events, in ms. */
const LOOK_MS = 500;

/** The most characters of events that `oriel inspect` keeps. */
export const MAX_INSPECTED_CHARACTERS: number = 256 << 20;

/** The share of a task's events that is dropped at a time. */
const DROPPED_SHARE = 0.1;

/** Bytes of events after which a page ends: a page is written as JSON in one step, which blocks the event loop. */
export const PAGE_BYTES: number = 512 << 10;

export interface FileTask {
  readonly figures: TaskFigures;
  /** The number of its events so far, and how many of them (the first ones) are no longer kept. */
  readonly total: number;
  readonly forgotten: number;
  /** A page of events from number `from` (0-based): at most `most` events and about 512 KiB. */
  events(from: number, most: number): EventsPage;
}

/** Called with each event, and with undefined when a part of the file has been read. Must not throw. */
export type FileWatcher = (event: TelemetryEvent | undefined) => void;

/** The lines of the events of a task, the first ones dropped. */
interface KeptLines {
  lines: string[];
  characters: number;
  dropped: number;
}

export class EventFile {
  readonly #path: string;
  readonly #mostKept: number;
  /** The file at the path is the last one; before it was read, its rotated parts come first. */
  readonly #parts: EventLines[];
  readonly #tasks = new NamedTasks();
  readonly #kept = new Map<TaskFigures, KeptLines>();
  #keptCharacters = 0;
  readonly #watchers = new Set<FileWatcher>();
  #events = 0;
  #skipped = 0;
  /** Bytes of the parts that are closed, and of those that are open. */
  #closedBytes = 0;
  #openBytes = 0;

  private constructor(path: string, handles: readonly FileHandle[], mostKept: number) {
    this.#path = path;
    this.#parts = handles.map((handle) => new EventLines(handle));
    this.#mostKept = mostKept;
  }

  /**
   * Of the events of all tasks at most `mostKept` characters are kept, of the longest task the last ones. Throws OrielError
   * (`NOT_FOUND`, `BAD_INPUT`) if the file cannot be read; the error suggests `command`.
   */
  static async open(path: string, command: string, mostKept: number): Promise<EventFile> {
    const file = new EventFile(path, await openParts(path, command), mostKept);
    await file.#measure();
    return file;
  }

  get state(): FileState {
    const skipped = this.#skipped + (this.#parts.at(-1)?.rest ? 1 : 0);
    const read = this.#closedBytes + this.#parts.reduce((sum, { at }) => sum + at, 0);
    const size = Math.max(read, this.#closedBytes + this.#openBytes);
    return { events: this.#events, skipped, withoutReads: this.#tasks.withoutReads, read, size };
  }

  get figures(): readonly TaskFigures[] {
    return this.#tasks.all;
  }

  /** Most recently used first. */
  get tasks(): readonly FileTask[] {
    return this.#tasks.all
      .toSorted((a, b) => b.last - a.last)
      .map((figures) => {
        const { lines, dropped } = this.#keptOf(figures);
        return {
          figures,
          total: dropped + lines.length,
          forgotten: dropped,
          events: (from, most) =>
            pageOf(lines, Math.max(0, from - dropped), most, dropped, (line) => [
              parseEvent(line),
              line.length,
            ]),
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
    await this.#measure();
    for (let part = this.#parts[0]; part; part = this.#parts[0]) {
      await part.readOn((line) => this.#take(line), signal);
      if (this.#parts.length === 1) {
        // A last line without a newline, unless it is still being written (it does not parse yet).
        if (eventIn(part.rest)) part.takeRest((line) => this.#take(line));
        break;
      }
      await this.#closeFirst(part);
    }
    if (this.#events + this.#skipped > before) this.#tell(undefined);
  }

  /** Reads new events until `signal` aborts, also from the files that replace this one when it is rotated. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await this.#followRotation();
      try {
        await this.read(signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#parts.map(({ handle }) => handle.close()));
  }

  async #measure(): Promise<void> {
    const stats = await Promise.all(this.#parts.map(({ handle }) => handle.stat()));
    this.#openBytes = stats.reduce((sum, { size }) => sum + size, 0);
  }

  /** Closes a part that was rotated, to which nobody writes any more. */
  async #closeFirst(part: EventLines): Promise<void> {
    part.takeRest((line) => this.#take(line));
    this.#parts.shift();
    this.#closedBytes += part.at;
    this.#openBytes -= part.at;
    await part.handle.close();
  }

  /** Opens the file that has replaced the last one, and begins at the start of one that was emptied. */
  async #followRotation(): Promise<void> {
    const last = this.#parts.at(-1);
    const named = await stat(this.#path).catch(() => undefined);
    const held = await last?.handle.stat();
    if (!named?.isFile()) return;
    if (held?.ino === named.ino && held.dev === named.dev && named.size >= (last?.at ?? 0)) return;
    const handle = await open(this.#path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
    // The path may have been replaced since.
    if (handle && !(await handle.stat()).isFile()) await handle.close();
    else if (handle) this.#parts.push(new EventLines(handle));
  }

  #take(line: LineFrame): void {
    const event = eventIn(line);
    if (!event || line.kind === 'oversized') {
      if (line.kind === 'oversized' || line.bytes.length > 0) this.#skipped += 1;
      return;
    }
    this.#events += 1;
    const [figures] = this.#tasks.add(event);
    if (this.#mostKept > 0) this.#keep(this.#keptOf(figures), line.bytes.toString());
    this.#tell(event);
  }

  #keptOf(figures: TaskFigures): KeptLines {
    let kept = this.#kept.get(figures);
    if (!kept) this.#kept.set(figures, (kept = { lines: [], characters: 0, dropped: 0 }));
    return kept;
  }

  #keep(kept: KeptLines, line: string): void {
    kept.lines.push(line);
    kept.characters += line.length;
    this.#keptCharacters += line.length;
    if (this.#keptCharacters <= this.#mostKept) return;
    const longest = [...this.#kept.values()].reduce((one, other) =>
      other.characters > one.characters ? other : one,
    );
    const dropped = longest.lines.splice(0, Math.ceil(longest.lines.length * DROPPED_SHARE));
    const characters = dropped.reduce((sum, { length }) => sum + length, 0);
    longest.dropped += dropped.length;
    longest.characters -= characters;
    this.#keptCharacters -= characters;
  }

  #tell(event: TelemetryEvent | undefined): void {
    for (const watcher of this.#watchers) watcher(event);
  }
}

function eventIn(line: LineFrame | undefined): TelemetryEvent | undefined {
  return line?.kind === 'line' ? parseEvent(line.bytes.toString()) : undefined;
}

/**
 * The events from index `start` on: at most `most`, and at most `PAGE_BYTES` plus one event. `read` gives the event of an
 * entry and its length; `dropped` entries came before the first one.
 */
export function pageOf<T>(
  entries: readonly T[],
  start: number,
  most: number,
  dropped: number,
  read: (entry: T) => readonly [TelemetryEvent | undefined, number],
): EventsPage {
  const events: TelemetryEvent[] = [];
  let [at, bytes] = [start, 0];
  for (; at < entries.length && events.length < most && bytes < PAGE_BYTES; at += 1) {
    const [event, length] = read(entries[at] as T);
    bytes += length;
    if (event) events.push(event);
  }
  return { events, next: dropped + at };
}

// Reads the lines of a telemetry file piece by piece, and continues at the same position when the file has grown.

/** The most bytes of a line; no event is longer. */
export const MAX_EVENT_LINE_BYTES: number = 64 << 10;

/** Bytes that are read and parsed without giving control back to the event loop. */
const PIECE = 64 << 10;

class EventLines {
  readonly handle: FileHandle;
  readonly #piece = Buffer.alloc(PIECE);
  readonly #frames = new FrameSplitter(MAX_EVENT_LINE_BYTES);
  /** Bytes that have been read. */
  at = 0;

  constructor(handle: FileHandle) {
    this.handle = handle;
  }

  /** Passes all complete lines up to the current end of the file to `take`. Throws the errors of reading. */
  async readOn(take: (line: LineFrame) => void, signal?: AbortSignal): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await this.handle.read(this.#piece, 0, PIECE, this.at);
      if (bytesRead === 0) return;
      for (const line of this.#frames.push(this.#piece.subarray(0, bytesRead))) take(line);
      this.at += bytesRead;
    }
  }

  /** Passes an unfinished last line to `take`, if there is one. Bytes after it count as a new line. */
  takeRest(take: (line: LineFrame) => void): void {
    const line = this.#frames.end();
    if (line) take(line);
  }

  /** The unfinished last line. */
  get rest(): LineFrame | undefined {
    return this.#frames.rest;
  }
}

// Opens a telemetry file together with its rotated parts.

/**
 * The handles of all existing parts, oldest first; `path` itself is last. Throws OrielError (`NOT_FOUND`, `BAD_INPUT`)
 * if `path` cannot be read; the error suggests `command`.
 */
export async function openParts(path: string, command: string): Promise<FileHandle[]> {
  const parts: FileHandle[] = [];
  try {
    // Newest first: a part that is rotated meanwhile is then found twice (which is detected), but never missed.
    for (let n = 0; n <= ROTATED; n += 1) {
      const part = await openPart(path, n, command);
      if (part && !(await isAmong(parts, part))) parts.unshift(part);
      else await part?.close();
    }
    return parts;
  } catch (error) {
    await Promise.all(parts.map((part) => part.close()));
    throw error;
  }
}

async function openPart(path: string, n: number, command: string): Promise<FileHandle | undefined> {
  const name = n === 0 ? path : `${path}.${n}`;
  let handle: FileHandle;
  try {
    handle = await open(name, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    if (n > 0) return undefined;
    const missing = errno(cause) === 'ENOENT';
    const why = missing ? 'does not exist' : `cannot be read (${errno(cause)})`;
    throw unreadable(missing ? 'NOT_FOUND' : 'BAD_INPUT', `${quote(path)} ${why}`, command, cause);
  }
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  if (n > 0) return undefined;
  throw unreadable('BAD_INPUT', `${quote(path)} is not a file of telemetry`, command);
}

async function isAmong(parts: readonly FileHandle[], part: FileHandle): Promise<boolean> {
  const { ino, dev } = await part.stat();
  for (const other of parts) {
    const stats = await other.stat();
    if (stats.ino === ino && stats.dev === dev) return true;
  }
  return false;
}

function unreadable(
  code: 'NOT_FOUND' | 'BAD_INPUT',
  what: string,
  command: string,
  cause?: unknown,
): OrielError {
  return new OrielError(code, `${what}. Use ${command} with a file that --telemetry FILE wrote.`, { cause });
}

// Parses an event from a line of a file. A line that is not a complete event gives undefined; forged values are bounded.

const MAX_PARSED_READS = 20;
const MAX_PARSED_SPANS = 16;

/** Maximum characters of a word: a tool, a code, a version. */
const MAX_WORD_CHARACTERS = 80;

/** Larger numbers are invalid. */
const MAX_PARSED_NUMBER = Number.MAX_SAFE_INTEGER;

/** The maximum time of a `Date`. */
const MAX_DATE_MS = 8.64e15;

type Json = Readonly<Record<string, unknown>>;

export function parseEvent(line: string): TelemetryEvent | undefined {
  let json: Json;
  try {
    json = Object(JSON.parse(line)) as Json;
  } catch {
    return undefined;
  }
  const at = numberIn(json, 'at');
  const task = taskName(json['task']);
  if (at === undefined || at > MAX_DATE_MS || task === undefined) return undefined;
  const base = { at, task, client: wordIn(json, 'client') };
  if (json['kind'] === 'rate-limit') {
    const by = wordIn(json, 'by', MAX_HOST_NAME_CHARACTERS);
    return { kind: 'rate-limit', ...base, retryAfter: numberIn(json, 'retryAfter'), by };
  }
  return json['kind'] === 'call' ? callOf(json, base) : undefined;
}

function callOf(json: Json, base: Pick<CallEvent, 'at' | 'task' | 'client'>): CallEvent | undefined {
  const [tool, dialect, bytes] = [wordIn(json, 'tool'), wordIn(json, 'dialect'), numberIn(json, 'bytes')];
  if (tool === undefined || dialect === undefined || bytes === undefined) return undefined;
  const reads = listIn(json, 'reads', MAX_PARSED_READS).flatMap((read) => readOf(Object(read) as Json) ?? []);
  return {
    kind: 'call',
    ...base,
    ms: numberIn(json, 'ms') ?? 0,
    dialect,
    tool,
    host: wordIn(json, 'host', MAX_HOST_NAME_CHARACTERS),
    bytes,
    tokens: numberIn(json, 'tokens') ?? Math.ceil(bytes / 4),
    images: numberIn(json, 'images'),
    error: wordIn(json, 'error'),
    reads: reads.length > 0 ? reads : undefined,
    list: json['list'] === undefined ? undefined : listOf(Object(json['list']) as Json),
  };
}

function readOf(json: Json): ReadFacts | undefined {
  const { source } = json;
  if (typeof source !== 'string' || source === '') return undefined;
  return {
    source: shortName(source),
    what: wordIn(json, 'what'),
    version: wordIn(json, 'version'),
    view: wordIn(json, 'view'),
    window: wordIn(json, 'window'),
    lines: spansIn(json, 'lines'),
    bytes: spansIn(json, 'bytes'),
    totalLines: numberIn(json, 'totalLines'),
    totalBytes: numberIn(json, 'totalBytes'),
    cutBy: wordIn(json, 'cutBy'),
    shown: numberIn(json, 'shown'),
  };
}

function listOf(json: Json): ListFacts | undefined {
  const [query, from] = [wordIn(json, 'query'), numberIn(json, 'from')];
  if (query === undefined || from === undefined) return undefined;
  return { query, from, next: numberIn(json, 'next'), cutBy: wordIn(json, 'cutBy') };
}

/** A span of lines is inclusive, so from and to may be equal. */
function spansIn(json: Json, name: string): readonly NumberSpan[] | undefined {
  const spans = listIn(json, name, MAX_PARSED_SPANS).flatMap((span): NumberSpan[] => {
    const [from, to] = Array.isArray(span) ? (span as unknown[]) : [];
    return isCount(from) && isCount(to) && from <= to ? [[from, to]] : [];
  });
  return spans.length === 0 ? undefined : spans;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function listIn(json: Json, name: string, most: number): readonly unknown[] {
  const list = json[name];
  return Array.isArray(list) ? list.slice(0, most) : [];
}

function numberIn(json: Json, name: string): number | undefined {
  const value = json[name];
  return typeof value === 'number' && value >= 0 && value <= MAX_PARSED_NUMBER ? value : undefined;
}

function wordIn(json: Json, name: string, most = MAX_WORD_CHARACTERS): string | undefined {
  const value = json[name];
  return typeof value === 'string' && value !== '' ? shortName(value, most) : undefined;
}
