/** The report on a task as plain JSON, for the command line, HTTP and the dashboard. */

import type {
  FileReport,
  HabitExample,
  HabitName,
  HabitReport,
  ReportVerdict,
  SizeReport,
  TaskReport,
  TaskTotals,
} from '../types/telemetry.ts';
import type { FileFigures, TextCoverage } from './file-figures.ts';
import { share, sumTaskCounts, type TaskFigures, totalsOf } from './task-figures.ts';

/** Maximum sources in a report; the most wasteful come first. */
const MAX_REPORT_SOURCES = 100;

/** Maximum stretches of a source: more could not be distinguished on a screen. */
const MAX_REPORT_STRETCHES = 200;

export function reportOf(figures: TaskFigures, most: number = MAX_REPORT_SOURCES): TaskReport {
  const { client, first, last, ms, largest, reads, repeated, fresh, again, sizes } = figures;
  const files = [...figures.files.values()].toSorted(
    (a, b) => wasteOf(b) - wasteOf(a) || b.answered - a.answered || (a.source < b.source ? -1 : 1),
  );
  return {
    ...figures.totals,
    client,
    first,
    last,
    ms: Math.round(ms),
    largest,
    reads,
    repeated,
    fresh,
    again,
    chains: figures.chains.size,
    tools: figures.tools.sorted(),
    cuts: figures.cuts.sorted(),
    codes: figures.codes.sorted(),
    hosts: figures.hosts.sorted(),
    dialects: figures.dialects.sorted(),
    sources: files.length,
    others:
      figures.otherReads > 0
        ? { reads: figures.otherReads, bytes: Math.round(figures.otherBytes) }
        : undefined,
    files: files.slice(0, most).map(fileReport),
    habits: figures.habits.list(),
    sizes: sizes.sizes.map((size) => ({ ...size, bytes: Math.round(size.bytes) })),
    verdict: verdictOf(sizes.sizes),
  };
}

/** Bytes of answers that showed text again. */
function wasteOf({ answered, fresh, again }: FileFigures): number {
  return fresh + again === 0 ? 0 : (answered * again) / (fresh + again);
}

function fileReport(file: FileFigures): FileReport {
  const { source, what, reads, answered, fresh, again, followed, versions, maps, mapFollowed } = file;
  const inLines =
    file.totalLines !== undefined && (file.lines.stretches.length > 0 || file.bytes.stretches.length === 0);
  const coverage = inLines ? file.lines : file.bytes;
  // Line numbers are 1-based, stretches 0-based.
  const base = inLines ? 1 : 0;
  const total = inLines ? file.totalLines : file.totalBytes;
  return {
    source,
    what,
    reads,
    bytes: Math.round(answered),
    redundancy: share(again, fresh + again),
    followed,
    versions,
    unit: inLines ? 'lines' : 'bytes',
    ...(total !== undefined && { total, never: Math.max(0, total - coverage.covered) }),
    once: coverage.covered - coverage.repeated,
    again: coverage.repeated,
    approximate: coverage.approximate || undefined,
    stretches: stretchesOf(coverage, base),
    ...(maps > 0 && { maps, mapFollowed }),
  };
}

/** The stretches, 0-based and half-open. If there are too many, adjacent ones are merged. */
function stretchesOf({ stretches }: TextCoverage, base: number): FileReport['stretches'] {
  const step = Math.ceil(stretches.length / MAX_REPORT_STRETCHES);
  const all: [number, number, number][] = [];
  for (let i = 0; i < stretches.length; i += step) {
    const some = stretches.slice(i, i + step);
    const [first, last] = [some[0], some.at(-1)];
    if (first && last)
      all.push([first.from - base, last.to - base, Math.max(...some.map(({ times }) => times))]);
  }
  return all;
}

// The figures of many tasks, each and in total.

export interface TasksOverview extends Omit<TaskTotals, 'id'> {
  /** Number of tasks; `reports` may list fewer. */
  readonly tasks: number;
  /** The three most expensive habits, the most expensive first. */
  readonly habits: readonly HabitReport[];
  readonly sizes: readonly SizeReport[];
  readonly verdict: ReportVerdict;
  /** The tasks with the most bytes first. */
  readonly reports: readonly TaskReport[];
}

const MAX_OVERVIEW_REPORTS = 100;

const MAX_OVERVIEW_HABITS = 3;

const MAX_OVERVIEW_EXAMPLES = 5;

export function overviewOf(figures: readonly TaskFigures[]): TasksOverview {
  const { id: _, ...totals } = totalsOf('', sumTaskCounts(figures));
  const all = figures.flatMap(({ sizes }) => sizes.sizes);
  const sizes = (['small', 'middle', 'large'] as const).map((size) => sumSizeReports(all, size));
  const largest = figures.toSorted((a, b) => b.bytes - a.bytes || a.first - b.first);
  return {
    tasks: figures.length,
    ...totals,
    habits: habitsOf(figures).slice(0, MAX_OVERVIEW_HABITS),
    sizes,
    verdict: verdictOf(sizes),
    reports: largest.slice(0, MAX_OVERVIEW_REPORTS).map((task) => reportOf(task)),
  };
}

function habitsOf(figures: readonly TaskFigures[]): HabitReport[] {
  const all = new Map<HabitReport['name'], HabitReport>();
  for (const { name, times, bytes, tokens, examples } of figures.flatMap(({ habits }) => habits.list())) {
    const known = all.get(name) ?? { name, times: 0, bytes: 0, tokens: 0, examples: [] };
    all.set(name, {
      name,
      times: known.times + times,
      bytes: known.bytes + bytes,
      tokens: known.tokens + tokens,
      examples: [...known.examples, ...examples]
        .toSorted((a, b) => b.tokens - a.tokens)
        .slice(0, MAX_OVERVIEW_EXAMPLES),
    });
  }
  return [...all.values()].toSorted((a, b) => b.tokens - a.tokens);
}

// The verdict of the report: did larger windows reduce the number of calls?

/** Minimum number of sources of a size; with fewer the verdict is `unknown`. */
const MIN_VERDICT_SOURCES = 3;

const DIFFERENCE = 0.1;

/** Compares sources whose first answer had less than 8 KiB with those whose first answer had 32 KiB or more. */
export function verdictOf(sizes: readonly SizeReport[]): ReportVerdict {
  const [small, large] = [sumSizeReports(sizes, 'small'), sumSizeReports(sizes, 'large')];
  if (small.sources < MIN_VERDICT_SOURCES || large.sources < MIN_VERDICT_SOURCES) {
    return {
      reduced: 'unknown',
      text:
        `Whether larger windows reduced calls cannot be told yet. It takes ${MIN_VERDICT_SOURCES} texts over 8 KiB that were begun with ` +
        `an answer below 8 KiB (so far ${small.sources}) and ${MIN_VERDICT_SOURCES} with one of 32 KiB or more (so far ${large.sources}).`,
    };
  }
  const [few, many] = [large.reads / large.sources, small.reads / small.sources];
  const reduced = few < many * (1 - DIFFERENCE) ? 'yes' : 'no';
  const facts =
    `texts over 8 KiB that were begun with an answer of 32 KiB or more took ${few.toFixed(1)} reads each (${large.sources} of them), ` +
    `those begun with less than 8 KiB took ${many.toFixed(1)} (${small.sources} of them)`;
  return {
    reduced,
    text:
      reduced === 'yes'
        ? `Larger windows reduced calls: ${facts}.`
        : `Larger windows did not reduce calls: ${facts}.`,
  };
}

function sumSizeReports(sizes: readonly SizeReport[], name: SizeReport['size']): SizeReport {
  const sum = { size: name, sources: 0, reads: 0, pages: 0, bytes: 0 };
  for (const { size, sources, reads, pages, bytes } of sizes) {
    if (size !== name) continue;
    sum.sources += sources;
    sum.reads += reads;
    sum.pages += pages;
    sum.bytes += bytes;
  }
  return sum;
}

// Formats figures of telemetry for the command line and the dashboard.

const HABITS: Readonly<Record<HabitName, string>> = {
  whole: 'read whole, needed in part',
  again: 'ranges asked again',
  map: 'maps never followed',
};

/** `1234` → `1.2 KiB` */
export function sizeWords(bytes: number): string {
  if (bytes < 1_024) return `${Math.round(bytes)} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let [value, unit] = [bytes / 1_024, 0];
  while (value >= 1_023.95 && unit < units.length - 1) [value, unit] = [value / 1_024, unit + 1];
  return `${value < 100 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function countWords(count: number, one: string): string {
  return `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`;
}

/** `1 line is not an event`, `3 lines are not events` */
export function skippedWords(count: number): string {
  return count === 1 ? '1 line is not an event' : `${countWords(count, 'line')} are not events`;
}

/** A share in percent; only 1 is shown as `100 %`. */
export function percentWords(share: number): string {
  return `${share < 1 ? Math.min(99, Math.round(100 * share)) : 100} %`;
}

/** `ranges asked again: 5 times, 120 KiB, about 30,720 tokens` */
export function habitWords({ name, times, bytes, tokens }: HabitReport): string {
  return `${HABITS[name]}: ${countWords(times, 'time')}, ${sizeWords(bytes)}, about ${countWords(tokens, 'token')}`;
}

/** `src/a.ts (40 KiB): src/a.ts:101..150 would have been enough` */
export function exampleWords(name: HabitName, { source, bytes, instead }: HabitExample): string {
  const cheaper: Record<HabitName, string> = {
    whole: `${instead} would have been enough`,
    again: `${instead} would have shown what was new`,
    map: `${instead} shows the symbols of all files there`,
  };
  const none: Record<HabitName, string> = {
    whole: 'a part of it would have been enough',
    again: 'it had been shown',
    map: 'nothing of it was read',
  };
  return `${source} (${sizeWords(bytes)}): ${instead === undefined ? none[name] : cheaper[name]}`;
}

/** `once 300, again 120, never 580 of 1,000 lines`; `about once …` if stretches were merged. */
export function coverageWords({ once, again, never, total, unit, approximate }: FileReport): string {
  const seen = `${approximate === true ? 'about ' : ''}once ${once.toLocaleString('en')}, again ${again.toLocaleString('en')}`;
  if (total === undefined || never === undefined) return `${seen} ${unit}`;
  return `${seen}, never ${never.toLocaleString('en')} of ${total.toLocaleString('en')} ${unit}`;
}

/** `120 reads of further sources, 4.0 KiB: there are too many to list` */
export function othersWords({ reads, bytes }: NonNullable<TaskReport['others']>): string {
  return `${countWords(reads, 'read')} of further sources, ${sizeWords(bytes)}: there are too many to list`;
}

/** `14:03:22` for today, otherwise `2026-11-22 14:03:22`, in local time. */
export function timeWords(at: number, now: number = Date.now()): string {
  const [day, today] = [dayOf(at), dayOf(now)];
  const time = new Date(at).toLocaleTimeString('en-GB');
  return day === today ? time : `${day} ${time}`;
}

/** The Swedish locale has the date format of ISO 8601. */
const dayOf = (at: number): string => new Date(at).toLocaleDateString('sv');
