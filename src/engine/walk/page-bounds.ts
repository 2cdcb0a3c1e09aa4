/** Limits for one page of matches, paths or entries: limit, offset, context lines and characters. */

import { OrielError } from '../../errors.ts';
import type { ListedEntry } from '../../types/result.ts';

/** The most matches and results of one page: a larger `limit` is reduced, and the answer names the next page. */
export const MOST_MATCHES = 10_000;
export const MOST_RESULTS = 20_000;

/** The most characters of paths and lines on one page; rendering so many blocks the event loop for about 30 ms. */
export const MOST_CHARACTERS: number = 2 << 20;

/** The most context lines before and after a match. */
export const MOST_CONTEXT = 200;

/** Sorting keeps everything before the page in memory; this bounds it. */
const MOST_OFFSET = 1_000_000;

interface Ranged {
  readonly limit: number;
  readonly offset: number;
  readonly before?: number;
  readonly after?: number;
}

/** Throws `BAD_INPUT` for a limit below 1, an offset below 0 or too large, and numbers that are not integers. */
export function checkRange(request: Ranged): void {
  const { limit, offset, before = 0, after = 0 } = request;
  need('limit', limit, 1);
  need('offset', offset, 0, MOST_OFFSET);
  need(before === after ? 'context' : 'before', before, 0, MOST_CONTEXT);
  need('after', after, 0, MOST_CONTEXT);
}

/** Converts items to entries up to the characters of one page, at least one: paths may be thousands of characters long. */
export function entriesOf<T>(items: readonly T[], entry: (item: T, i: number) => ListedEntry): ListedEntry[] {
  const entries: ListedEntry[] = [];
  let room = MOST_CHARACTERS;
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
