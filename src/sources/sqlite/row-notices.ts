/** The notices below rows: the call for the next page, and the call that shows a shortened row in full. */

import type { Notice } from '../../types/notice.ts';
import { writeSegment } from './row-address.ts';
import type { Page } from './row-page.ts';
import type { Cell, Count, Key } from './sqlite-protocol.ts';

/** The rows of an answer. */
export interface Composed {
  readonly text: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly notes: readonly Notice[];
  readonly more?: Notice;
}

/** Bytes of a call that a notice may repeat: a notice has 1 KiB at most. */
const MOST_USE = 800;

/** "Showing rows 1-20 of 1000. Use db.sqlite:users?limit=20&offset=20&after=20 to continue". `window`: what differs. */
export function continuation(span: string, use: string, window: string): Notice {
  if (Buffer.byteLength(use) <= MOST_USE) return said(`Showing ${span}. Use ${use} to continue`, use);
  return said(`Showing ${span}. Make the same call with ${window} to continue`);
}

/** " of 1000", " of at least 1000", or nothing. `end`: known rows, when at least one more follows. */
export function ofTotal(count: Count | undefined, end: number): string {
  if (!count) return '';
  return count.exact ? ` of ${count.rows}` : ` of at least ${Math.max(count.rows, end + 1)}`;
}

export interface Calls {
  /** What precedes a key. */
  readonly address: string;
  readonly key: Key | undefined;
  /** The same call for `limit` rows, from the one at `index` (0-based) of this page on. */
  call(limit: number, index: number): string;
}

/** The call that shows the first shortened row in full, by its key or by its position. */
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

/** A value that can be the key of its row in a path: an integer, or text that is not shortened. */
export function keyOf(cell: Cell | undefined): string | undefined {
  if (typeof cell === 'bigint') return String(cell);
  return typeof cell === 'object' && cell?.is === 'text' && !cell.clipped
    ? callableName(cell.text)
    : undefined;
}

/** A name as it is in a call; undefined if it is longer than a call may be. */
export function callableName(name: string): string | undefined {
  return name.length > MOST_USE ? undefined : writeSegment(name);
}

/** A sentence without its brackets. */
export function said(text: string, use?: string): Notice {
  return { kind: 'said', text, ...(use === undefined ? {} : { use }) };
}
