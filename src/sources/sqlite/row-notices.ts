/** The notices below rows: the calls for the next page and for a shortened row in full. */

import type { Notice } from '../../types/notice.ts';
import { writeSegment } from './row-address.ts';
import type { Page } from './row-page.ts';
import type { Cell, Count, Key } from './sqlite-protocol.ts';

/** The text, facts and notices of an answer. */
export interface Composed {
  readonly text: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly notes: readonly Notice[];
  readonly more?: Notice;
}

/** The most bytes of a call in a notice, because a notice has at most 1 KiB. */
const MOST_USE = 800;

/**
 * "Showing rows 1-20 of 1000. Use db.sqlite:users?limit=20&offset=20&after=20 to continue". If the call is too long, only
 * `window` (the parameters that differ) is named.
 */
export function continuation(span: string, use: string, window: string): Notice {
  if (Buffer.byteLength(use) <= MOST_USE) return said(`Showing ${span}. Use ${use} to continue`, use);
  return said(`Showing ${span}. Make the same call with ${window} to continue`);
}

/** " of 1000", " of at least 1000", or nothing. `end` is the number of known rows; at least one more follows. */
export function ofTotal(count: Count | undefined, end: number): string {
  if (!count) return '';
  return count.exact ? ` of ${count.rows}` : ` of at least ${Math.max(count.rows, end + 1)}`;
}

export interface Calls {
  /** The path in front of a key. */
  readonly address: string;
  readonly key: Key | undefined;
  /** The same call for `limit` rows from index `index` (0-based) of this page on. */
  call(limit: number, index: number): string;
}

/** The notice with the call that shows the first shortened row in full, by its key or its position. */
export function cutNotes(
  { cut }: Page,
  rows: readonly (readonly Cell[])[],
  { address, key, call }: Calls,
): Notice[] {
  const [first] = cut;
  if (first === undefined) return [];
  const named = key?.column === undefined ? undefined : keyOf(rows[first]?.[key.column]);
  const use = named === undefined ? call(1, first) : `${address}:${named}`;
  if (Buffer.byteLength(use) > MOST_USE)
    return [said('Values that end in … are cut; a single row is shown in full')];
  return [said(`Values that end in … are cut. Use ${use} for a whole row`, use)];
}

/** The value as a key in a path, if it is an integer or a text that is not shortened; otherwise undefined. */
export function keyOf(cell: Cell | undefined): string | undefined {
  if (typeof cell === 'bigint') return String(cell);
  return typeof cell === 'object' && cell?.is === 'text' && !cell.clipped
    ? callableName(cell.text)
    : undefined;
}

/** The name encoded for a call; undefined if it is too long for one. */
export function callableName(name: string): string | undefined {
  return name.length > MOST_USE ? undefined : writeSegment(name);
}

/** A notice with this sentence, without brackets and full stop. */
export function said(text: string, use?: string): Notice {
  return { kind: 'said', text, ...(use === undefined ? {} : { use }) };
}
