/** Finds the most expensive habits of a reader, with examples and the cheaper call for each. */

import type {
  CallEvent,
  HabitExample as Example,
  HabitName,
  HabitReport,
  NumberSpan,
  ReadFacts,
} from '../types/telemetry.ts';
import type { FileFigures, ReadPlacement } from './file-figures.ts';

/** The cost of a call without its answer, in bytes: its arguments and its frame in the conversation. */
const CALL_BYTES = 400;

/** A text of fewer bytes is reasonably read whole. */
const MIN_WINDOWED_TEXT_BYTES = 8 * 1024;

/** The maximum share of a text that counts as a part. */
const PART = 0.5;

const MAX_HABIT_EXAMPLES = 5;

/** The weight of an example, which has a source and two calls. */
const EXAMPLE_WEIGHT = 4;

const MAX_TRACKED_SOURCES = 1_000;

/** Maximum ranges of a suggested call: more of them cost more than they save. */
const MAX_SUGGESTED_RANGES = 4;

interface Addition {
  readonly file: FileFigures;
  readonly placed: ReadPlacement;
  readonly answerBytes: number;
}

export class HabitFigures {
  readonly #whole = new Tally();
  readonly #again = new Tally();
  /** By source: maps after which nothing was read yet. */
  readonly #maps = new Map<string, Example & { readonly isFile: boolean }>();
  /** Sources with a map that are not files. */
  readonly #directories = new Set<string>();
  /** Whole reads by source, until a part of it is read again. */
  readonly #wholes = new Map<string, number>();

  /** In the unit of `TaskFigures.weight`. */
  get weight(): number {
    const examples = this.#maps.size + this.#whole.examples.length + this.#again.examples.length;
    return this.#wholes.size + this.#directories.size + EXAMPLE_WEIGHT * examples;
  }

  add(event: CallEvent, read: ReadFacts, { file, placed, answerBytes }: Addition): void {
    const { source } = file;
    if (read.view === 'map' || read.view === 'outline') {
      const example = exampleOf(event, source, answerBytes);
      const isFile = read.what === 'file';
      bound(this.#maps).set(source, { ...example, isFile });
      if (!isFile && this.#directories.size < MAX_TRACKED_SOURCES) this.#directories.add(source);
      return;
    }
    if (!read.bytes) return;
    this.#maps.delete(source);
    this.#addRange(event, read, { file, placed, answerBytes });
    const { totalBytes } = file;
    if (
      totalBytes !== undefined &&
      totalBytes >= MIN_WINDOWED_TEXT_BYTES &&
      file.bytes.covered >= totalBytes &&
      !placed.knownWhole
    )
      bound(this.#wholes).set(source, file.answeredNow);
  }

  /** Whether there are maps after which nothing was read yet. */
  get hasMaps(): boolean {
    return this.#maps.size > 0;
  }

  /** Records that something below the directory was read. */
  follow(directory: string): void {
    this.#maps.delete(directory);
  }

  list(): readonly HabitReport[] {
    const all: readonly (readonly [HabitName, Tally])[] = [
      ['whole', this.#whole],
      ['again', this.#again],
      ['map', new Tally(this.#unfollowed())],
    ];
    return all
      .filter(([, { times }]) => times > 0)
      .map(([name, { times, bytes, tokens, examples }]) => ({
        name,
        times,
        bytes: Math.round(bytes),
        tokens: Math.round(tokens),
        examples,
      }))
      .toSorted((a, b) => b.tokens - a.tokens);
  }

  #addRange(event: CallEvent, read: ReadFacts, { file, placed, answerBytes }: Addition): void {
    const { fresh, again, knownWhole } = placed;
    // Showing a few lines of context again costs less than a call.
    if (again === 0 || (fresh > 0 && again < CALL_BYTES)) return;
    const { source, totalBytes = Number.POSITIVE_INFINITY } = file;
    const { dialect } = event;
    const { lines = [] } = read;
    const whole = this.#wholes.get(source);
    if (knownWhole && whole !== undefined && again < PART * totalBytes) {
      // The part would have been enough instead of the whole text.
      this.#wholes.delete(source);
      const call = lines.length > 0 ? callFor(dialect, { source, lines }) : undefined;
      this.#whole.add({ ...exampleOf(event, source, whole), ...call });
      return;
    }
    const call = fresh > 0 ? callForFresh(dialect, lines, file) : undefined;
    this.#again.add({ ...exampleOf(event, source, (answerBytes * again) / (again + fresh)), ...call });
  }

  /** For several maps in one directory, the suggestion is one call for the symbols of all files. */
  *#unfollowed(): Iterable<Example> {
    const counts = new Map<string, number>();
    for (const { source, isFile } of this.#maps.values())
      if (isFile) counts.set(sourceDirectory(source), (counts.get(sourceDirectory(source)) ?? 0) + 1);
    for (const { isFile, ...example } of this.#maps.values()) {
      const directory = sourceDirectory(example.source);
      const several = isFile && (counts.get(directory) ?? 0) > 1 && !this.#directories.has(directory);
      yield { ...example, ...(several && callFor(example.dialect, { symbolsIn: directory })) };
    }
  }
}

/** `tokens`: the share of the answer's tokens for `bytes`. */
function exampleOf({ dialect, tokens, bytes: all }: CallEvent, source: string, bytes: number): Example {
  return { source, bytes, tokens: all === 0 ? bytes / 4 : (bytes * tokens) / all, dialect };
}

/** The call for only the new lines of a read; undefined if it would be the same call. */
function callForFresh(
  dialect: string,
  lines: readonly NumberSpan[],
  file: FileFigures,
): ReturnType<typeof callFor> {
  const fresh = freshIn(lines, file);
  const [first, last] = [fresh[0], fresh.at(-1)];
  if (!first || !last) return undefined;
  const { source } = file;
  const exact = fresh.length <= MAX_SUGGESTED_RANGES ? callFor(dialect, { source, lines: fresh }) : undefined;
  if (exact) return exact;
  const [from, to] = [first[0], last[1]];
  const isMade = from === lines[0]?.[0] && to === lines.at(-1)?.[1];
  return isMade ? undefined : callFor(dialect, { source, lines: [[from, to]] });
}

/** The parts of the ranges (inclusive) that have been shown exactly once so far. */
function freshIn(lines: readonly NumberSpan[], { lines: { stretches } }: FileFigures): readonly NumberSpan[] {
  const fresh: NumberSpan[] = [];
  for (const [first, last] of lines) {
    for (const { from, to, times } of stretches) {
      if (times === 1 && from <= last && to > first)
        fresh.push([Math.max(from, first), Math.min(to - 1, last)]);
    }
  }
  return fresh;
}

class Tally {
  times = 0;
  bytes = 0;
  tokens = 0;
  examples: Example[] = [];

  constructor(examples: Iterable<Example> = []) {
    for (const example of examples) this.add(example);
  }

  add(example: Example): void {
    this.times += 1;
    this.bytes += example.bytes;
    this.tokens += example.tokens;
    const last = this.examples[MAX_HABIT_EXAMPLES - 1];
    if (last && last.tokens >= example.tokens) return;
    const { bytes, tokens, source, instead } = example;
    // Equal examples are listed once, with the highest cost.
    const same = this.examples.findIndex((known) => known.source === source && known.instead === instead);
    if (same !== -1 && (this.examples[same]?.tokens ?? 0) >= tokens) return;
    if (same !== -1) this.examples.splice(same, 1);
    this.examples.push({ ...example, bytes: Math.round(bytes), tokens: Math.round(tokens) });
    this.examples.sort((a, b) => b.tokens - a.tokens);
    this.examples.length = Math.min(this.examples.length, MAX_HABIT_EXAMPLES);
  }
}

function bound<K, V>(map: Map<K, V>): Map<K, V> {
  for (const oldest of map.keys()) {
    if (map.size < MAX_TRACKED_SOURCES) break;
    map.delete(oldest);
  }
  return map;
}

// Writes suggested calls in the syntax of each dialect.

/** What the call should show. Lines are 1-based and inclusive; ranges are sorted and disjoint. */
type WantedCall =
  | { readonly source: string; readonly lines: readonly NumberSpan[] }
  /** The symbols of all files in a directory, instead of a map for each file. */
  | { readonly symbolsIn: string };

/** The fields of a window of lines in a dialect. The last line is a number of lines where it has `limit`. */
export function lineFields(
  dialect: string,
  from: number,
  to: number | undefined,
): Readonly<Record<string, number>> | undefined {
  if (dialect === 'zed') return to === undefined ? { start_line: from } : { start_line: from, end_line: to };
  if (!/^(?:pi|zdx|coder)(?:@|$)/.test(dialect)) return undefined;
  return to === undefined ? { offset: from } : { offset: from, limit: to - from + 1 };
}

function callIn(dialect: string, wanted: WantedCall): string | undefined {
  if (dialect === 'oriel') return pathFor(wanted);
  const range = onlyRange(wanted);
  const fields = range && lineFields(dialect, range.from, range.to);
  // It accepts only absolute paths, but files of the workspace are recorded with relative ones.
  if (!fields || (dialect === 'coder' && !range.source.startsWith('/'))) return undefined;
  return [range.source, ...Object.entries(fields).map(([name, value]) => `${name}=${value}`)].join(' ');
}

/** A call in the syntax of its dialect, and as a path with a selector, which the lens accepts for every dialect. */
interface SuggestedCall {
  readonly instead: string;
  readonly path: string;
}

/** Undefined if the dialect has no such call, or if the recorded path is truncated. */
function callFor(dialect: string, wanted: WantedCall): SuggestedCall | undefined {
  if (!isWhole('source' in wanted ? wanted.source : wanted.symbolsIn)) return undefined;
  const instead = callIn(dialect, wanted);
  return instead === undefined ? undefined : { instead, path: pathFor(wanted) };
}

/** Whether the recorded name of a source is its complete path, so that it can be used in a call. */
export function isWhole(name: string): boolean {
  return !name.includes('…');
}

/** The directory of a source; `.` if its path has none. */
function sourceDirectory(source: string): string {
  const slash = source.lastIndexOf('/');
  return slash <= 0 ? '.' : source.slice(0, slash);
}

/** The directories that contain a source, the innermost first. */
export function* sourceDirectories(source: string): Iterable<string> {
  for (let inner = source; inner !== '.';) yield (inner = sourceDirectory(inner));
}

function pathFor(wanted: WantedCall): string {
  if ('symbolsIn' in wanted) return `${wanted.symbolsIn}:outline`;
  return `${wanted.source}:${wanted.lines.map(([from, to]) => `${from}..${to}`).join(',')}`;
}

function onlyRange(wanted: WantedCall): { source: string; from: number; to: number } | undefined {
  if (!('lines' in wanted) || wanted.lines.length !== 1) return undefined;
  const [[from, to]] = wanted.lines as [NumberSpan];
  return { source: wanted.source, from, to };
}
