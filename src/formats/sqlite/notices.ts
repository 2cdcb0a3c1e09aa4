/** The notices below rows: the calls for the next page and for a shortened row in full. */

import type { Notice } from '../../types/answer.ts';
import type { RowPage } from './layout.ts';
import type { RowKey, SqliteCell, SqliteCount } from './protocol.ts';
import { writeSegment } from './stored-text.ts';

export interface SqliteText {
  readonly text: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly notes: readonly Notice[];
  readonly more?: Notice | undefined;
}

/** The most bytes of a call in a notice, because a notice has at most 1 KiB. */
const MAX_NOTICE_CALL_BYTES = 800;

/**
 * "Showing rows 1-20 of 1000. Use db.sqlite:users?limit=20&offset=20&after=20 to continue". If the call is too long, only
 * `window` (the parameters that differ) is named.
 */
export function continuation(span: string, use: string, window: string): Notice {
  if (Buffer.byteLength(use) <= MAX_NOTICE_CALL_BYTES)
    return sentenceNotice(`Showing ${span}. Use ${use} to continue`, use);
  return sentenceNotice(`Showing ${span}. Make the same call with ${window} to continue`);
}

/** " of 1000", " of at least 1000", or nothing. `end` is the number of known rows; at least one more follows. */
export function ofTotal(count: SqliteCount | undefined, end: number): string {
  if (!count) return '';
  return count.exact ? ` of ${count.rows}` : ` of at least ${Math.max(count.rows, end + 1)}`;
}

interface RowCalls {
  readonly address: string;
  readonly key: RowKey | undefined;
  /** The same call for `limit` rows from index `index` (0-based) of this page on. */
  call(limit: number, index: number): string;
}

/** The notice with the call that shows the first shortened row in full, by its key or its position. */
export function cutNotes(
  { cut }: RowPage,
  rows: readonly (readonly SqliteCell[])[],
  { address, key, call }: RowCalls,
): Notice[] {
  const [first] = cut;
  if (first === undefined) return [];
  const named = key?.column === undefined ? undefined : keyOf(rows[first]?.[key.column]);
  const use = named === undefined ? call(1, first) : `${address}:${named}`;
  if (Buffer.byteLength(use) > MAX_NOTICE_CALL_BYTES)
    return [sentenceNotice('Values that end in … are cut; a single row is shown in full')];
  return [sentenceNotice(`Values that end in … are cut. Use ${use} for a whole row`, use)];
}

/** The value as a key in a path, if it is an integer or a text that is not shortened; otherwise undefined. */
export function keyOf(cell: SqliteCell | undefined): string | undefined {
  if (typeof cell === 'bigint') return String(cell);
  return typeof cell === 'object' && cell?.kind === 'text' && !cell.clipped
    ? callableName(cell.text)
    : undefined;
}

/** The name encoded for a call; undefined if it is too long for one. */
export function callableName(name: string): string | undefined {
  return name.length > MAX_NOTICE_CALL_BYTES ? undefined : writeSegment(name);
}

/** A notice with this sentence, without brackets and full stop. */
export function sentenceNotice(text: string, use?: string): Notice {
  return { kind: 'said', text, use };
}
