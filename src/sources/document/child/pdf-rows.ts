/** Finds the rows of a page by position, and checks whether a reading has kept the rows of its tables. */

import { markdownCell, tableLine, tableRule } from '../../../render/table.ts';
import type { TextItem } from './pdf-text.ts';

/** A piece of a line with its position, in points. */
interface Cell {
  readonly text: string;
  readonly x: number;
  readonly end: number;
  /** The distance of its baseline from the lower edge of the page. */
  readonly y: number;
}

/** The pieces of one line, separated by wide gaps, from left to right. */
export type Row = readonly Cell[];

/** A gap wider than this many text heights separates cells. */
const CELL_GAP = 0.9;

/** Baselines that differ by less than this share of the text height are on one line. */
const SAME_LINE = 0.4;

interface Placed {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly end: number;
  readonly height: number;
}

/** The rows from top to bottom. */
export function rowsOf(items: readonly TextItem[]): Row[] {
  const placed = items
    .filter(({ str }) => str !== undefined && str.trim() !== '')
    .map(({ str, transform: [, , , , x = 0, y = 0], width, height }): Placed => {
      return { text: str.trim(), x, y, end: x + width, height: Math.max(height, 1) };
    })
    .sort((a, b) => b.y - a.y || a.x - b.x);
  const lines: Placed[][] = [];
  for (const piece of placed) {
    const line = lines.at(-1);
    const first = line?.[0];
    if (line && first && first.y - piece.y < SAME_LINE * Math.min(first.height, piece.height))
      line.push(piece);
    else lines.push([piece]);
  }
  return lines.map((line) => cellsOf(line.sort((a, b) => a.x - b.x)));
}

function cellsOf(line: readonly Placed[]): Row {
  const cells: Cell[] = [];
  for (const { text, x, y, end, height } of line) {
    const last = cells.at(-1);
    if (!last || x - last.end > CELL_GAP * height) cells.push({ text, x, y, end });
    else {
      const space = x - last.end > 0.2 * height ? ' ' : '';
      cells[cells.length - 1] = { ...last, text: last.text + space + text, end: Math.max(last.end, end) };
    }
  }
  return cells;
}

/** A table row has at least this many cells, and no longer ones: columns of prose are fewer and longer. */
const LEAST_CELLS = 3;
const MOST_CELL = 30;

/** A row with more cells is not a table row. */
const MOST_COLUMNS = 100;

/** The least number of such consecutive rows that are a table. */
const LEAST_ROWS = 3;

/** Points by which the cells of a column may differ in their left edge, middle or right edge. */
const ALIGNED = 3;

/** The most table rows that are checked. */
const MOST_ROWS = 150;

/** Whether most table rows are not each on one line of `text`, or numbers of two rows are in one cell. */
export function hasLostRows(text: string, rows: readonly Row[]): boolean {
  const tabular = tablesOf(rows)
    .flatMap(({ start, places }) => places.map((at, i) => ({ row: rows[start + i] as Row, at })))
    .slice(0, MOST_ROWS);
  if (tabular.length === 0) return false;
  const lines = text.split('\n').map((line) => ({ line: bare(line), numbers: new Set<number>() }));
  let kept = 0;
  for (const { row, at } of tabular) {
    const numbers = at.filter((_, i) => NUMBER.test(row[i]?.text ?? ''));
    const found = lines.filter(({ line }) => isIn(row, line));
    // Words of a cell may continue on the next line of the page, numbers do not.
    const own = found.find((line) => numbers.every((column) => !line.numbers.has(column)));
    if (!own && found.length > 0) return true;
    if (own) kept += 1;
    for (const column of numbers) own?.numbers.add(column);
  }
  return kept < 0.7 * tabular.length;
}

const NUMBER = /^[\p{Sc}(+−-]*\d[\d.,]*[)%\p{Sc}]*$/u;

interface Table {
  /** Index of its first row. */
  readonly start: number;
  readonly columns: number;
  /** For each row, the columns (0-based) of its cells; blank cells have no text on the page. */
  readonly places: readonly (readonly number[])[];
}

function tablesOf(rows: readonly Row[]): Table[] {
  const tables: Table[] = [];
  for (let start = 0; start < rows.length;) {
    const table = tableAt(rows, start);
    const full = table.places.filter((places) => places.length >= LEAST_CELLS).length;
    if (full >= LEAST_ROWS) tables.push(table);
    start += table.places.length;
  }
  return tables;
}

/** The table that begins at row `start`: consecutive rows with the same columns, some of which may be blank. */
function tableAt(rows: readonly Row[], start: number): Table {
  let columns = rows[start] as Row;
  let places = [columns.map((_, i) => i)];
  if (!isTabular(columns)) return { start, columns: columns.length, places };
  for (let next = start + 1; next < rows.length; next += 1) {
    const row = rows[next] as Row;
    if (!isTabular(row)) break;
    const isWider = row.length > columns.length;
    const at = isWider ? placesIn(row, columns) : placesIn(columns, row);
    if (!at) break;
    if (isWider) {
      places = places.map((known) => known.map((column) => at[column] as number));
      columns = row;
    } else {
      const nearest = [...columns];
      for (const [i, column] of at.entries()) nearest[column] = row[i] as Cell;
      columns = nearest;
    }
    places.push(isWider ? row.map((_, i) => i) : at);
  }
  return { start, columns: columns.length, places };
}

function isTabular(row: Row): boolean {
  if (row.length < LEAST_CELLS - 1 || row.length > MOST_COLUMNS) return false;
  if (row.some(({ text }) => text.length > 3 * MOST_CELL)) return false;
  return row.reduce((sum, { text }) => sum + text.length, 0) <= MOST_CELL * row.length;
}

/** The column of each cell; undefined if a cell is not aligned with any column. */
function placesIn(columns: Row, cells: Row): number[] | undefined {
  const places: number[] = [];
  let column = 0;
  for (const cell of cells) {
    while (column < columns.length && !isAligned(cell, columns[column] as Cell)) column += 1;
    if (column === columns.length) return undefined;
    places.push(column);
    column += 1;
  }
  return places;
}

function isAligned(one: Cell, other: Cell): boolean {
  const distances = [one.x - other.x, one.end - other.end, (one.x + one.end - other.x - other.end) / 2];
  return distances.some((distance) => Math.abs(distance) <= ALIGNED);
}

function isIn(row: Row, line: string): boolean {
  let at = 0;
  for (const { text } of row) {
    const wanted = bare(text);
    const found = line.indexOf(wanted, at);
    if (found === -1) return false;
    at = found + wanted.length;
  }
  return true;
}

/** Only the letters and digits of a text. */
export function bare(text: string): string {
  return text.normalize('NFKC').replace(/<\/?\w+>|[^\p{L}\p{M}\p{N}]/gu, '');
}

/** The lines of the page, with tables as Markdown rows. */
export function rowsText(rows: readonly Row[]): string {
  const lines: string[] = [];
  let next = 0;
  const prose = (end: number): void => {
    for (; next < end; next += 1) lines.push((rows[next] as Row).map(({ text }) => text).join('  '));
  };
  for (const { start, columns, places } of tablesOf(rows)) {
    prose(start);
    lines.push('');
    for (const [i, at] of places.entries()) {
      const cells = Array.from({ length: columns }, () => '');
      for (const [cell, column] of at.entries())
        cells[column] = markdownCell(rows[start + i]?.[cell]?.text ?? '');
      lines.push(tableLine(cells));
      if (i === 0) lines.push(tableRule(columns));
    }
    next = start + places.length;
    if (next < rows.length) lines.push('');
  }
  prose(rows.length);
  return lines.join('\n');
}
