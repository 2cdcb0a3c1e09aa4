/** The rows of a page by position, and whether a reading has kept the rows of its tables. */

import type { TextItem } from './pdf-text.ts';

/** A piece of a line, with where it lies. */
interface Cell {
  readonly text: string;
  readonly x: number;
  readonly end: number;
}

/** Pieces of one line of a page that wide gaps separate, from left to right. */
export type Row = readonly Cell[];

/** A wider gap, in heights of the text, separates cells. */
const CELL_GAP = 0.9;

/** Baselines that differ by less than this part of the height are one line. */
const SAME_LINE = 0.4;

interface Placed {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly end: number;
  readonly height: number;
}

/** From the top of the page down. */
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
  for (const { text, x, end, height } of line) {
    const last = cells.at(-1);
    if (!last || x - last.end > CELL_GAP * height) cells.push({ text, x, end });
    else {
      const space = x - last.end > 0.2 * height ? ' ' : '';
      cells[cells.length - 1] = { text: last.text + space + text, x: last.x, end: Math.max(last.end, end) };
    }
  }
  return cells;
}

/** Cells of a row that can only be one of a table: columns of prose are fewer and longer. */
const LEAST_CELLS = 3;
const MOST_CELL = 30;

/** Rows below each other that are a table. */
const LEAST_ROWS = 3;

/** Points by which the cells of a column may differ in their left edge, middle or right edge. */
const ALIGNED = 3;

/** Rows of tables that are looked for. */
const MOST_ROWS = 150;

/** Whether most rows of tables are not in one line of `text`. */
export function hasLostRows(text: string, rows: readonly Row[]): boolean {
  const isRow = tableRows(rows);
  const tabular = rows.filter((_, i) => isRow[i]).slice(0, MOST_ROWS);
  if (tabular.length < LEAST_ROWS) return false;
  const lines = text.split('\n').map(bare);
  const kept = tabular.filter((row) => lines.some((line) => isIn(row, line)));
  return kept.length < 0.7 * tabular.length;
}

/** For each row whether it is one of a table. */
function tableRows(rows: readonly Row[]): boolean[] {
  const isRow = rows.map(() => false);
  for (let start = 0; start < rows.length;) {
    let end = start + 1;
    while (end < rows.length && isBelow(rows[end - 1] as Row, rows[end] as Row)) end += 1;
    if (end - start >= LEAST_ROWS) isRow.fill(true, start, end);
    start = end;
  }
  return isRow;
}

/** Whether two neighbours have the same columns. */
function isBelow(above: Row, row: Row): boolean {
  if (row.length < LEAST_CELLS || row.length !== above.length) return false;
  if (row.some(({ text }) => text.length > 3 * MOST_CELL)) return false;
  if (row.reduce((sum, { text }) => sum + text.length, 0) > MOST_CELL * row.length) return false;
  return row.every((cell, i) => isAligned(cell, above[i] as Cell));
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

function bare(text: string): string {
  return text.normalize('NFKC').replace(/<\/?\w+>|[^\p{L}\p{M}\p{N}]/gu, '');
}

/** The lines of the page, those of tables as rows. */
export function rowsText(rows: readonly Row[]): string {
  const isRow = tableRows(rows);
  return rows
    .map((row, i) => {
      const cells = row.map(({ text }) => text);
      if (!isRow[i]) return (isRow[i - 1] ? '\n' : '') + cells.join('  ');
      const line = `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
      return isRow[i - 1] ? line : `\n${line}\n|${' --- |'.repeat(row.length)}`;
    })
    .join('\n');
}
