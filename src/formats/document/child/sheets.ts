/** Workbooks as text: every sheet with its range and cells, only the first rows of a large sheet, or one range. */

import type { SqlValue } from '@sqlite.org/sqlite-wasm';
import { loadLibrary, type SqliteLibrary } from '../../sqlite/worker/library.ts';
import {
  type DocumentFacts,
  type DocumentFormat,
  type DocumentPart,
  DocumentRefusal,
  type SheetFacts,
  type SheetRange,
  tableNames,
} from '../protocol.ts';
import {
  areaName,
  cellValue,
  columnName,
  columnsOf,
  EVERYTHING,
  hasHeader,
  headerOf,
  parseArea,
  rangeName,
  rowCount,
  type SheetGrid,
  sheetHead,
  tableLines,
  usedArea,
} from './grid.ts';
import type { ConvertedText } from './markdown.ts';
import { asideText, readGrids, unshownInWorkbook } from './read-workbook.ts';

/** The most cells and rows of a sheet that is shown completely. */
const MAX_WHOLE_SHEET_CELLS = 20_000;
const MAX_WHOLE_SHEET_ROWS = 1_000;

/** The rows shown of a larger sheet. */
const HEAD_ROWS = 20;

export function workbookText(bytes: Buffer, format: DocumentFormat): ConvertedText {
  const grids = readGrids(bytes, 'first');
  const facts = { ...sheetsOf(grids), unshown: unshownInWorkbook(bytes) };
  return { text: wholeText(grids, () => asideText(bytes, format)), facts };
}

function* wholeText(grids: readonly SheetGrid[], asides: () => string): Generator<string> {
  for (const [i, grid] of grids.entries()) {
    yield (i === 0 ? '' : '\n') + sheetHead(grid);
    if (grid.rows.size === 0) continue;
    yield '\n';
    yield* tableLines(grid, EVERYTHING, shownRows(grid));
  }
  yield asides();
}

/** The rows that `workbookText` leaves out. `ranges` grows while the text is consumed. */
export function restText(bytes: Buffer): ConvertedText {
  // How many rows that text has is decided with only the first rows read, as there.
  const shown = readGrids(bytes, 'first').map(shownRows);
  const grids = readGrids(bytes, 'all');
  const ranges: SheetRange[] = [];
  return { text: rowsLeftOut(grids, shown, ranges), facts: sheetsOf(grids), ranges };
}

function* rowsLeftOut(
  grids: readonly SheetGrid[],
  shown: readonly number[],
  ranges: SheetRange[],
): Generator<string> {
  let [lines, start] = [0, 0];
  for (const [i, grid] of grids.entries()) {
    const area = usedArea(grid.rows);
    const top = [...grid.rows.keys()].sort((a, b) => a - b)[shown[i] ?? 0];
    if (!area || top === undefined) continue;
    const below = { ...area, top };
    ranges.push({ sheet: grid.name, range: areaName(below), lines, start });
    for (const line of tableLines(grid, below, Number.POSITIVE_INFINITY)) {
      lines += 1;
      start += Buffer.byteLength(line);
      yield line;
    }
  }
}

export function sheetText(
  bytes: Buffer,
  { sheet, range, formulas }: Extract<DocumentPart, { kind: 'sheet' }>,
): ConvertedText {
  const area = range === undefined ? EVERYTHING : parseArea(range);
  if (!area) throw new DocumentRefusal('absent', `${range} is not a range of cells`);
  const upTo = range === undefined ? 'first' : Number.isFinite(area.bottom) ? area.bottom + 1 : 'all';
  const grids = readGrids(bytes, upTo, formulas);
  const facts = sheetsOf(grids);
  const grid = findSheet(grids, sheet);
  if (!grid) throw new DocumentRefusal('absent', `there is no sheet ${sheet}`);
  const own = { sheets: [sheetFacts(grid)] };
  if (range === undefined) return { text: wholeText([grid], () => ''), facts: own, allSheets: facts.sheets };
  return { text: tableLines(grid, area, Number.POSITIVE_INFINITY), facts };
}

/** Finds a sheet by name, otherwise case-insensitively. An empty name means the first visible sheet. */
function findSheet(grids: readonly SheetGrid[], name: string): SheetGrid | undefined {
  if (name === '') return grids.find(({ hidden }) => hidden === '') ?? grids[0];
  const lower = name.toLowerCase();
  return grids.find((grid) => grid.name === name) ?? grids.find((grid) => grid.name.toLowerCase() === lower);
}

function shownRows(grid: SheetGrid): number {
  const cells = grid.rows.size * columnsOf(grid.rows).length;
  return rowCount(grid) > MAX_WHOLE_SHEET_ROWS || cells > MAX_WHOLE_SHEET_CELLS ? HEAD_ROWS : grid.rows.size;
}

/** The most bytes of JSON about sheets, because a reply's head is kept in memory. */
const MAX_SHEET_FACTS_BYTES = 1 << 20;

export function sheetsOf(grids: readonly SheetGrid[]): DocumentFacts {
  let bytes = 0;
  const sheets = grids
    .map(sheetFacts)
    .filter((facts) => (bytes += Buffer.byteLength(JSON.stringify(facts))) <= MAX_SHEET_FACTS_BYTES);
  return { sheets, sheetCount: sheets.length < grids.length ? grids.length : undefined };
}

function sheetFacts(grid: SheetGrid): SheetFacts {
  const area = usedArea(grid.rows);
  const shown = shownRows(grid);
  return {
    name: grid.name,
    hidden: grid.hidden !== '' || undefined,
    range: area ? rangeName(grid, area) : undefined,
    rows: rowCount(grid),
    goesOn: grid.goesOn ? true : undefined,
    columns: columnsOf(grid.rows).length,
    shown: shown < rowCount(grid) ? shown : undefined,
    header: hasHeader(grid) || undefined,
  };
}

// Converts a workbook to a SQLite database: a table for each sheet, with row numbers as keys.

/** The most columns of a table; SQLite's own limit is 2,000. */
const MAX_TABLE_COLUMNS = 1_000;

/** The bytes of the database, and facts about the sheets in it. */
export async function tablesOf(bytes: Buffer): Promise<{ data: Uint8Array; facts: DocumentFacts }> {
  const grids = readGrids(bytes, 'all');
  const library = await loadLibrary(
    (globalThis as { readSqliteWasm?: (() => Uint8Array) | undefined }).readSqliteWasm?.(),
  );
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
function withBeyond({ sheets = [], ...facts }: DocumentFacts, grids: readonly SheetGrid[]): DocumentFacts {
  const named = sheets.map((sheet, i) => {
    const grid = grids[i];
    if (!grid || sheet.columns <= MAX_TABLE_COLUMNS) return sheet;
    return { ...sheet, beyond: columnName(columnsOf(grid.rows)[MAX_TABLE_COLUMNS] ?? 0) };
  });
  return { ...facts, sheets: named };
}

type Database = InstanceType<
  Awaited<ReturnType<typeof import('@sqlite.org/sqlite-wasm').default>>['oo1']['DB']
>;

function fill(db: Database, grid: SheetGrid, table: string, { capi }: SqliteLibrary): void {
  const header = headerOf(grid);
  const columns = header.columns.slice(0, MAX_TABLE_COLUMNS);
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
        return cell ? cellValue(cell, grid.date1904) : null;
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
