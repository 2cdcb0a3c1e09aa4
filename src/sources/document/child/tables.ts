/** Converts a workbook to a SQLite database: a table for each sheet, with row numbers as keys. */

import { SSF } from '@e965/xlsx';
import type { SqlValue } from '@sqlite.org/sqlite-wasm';
import type { DocumentFacts } from '../document-protocol.ts';
import { tableNames } from '../table-names.ts';
import { cellValue } from './sheet-cells.ts';
import { type Library, loadLibrary } from '../../sqlite/worker/library.ts';
import { columnName, columnsOf, type Grid } from './grid.ts';
import { headerOf } from './headers.ts';
import { sheetsOf } from './sheets.ts';
import { readGrids } from './read-workbook.ts';

/** The most columns of a table; SQLite's own limit is 2,000. */
const MOST_COLUMNS = 1_000;

/** The bytes of the database, and facts about the sheets in it. */
export async function tablesOf(bytes: Buffer): Promise<{ data: Uint8Array; facts: DocumentFacts }> {
  const grids = readGrids(bytes, 'all');
  const library = await loadLibrary((globalThis as { readSqliteWasm?: () => Uint8Array }).readSqliteWasm?.());
  const db = new library.oo1.DB(':memory:', 'c');
  try {
    db.exec('PRAGMA journal_mode=OFF; BEGIN');
    const names = tableNames(grids);
    for (const [i, grid] of grids.entries()) fill(db, grid, names[i] as string, library);
    db.exec('COMMIT');
    return { data: library.capi.sqlite3_js_db_export(db), facts: withBeyond(sheetsOf(grids), grids) };
  } finally {
    db.close();
  }
}

/** Adds to each sheet with too many columns the first one that is not in its table. */
function withBeyond({ sheets = [], ...facts }: DocumentFacts, grids: readonly Grid[]): DocumentFacts {
  const named = sheets.map((sheet, i) => {
    const grid = grids[i];
    if (!grid || sheet.columns <= MOST_COLUMNS) return sheet;
    return { ...sheet, beyond: columnName(columnsOf(grid.rows)[MOST_COLUMNS] ?? 0) };
  });
  return { ...facts, sheets: named };
}

type Database = InstanceType<
  Awaited<ReturnType<typeof import('@sqlite.org/sqlite-wasm').default>>['oo1']['DB']
>;

function fill(db: Database, grid: Grid, table: string, { capi }: Library): void {
  const header = headerOf(grid);
  const columns = header.columns.slice(0, MOST_COLUMNS);
  // An empty sheet becomes a table without rows, which needs a column.
  if (columns.length === 0) columns.push({ at: 0, name: 'A' });
  const { rowid, names } = namesFor(columns);
  db.exec(`CREATE TABLE ${quoted(table)} (${names.join(', ')})`);
  const marks = ['?', ...columns.map(() => '?')].join(', ');
  const insert = db.prepare(`INSERT INTO ${quoted(table)} (${rowid}, ${names.join(', ')}) VALUES (${marks})`);
  try {
    for (const [row, cells] of [...grid.rows].sort(([a], [b]) => a - b)) {
      if (row === header.row) continue;
      const values: SqlValue[] = columns.map(({ at }) => {
        const cell = cells.get(at);
        return cell ? cellValue(cell, SSF, grid.date1904) : null;
      });
      insert.bind([row + 1, ...values]);
      // Bound as a double: the library binds integral numbers as 64-bit integers, and large ones would wrap.
      for (const [i, value] of values.entries())
        if (Number.isInteger(value) && !Number.isSafeInteger(value))
          capi.sqlite3_bind_double(insert, i + 2, value as number);
      insert.stepReset();
    }
  } finally {
    insert.finalize();
  }
}

/** SQLite's names for the row number. A column with such a name (in any case) hides it. */
const ROWIDS = ['rowid', '_rowid_', 'oid'];

/** An unused name for the row number, and the quoted column names. If all are used, one column is renamed. */
function namesFor(columns: readonly { readonly name: string }[]): { rowid: string; names: string[] } {
  const plain = columns.map(({ name }) => name);
  const free = ROWIDS.find((word) => !plain.some((name) => name.toLowerCase() === word));
  const [given = ''] = ROWIDS;
  const names = plain.map((name) => (!free && name.toLowerCase() === given ? freeName(name, plain) : name));
  return { rowid: free ?? given, names: names.map(quoted) };
}

function freeName(name: string, taken: readonly string[]): string {
  let longer = `${name}_`;
  while (taken.some((other) => other.toLowerCase() === longer.toLowerCase())) longer += '_';
  return longer;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""').replaceAll('\0', '')}"`;
}
