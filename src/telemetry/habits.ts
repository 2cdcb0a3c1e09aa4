/** Habits of a reader that cost most, and for examples of each the call that would have been cheaper. */

import type { CallEvent, Habit, HabitExample as Example, HabitName, ReadFacts } from '../types/telemetry.ts';
import { callFor } from './call-for.ts';
import type { Chain, FileFigures, Placed } from './file-figures.ts';

/** What a call costs beside the text of its answer: its arguments, its frame in the conversation. */
export const CALL_BYTES = 400;

/** Below this a text is read whole with good reason. */
const LEAST_WHOLE = 8 * 1024;

/** The part of a text that is "in part". */
const PART = 0.5;

const MOST_EXAMPLES = 5;

/** Sources of which something is remembered. */
const MOST_KEPT = 1_000;

interface Addition {
  readonly file: FileFigures;
  readonly placed: Placed;
  readonly answerBytes: number;
}

export class Habits {
  readonly #whole = new Tally();
  readonly #again = new Tally();
  /** By source: a map that nothing has followed yet. */
  readonly #maps = new Map<string, Example>();
  readonly #pages = new Map<Chain, Example>();
  /** Whole reads by source, until a part of it is read again. */
  readonly #wholes = new Map<string, number>();

  add({ dialect }: CallEvent, read: ReadFacts, { file, placed, answerBytes }: Addition): void {
    const { source } = file;
    if (read.view === 'map' || read.view === 'outline') {
      const instead = callFor(dialect, { symbolsOf: source });
      bound(this.#maps).set(source, {
        source,
        bytes: answerBytes,
        ...(instead !== undefined && { instead }),
      });
      return;
    }
    if (!read.bytes) return;
    this.#maps.delete(source);
    this.#addRange(dialect, read, { file, placed, answerBytes });
    const { chain } = placed;
    if (chain && chain.calls > 1) {
      const from = read.bytes[0]?.[0] ?? 0;
      const instead = callFor(dialect, { source, fromByte: Math.min(from, firstOf(file)) });
      bound(this.#pages).set(chain, {
        source,
        bytes: CALL_BYTES * (chain.calls - 1),
        ...(instead !== undefined && { instead }),
      });
    }
    const { totalBytes } = file;
    if (
      totalBytes !== undefined &&
      totalBytes >= LEAST_WHOLE &&
      file.bytes.covered >= totalBytes &&
      !placed.knownWhole
    )
      bound(this.#wholes).set(source, file.answered);
  }

  /** All of them, the dearest first. */
  list(): readonly Habit[] {
    const maps = new Tally(this.#maps.values());
    const pages = new Tally(this.#pages.values());
    const all: readonly (readonly [HabitName, Tally])[] = [
      ['whole', this.#whole],
      ['again', this.#again],
      ['map', maps],
      ['pages', pages],
    ];
    return all
      .filter(([, { times }]) => times > 0)
      .map(([name, { times, bytes, examples }]) => ({ name, times, bytes: Math.round(bytes), examples }))
      .toSorted((a, b) => b.bytes - a.bytes);
  }

  #addRange(dialect: string, read: ReadFacts, { file, placed, answerBytes }: Addition): void {
    const { fresh, again, knownWhole } = placed;
    if (again === 0) return;
    const { source, totalBytes = Number.POSITIVE_INFINITY } = file;
    const lines = read.lines?.[0];
    const whole = this.#wholes.get(source);
    if (knownWhole && whole !== undefined && again < PART * totalBytes) {
      // The part would have been enough: the whole was read for nothing else.
      this.#wholes.delete(source);
      const instead = lines && callFor(dialect, { source, lines });
      this.#whole.add({ source, bytes: whole, ...(instead !== undefined && { instead }) });
      return;
    }
    const rest = fresh > 0 ? freshPart(read, file) : undefined;
    const instead = rest && callFor(dialect, { source, lines: rest });
    const bytes = (answerBytes * again) / (again + fresh);
    this.#again.add({ source, bytes, ...(instead !== undefined && { instead }) });
  }
}

/** The lines of a read that were shown for the first time: from the first one of them to the last one. */
function freshPart({ lines = [] }: ReadFacts, file: FileFigures): readonly [number, number] | undefined {
  const once = file.lines.stretches.filter(
    ({ times, from, to }) => times === 1 && lines.some(([first, last]) => from <= last && to > first),
  );
  const [first, last] = [lines[0], lines.at(-1)];
  const [start, end] = [once[0], once.at(-1)];
  if (!first || !last || !start || !end) return undefined;
  return [Math.max(start.from, first[0]), Math.min(end.to - 1, last[1])];
}

function firstOf({ bytes }: FileFigures): number {
  return bytes.stretches[0]?.from ?? 0;
}

class Tally {
  times = 0;
  bytes = 0;
  examples: Example[] = [];

  constructor(examples: Iterable<Example> = []) {
    for (const example of examples) this.add(example);
  }

  add(example: Example): void {
    this.times += 1;
    this.bytes += example.bytes;
    const last = this.examples[MOST_EXAMPLES - 1];
    if (last && last.bytes >= example.bytes) return;
    this.examples.push({ ...example, bytes: Math.round(example.bytes) });
    this.examples.sort((a, b) => b.bytes - a.bytes);
    this.examples.length = Math.min(this.examples.length, MOST_EXAMPLES);
  }
}

/** Without the oldest entry, where there are too many. */
function bound<K, V>(map: Map<K, V>): Map<K, V> {
  for (const oldest of map.keys()) {
    if (map.size < MOST_KEPT) break;
    map.delete(oldest);
  }
  return map;
}
