/** Formats sheets as Markdown tables with column letters and row numbers. */

import type { CellObject, Range } from '@e965/xlsx';
import { tableLine, tableRule, valueText } from '../../../render/table.ts';
import { plural } from '../../../render/units.ts';
import { escapeBreaks } from '../../../text/visible.ts';
import { cellText, type Formatter } from './sheet-cells.ts';
import type { RowCount } from './row-counts.ts';

/** Rows of a sheet that are read first: one more than are shown. */
export const FIRST_ROWS = 1_001;

/** Cells by row and column (0-based); rows and cells without content are absent. */
export type Rows = ReadonlyMap<number, ReadonlyMap<number, CellObject>>;

export interface Grid {
  readonly name: string;
  /** `"hidden"`, `"very hidden"`, or empty for a visible sheet. */
  readonly hidden: string;
  readonly isChart: boolean;
  readonly rows: Rows;
  readonly merges: readonly Range[];
  /** The count of all rows, if only the first ones were read. */
  readonly counted?: RowCount;
  /** Set if only the first rows were read and their total is not known. */
  readonly goesOn?: true;
  readonly date1904: boolean;
  /** Whether its part of the file is missing or damaged, so that cells are missing. */
  readonly isDamaged?: boolean;
}

/** A range of cells, 0-based and inclusive. */
export interface Area {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

export const EVERYTHING: Area = { top: 0, left: 0, bottom: Infinity, right: Infinity };

/** The smallest area that contains all content; undefined for an empty sheet. */
export function usedArea(rows: Rows): Area | undefined {
  let area: Area | undefined;
  for (const [row, cells] of rows) {
    for (const column of cells.keys()) {
      area = {
        top: Math.min(area?.top ?? row, row),
        left: Math.min(area?.left ?? column, column),
        bottom: Math.max(area?.bottom ?? row, row),
        right: Math.max(area?.right ?? column, column),
      };
    }
  }
  return area;
}

/** 0 → `A`, 26 → `AA`. */
export function columnName(column: number): string {
  let name = '';
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26))
    name = String.fromCharCode(65 + ((left - 1) % 26)) + name;
  return name;
}

export function areaName({ top, left, bottom, right }: Area): string {
  const first = `${columnName(left)}${top + 1}`;
  const last = `${columnName(right)}${bottom + 1}`;
  return first === last ? first : `${first}:${last}`;
}

const RANGE = /^\$?([A-Z]{1,3})?\$?(\d{1,7})?(?:(:)\$?([A-Z]{1,3})?\$?(\d{1,7})?)?$/i;

/** Parses `A1:H50`, `B7`, `A:C`; undefined for anything else. */
export function parseArea(text: string): Area | undefined {
  const [whole, column1, row1, colon, column2, row2] = RANGE.exec(text) ?? [];
  if (!whole || !column1 || (!row1 && !colon)) return undefined;
  if (colon && !column2 && !row2) return undefined;
  const rows = [row1 ? Number(row1) - 1 : 0, row2 ? Number(row2) - 1 : colon ? Infinity : Number(row1) - 1];
  const first = columnNumber(column1);
  const columns = [first, column2 ? columnNumber(column2) : colon ? Infinity : first];
  return {
    top: Math.min(...rows),
    bottom: Math.max(...rows),
    left: Math.min(...columns),
    right: Math.max(...columns),
  };
}

function columnNumber(name: string): number {
  return [...name.toUpperCase()].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 64, 0) - 1;
}

/** The most merged ranges that are listed. */
const MOST_MERGES = 20;

/** The heading of a sheet with its range, and notes on merged cells and damage. */
export function sheetHead(grid: Grid): string {
  const { name, hidden, isChart, rows, merges, isDamaged } = grid;
  const area = usedArea(rows);
  const damage = isDamaged ? '(damaged: cells of this sheet are missing)\n' : '';
  const heading = `## ${escapeBreaks(name.trim())}${hidden === '' ? '' : ` (${hidden})`}\n\n${damage}`;
  if (!area && isDamaged) return heading;
  if (!area) return `${heading}${isChart ? '(a chart)' : '(empty)'}\n`;
  const shape = `${rangeName(grid, area)}, ${grid.goesOn ? 'at least ' : ''}${plural(rowCount(grid), 'row')}, ${plural(columnsOf(rows).length, 'column')}\n`;
  const names = merges
    .slice(0, MOST_MERGES)
    .map(({ s, e }) => areaName({ top: s.r, left: s.c, bottom: e.r, right: e.c }));
  if (names.length === 0) return heading + shape;
  const more = merges.length > MOST_MERGES ? `, and ${merges.length - MOST_MERGES} more` : '';
  return `${heading}${shape}Merged cells: ${names.join(', ')}${more}\n`;
}

/** The used range, `A1:H50`; only columns if the last row is not known. */
export function rangeName(grid: Grid, area: Area): string {
  const { left, right } = area;
  return grid.goesOn ? `${columnName(left)}:${columnName(right)}` : areaName(shapeOf(grid, area));
}

export function shapeOf({ counted }: Grid, area: Area): Area {
  return { ...area, bottom: Math.max(area.bottom, (counted?.last ?? 0) - 1) };
}

/** The number of rows with content. */
export function rowCount({ rows, counted }: Grid): number {
  return counted?.rows ?? rows.size;
}

export function columnsOf(rows: Rows, area = EVERYTHING): number[] {
  const columns = new Set<number>();
  for (const [row, cells] of rows) {
    if (row < area.top || row > area.bottom) continue;
    for (const column of cells.keys()) if (column >= area.left && column <= area.right) columns.add(column);
  }
  return [...columns].sort((a, b) => a - b);
}

/** Yields the lines of the table of an area, at most `most` rows. */
export function* tableLines(grid: Grid, area: Area, most: number, ssf: Formatter): Generator<string> {
  const columns = columnsOf(grid.rows, area);
  if (columns.length === 0) {
    const used = usedArea(grid.rows);
    const others = used ? `, only in ${rangeName(grid, used)}` : '';
    yield `(no cells there${others})\n`;
    return;
  }
  yield `${tableLine(['', ...columns.map(columnName)])}\n`;
  yield `${tableRule(columns.length + 1)}\n`;
  let left = most;
  for (const number of [...grid.rows.keys()].sort((a, b) => a - b)) {
    if (number < area.top || number > area.bottom) continue;
    if (left === 0) return;
    left -= 1;
    const cells = grid.rows.get(number);
    const texts = columns.map((column) => {
      const cell = cells?.get(column);
      return cell ? cellLine(cell, ssf, grid.date1904) : '';
    });
    yield `${tableLine([String(number + 1), ...texts])}\n`;
  }
}

function cellLine(cell: CellObject, ssf: Formatter, date1904: boolean): string {
  const text = cellText(cell, ssf, date1904).trim();
  const target = cell.l?.Target;
  const notes = (cell.c ?? []).map(({ t }) => String(t ?? '').trim()).filter((note) => note !== '');
  const linked = target && target !== text && !target.startsWith('#') ? ` <${shown(target)}>` : '';
  const noted = notes.length === 0 ? '' : ` [comment: ${notes.map(shown).join('; ')}]`;
  return `${shown(text)}${linked}${noted}`;
}

/** Invisible characters stay, because answers escape and count them. */
function shown(text: string): string {
  return valueText(text, escapeBreaks);
}
