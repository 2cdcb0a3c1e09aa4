/** Determines the kind of a table by its CREATE statement. */

import type { TableType } from '../sqlite-protocol.ts';

/** The suffixes of the shadow tables of a virtual table, by module. */
const FTS3 = ['content', 'segments', 'segdir', 'docsize', 'stat'];
const RTREE = ['node', 'parent', 'rowid'];
export const SHADOWS: ReadonlyMap<string, readonly string[]> = new Map([
  ['fts5', ['data', 'idx', 'content', 'docsize', 'config']],
  ['fts3', FTS3],
  ['fts4', FTS3],
  ['rtree', RTREE],
  ['rtree_i32', RTREE],
  ['geopoly', RTREE],
]);

/** The module of a virtual table in lower case; undefined for any other statement. */
export function moduleOf(sql: string): string | undefined {
  const start = /^create\s+virtual\s+table\s/i.exec(sql);
  return start ? (/\busing\s+["'[`]?(\w+)/i.exec(sql)?.[1] ?? '').toLowerCase() : undefined;
}

export function typeOf(type: string, module: string | undefined, isShadow: boolean): TableType {
  if (type === 'view') return 'view';
  if (module !== undefined) return 'virtual table';
  return isShadow ? 'shadow table' : 'table';
}
