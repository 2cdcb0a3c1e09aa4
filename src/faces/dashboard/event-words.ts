/** Formats a call: what it read, what cut it, how long it took. */

import { sizeWords } from '../../telemetry/words.ts';
import type { CallEvent, ReadFacts } from '../../types/telemetry.ts';

/** Maximum sources, and ranges of each, that are named. */
const MOST = 3;

/** `src/a.ts L1-50, src/b.ts (map)` */
export function readWords({ reads = [], list }: CallEvent): string {
  if (list) return `entries from ${list.from.toLocaleString('en')}`;
  const more = reads.length > MOST ? ` and ${reads.length - MOST} more` : '';
  return reads.slice(0, MOST).map(readOf).join(', ') + more;
}

function readOf({ source, view, lines, bytes }: ReadFacts): string {
  if (view !== undefined) return `${source} (${view})`;
  const spans = lines ?? bytes;
  if (!spans) return source;
  const unit = lines ? 'L' : '@';
  return `${source} ${spans
    .slice(0, MOST)
    .map(([from, to]) => `${unit}${from}-${to}`)
    .join(' ')}`;
}

export function cutWords({ reads = [], list }: CallEvent): string {
  return reads.find(({ cutBy }) => cutBy !== undefined)?.cutBy ?? list?.cutBy ?? '';
}

/** `<1 ms`, `3,676 ms` */
export function tookWords({ ms }: CallEvent): string {
  return ms < 1 ? '<1 ms' : `${Math.round(ms).toLocaleString('en')} ms`;
}

/** `7: read src/a.ts L1-50, 2.9 KiB, cut by lines` */
export function callWords(number: number, event: CallEvent): string {
  const read = readWords(event);
  const cut = cutWords(event);
  return [
    `${number.toLocaleString('en')}: ${event.tool}${read === '' ? '' : ` ${read}`}`,
    event.error ?? sizeWords(event.bytes),
    ...(cut === '' ? [] : [`cut by ${cut}`]),
  ].join(', ');
}
