/** Limits for one page of matches, paths or entries: limit, offset, context lines and characters. */

import { OrielError } from '../errors.ts';
import type { ListedEntry, SearchGaps } from '../types/result.ts';

/** The most matches and results of one page: a larger `limit` is reduced, and the answer names the next page. */
export const MAX_PAGE_MATCHES = 10_000;
export const MAX_PAGE_RESULTS = 20_000;

/** The most characters of paths and lines on one page; rendering so many blocks the event loop for about 30 ms. */
export const MAX_PAGE_CHARACTERS: number = 2 << 20;

/** The most context lines before and after a match. */
export const MAX_CONTEXT_LINES = 200;

/** Sorting keeps everything before the page in memory; this bounds it. */
const MAX_PAGE_OFFSET = 1_000_000;

interface Ranged {
  readonly limit: number;
  readonly offset: number;
  readonly before?: number | undefined;
  readonly after?: number | undefined;
}

/** Throws `BAD_INPUT` for a limit below 1, an offset below 0 or too large, and numbers that are not integers. */
export function checkRange(request: Ranged): void {
  const { limit, offset, before = 0, after = 0 } = request;
  need('limit', limit, 1);
  need('offset', offset, 0, MAX_PAGE_OFFSET);
  need(before === after ? 'context' : 'before', before, 0, MAX_CONTEXT_LINES);
  need('after', after, 0, MAX_CONTEXT_LINES);
}

/** Converts items to entries up to the characters of one page, at least one: paths may be thousands of characters long. */
export function entriesOf<T>(items: readonly T[], entry: (item: T, i: number) => ListedEntry): ListedEntry[] {
  const entries: ListedEntry[] = [];
  let room = MAX_PAGE_CHARACTERS;
  for (const [i, item] of items.entries()) {
    const listed = entry(item, i);
    room -= listed.path.length;
    if (room < 0 && i > 0) break;
    entries.push(listed);
  }
  return entries;
}

function need(name: string, value: number, least: number, most: number = Number.MAX_SAFE_INTEGER): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  const upTo = most < Number.MAX_SAFE_INTEGER ? ` and at most ${most}` : '';
  const instead = value > most ? most : least === 0 ? 0 : 100;
  throw new OrielError(
    'BAD_INPUT',
    `${name} must be a whole number of at least ${least}${upTo}, not ${value}. Use ${name}=${instead}.`,
  );
}

// The error for a search or walk whose thread or process ended before it found anything.

export function walkFailed({ short }: Pick<SearchGaps, 'short'>): OrielError {
  if (short) {
    const message =
      'The search ended before it was complete, because the process has no free file descriptors.';
    return new OrielError('BUSY', `${message} Make the same call again.`);
  }
  return new OrielError(
    'LIMIT',
    'The search ended before it was complete: one of its processes or threads needed too much memory, or was ended. Narrow the path or the pattern.',
  );
}
