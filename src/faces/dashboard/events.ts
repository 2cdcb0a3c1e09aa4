/** Formats a call: what it read, what cut it, how long it took. */

import { sizeWords } from '../../telemetry/report.ts';
import type { CallEvent, ReadFacts } from '../../types/telemetry.ts';

/** Maximum sources, and ranges of each, that are named. */
const MAX_NAMED_SOURCES = 3;

/** `src/a.ts L1-50, src/b.ts (map)` */
export function readWords({ reads = [], list }: CallEvent): string {
  if (list) return `entries from ${list.from.toLocaleString('en')}`;
  const more = reads.length > MAX_NAMED_SOURCES ? ` and ${reads.length - MAX_NAMED_SOURCES} more` : '';
  return reads.slice(0, MAX_NAMED_SOURCES).map(readOf).join(', ') + more;
}

function readOf({ source, view, lines, bytes }: ReadFacts): string {
  if (view !== undefined) return `${source} (${view})`;
  const spans = lines ?? bytes;
  if (!spans) return source;
  const unit = lines ? 'L' : '@';
  return `${source} ${spans
    .slice(0, MAX_NAMED_SOURCES)
    .map(([from, to]) => `${unit}${from}-${to}`)
    .join(' ')}`;
}

export function cutReason({ reads = [], list }: CallEvent): string {
  return reads.find(({ cutBy }) => cutBy !== undefined)?.cutBy ?? list?.cutBy ?? '';
}

/** `<1 ms`, `3,676 ms` */
export function tookWords({ ms }: CallEvent): string {
  return ms < 1 ? '<1 ms' : `${Math.round(ms).toLocaleString('en')} ms`;
}

/** `7: read src/a.ts L1-50, 2.9 KiB, cut by lines` */
export function callWords(number: number, event: CallEvent): string {
  const read = readWords(event);
  const cut = cutReason(event);
  return [
    `${number.toLocaleString('en')}: ${event.tool}${read === '' ? '' : ` ${read}`}`,
    event.error ?? sizeWords(event.bytes),
    ...(cut === '' ? [] : [`cut by ${cut}`]),
  ].join(', ');
}

// Processes many items in slices, between which the browser can render.

/** Milliseconds of a slice: a frame then takes well below 100 ms on a slow machine. */
const SLICE_MS = 12;

/** Ends early when `signal` is aborted. */
export async function inSlices<T>(
  items: readonly T[],
  work: (item: T) => void,
  signal: AbortSignal,
  now: () => number = () => performance.now(),
): Promise<void> {
  let end = now() + SLICE_MS;
  for (const item of items) {
    if (signal.aborted) return;
    work(item);
    if (now() < end) continue;
    await pause();
    end = now() + SLICE_MS;
  }
}

/** Lets the browser handle input and rendering. */
const pause = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve));
