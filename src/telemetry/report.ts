/** The report on a task as plain JSON, for the command line, HTTP and the dashboard. */

import type { FileReport, TaskReport } from '../types/task-report.ts';
import type { Coverage } from './coverage.ts';
import type { FileFigures } from './file-figures.ts';
import { share } from './task-counts.ts';
import type { TaskFigures } from './task-figures.ts';
import { verdictOf } from './verdict.ts';

/** Maximum sources in a report; the most wasteful come first. */
const MOST_FILES = 100;

/** Maximum stretches of a source: more could not be distinguished on a screen. */
const MOST_STRETCHES = 200;

export function reportOf(figures: TaskFigures, most: number = MOST_FILES): TaskReport {
  const { client, first, last, ms, largest, reads, repeated, fresh, again, sizes } = figures;
  const files = [...figures.files.values()].toSorted(
    (a, b) => wasteOf(b) - wasteOf(a) || b.answered - a.answered || (a.source < b.source ? -1 : 1),
  );
  return {
    ...figures.totals,
    ...(client !== undefined && { client }),
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
    ...(figures.otherReads > 0 && {
      others: { reads: figures.otherReads, bytes: Math.round(figures.otherBytes) },
    }),
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

export function fileReport(file: FileFigures): FileReport {
  const { source, what, reads, answered, fresh, again, followed, versions, maps, mapFollowed } = file;
  const inLines =
    file.totalLines !== undefined && (file.lines.stretches.length > 0 || file.bytes.stretches.length === 0);
  const coverage = inLines ? file.lines : file.bytes;
  // Line numbers are 1-based, stretches 0-based.
  const base = inLines ? 1 : 0;
  const total = inLines ? file.totalLines : file.totalBytes;
  return {
    source,
    ...(what !== undefined && { what }),
    reads,
    bytes: Math.round(answered),
    redundancy: share(again, fresh + again),
    followed,
    versions,
    unit: inLines ? 'lines' : 'bytes',
    ...(total !== undefined && { total, never: Math.max(0, total - coverage.covered) }),
    once: coverage.covered - coverage.repeated,
    again: coverage.repeated,
    ...(coverage.approximate && { approximate: true }),
    stretches: stretchesOf(coverage, base),
    ...(maps > 0 && { maps, mapFollowed }),
  };
}

/** The stretches, 0-based and half-open. If there are too many, adjacent ones are merged. */
function stretchesOf({ stretches }: Coverage, base: number): FileReport['stretches'] {
  const step = Math.ceil(stretches.length / MOST_STRETCHES);
  const all: [number, number, number][] = [];
  for (let i = 0; i < stretches.length; i += step) {
    const some = stretches.slice(i, i + step);
    const [first, last] = [some[0], some.at(-1)];
    if (first && last)
      all.push([first.from - base, last.to - base, Math.max(...some.map(({ times }) => times))]);
  }
  return all;
}
