/** Lays out rows: as a table if the columns fit, otherwise as a block per row; a single row in full. */

import {
  fit,
  type FittedText,
  isMark,
  tableLine,
  tableRule,
  valueText,
  widthOf,
} from '../../render/table.ts';
import { estimateTokens, shownSize } from '../../text/limits.ts';
import type { Limits } from '../../types/excerpt.ts';
import type { SqliteCell, SqliteRows } from './protocol.ts';
import { showBytes } from '../../text/visible.ts';
import { showName } from './stored-text.ts';

/** The most terminal columns of a line, and of one cell of a table. */
const WIDTH = 120;
const CELL_WIDTH = 40;

const MIN_COLUMN_WIDTH = 8;

interface RowLayout {
  /** Lines above the rows, each with its newline. */
  readonly head: string;
  readonly rows: readonly string[];
  /** Indices (0-based) of rows with shortened values. */
  readonly cut: readonly number[];
}

/** `first` is the number (1-based) of the first row, for the headings of blocks. */
function layOutRows({ columns, rows }: SqliteRows, first: number): RowLayout {
  const names = columns.map((name) => showText(name, CELL_WIDTH).text);
  const shown = rows.map((row) => row.map((cell) => showCell(cell, CELL_WIDTH)));
  const widths = columnWidths(names, shown);
  return widths ? table(names, shown, widths) : blocks(names, rows, first);
}

/** The width of each column; undefined if the columns do not fit on one line. */
function columnWidths(
  names: readonly string[],
  rows: readonly (readonly FittedText[])[],
): number[] | undefined {
  const natural = names.map((name, at) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[at]?.text ?? '')), widthOf(name)),
  );
  const room = WIDTH - 1 - 3 * names.length;
  const least = natural.reduce((sum, width) => sum + Math.min(width, MIN_COLUMN_WIDTH), 0);
  if (least > room) return undefined;
  // The widest columns are narrowed first, all to the same width.
  let most = CELL_WIDTH;
  const total = (): number => natural.reduce((sum, width) => sum + Math.min(width, most), 0);
  while (total() > room) most -= 1;
  return natural.map((width) => Math.max(1, Math.min(width, most)));
}

function table(
  names: readonly string[],
  rows: readonly (readonly FittedText[])[],
  widths: readonly number[],
): RowLayout {
  const line = (cells: readonly string[]): string => `${tableLine(cells, widths)}\n`;
  const cut: number[] = [];
  const lines = rows.map((row, number) => {
    const cells = row.map((cell, at) => {
      const fitted = fit(cell.text, widths[at] as number);
      return fitted.cut ? fitted : cell;
    });
    if (cells.some((cell) => cell.cut)) cut.push(number);
    return line(cells.map((cell) => cell.text));
  });
  const heading = line(names.map((name, at) => fit(name, widths[at] as number).text));
  return { head: `${heading}${tableRule(widths)}\n`, rows: lines, cut };
}

function blocks(
  names: readonly string[],
  rows: readonly (readonly SqliteCell[])[],
  first: number,
): RowLayout {
  const cut: number[] = [];
  const lines = rows.map((row, number) => {
    const cells = row.map((cell, at) => {
      const label = names[at] ?? '';
      const value = showCell(cell, WIDTH - 4 - widthOf(label));
      if (value.cut && cut.at(-1) !== number) cut.push(number);
      return `  ${label}: ${value.text}\n`;
    });
    return `row ${first + number}\n${cells.join('')}`;
  });
  return { head: '', rows: lines, cut };
}

/** The value on one line of at most `most` terminal columns. */
export function showCell(cell: SqliteCell, most: number): FittedText {
  if (cell === null || typeof cell !== 'object' || cell.kind === 'blob')
    return { text: showPlain(cell), cut: false };
  if (cell.clipped && cell.text === '') return { text: `<TEXT ${cell.bytes} bytes>`, cut: false };
  return showText(cell.text, most, cell.clipped);
}

/** `clipped`: more of the text is stored. */
function showText(text: string, most: number, clipped = false): FittedText {
  // The text is cut early: a column shows at least one code unit, so the rest could not be shown.
  const near = text.length > most * 8 ? text.slice(0, most * 8) : text;
  const fitted = fit(
    valueText(near, (stored) => showName(stored, Infinity)),
    most,
  );
  if (fitted.cut || !(clipped || near.length < text.length)) return fitted;
  return { text: `${fit(fitted.text, most - 1).text.replace(/…$/, '')}…`, cut: true };
}

/** Formats values other than text. Integers are exact; reals parse back to the same number. */
function showPlain(cell: Exclude<SqliteCell, { kind: 'text' }>): string {
  if (cell === null) return 'NULL';
  if (typeof cell === 'bigint') return String(cell);
  if (typeof cell === 'number') return showReal(cell);
  return `<BLOB ${cell.bytes} bytes>`;
}

/** Formats a real as SQLite does: `1.0`, `Inf`. */
function showReal(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : '-Inf';
  const digits = Object.is(value, -0) ? '-0' : String(value);
  return /^-?\d+$/.test(digits) ? `${digits}.0` : digits;
}

/**
 * One row with all values in full: one line each, and an indented block for text of several lines, or that looks like the
 * mark of another value.
 */
export function wholeRow(columns: readonly string[], row: readonly SqliteCell[]): string {
  return columns.map((name, at) => `${showName(name)}:${wholeValue(row[at] ?? null)}\n`).join('');
}

function wholeValue(cell: SqliteCell): string {
  if (cell === null || typeof cell !== 'object' || cell.kind === 'blob') return ` ${showPlain(cell)}`;
  if (cell.clipped && cell.text === '') return ` <TEXT ${cell.bytes} bytes>`;
  const text = showBytes(cell.text);
  const isBlock = text.includes('\n') || isMark(text);
  const value = isBlock ? `\n  ${text.replaceAll('\n', '\n  ')}` : ` ${text}`;
  return cell.clipped ? `${value}… (${cell.bytes} bytes)` : value;
}

export interface RowPage {
  readonly text: string;
  readonly shown: number;
  /** Indices (0-based) of rows with shortened values. */
  readonly cut: readonly number[];
}

/** The rows that fit into an answer, at least one. A single row that a table would shorten is written in full. */
export function fitRowPage(rows: SqliteRows, offset: number, limits: Limits): RowPage {
  const layout = layOutRows(rows, offset + 1);
  const [first] = rows.rows;
  const fitting = fitLines(layout.head, layout.rows, limits);
  if (first && (fitting === 0 || (rows.rows.length === 1 && layout.cut.length > 0))) {
    // The row may be larger than an answer; then it is windowed like any text.
    return { text: wholeRow(rows.columns, first), shown: 1, cut: [] };
  }
  const text = layout.head + layout.rows.slice(0, fitting).join('');
  return { text, shown: fitting, cut: layout.cut.filter((row) => row < fitting) };
}

/** How many of `items` (each one or more whole lines) fit below `head`. */
export function fitLines(head: string, items: readonly string[], limits: Limits): number {
  let lines = lineCount(head);
  let bytes = shownSize(head, limits);
  let tokens = estimateTokens(head);
  for (const [at, item] of items.entries()) {
    lines += lineCount(item);
    bytes += shownSize(item, limits);
    tokens += estimateTokens(item);
    if (lines > limits.lines || bytes > limits.bytes || tokens > limits.tokens) return at;
  }
  return items.length;
}

function lineCount(text: string): number {
  return text.split('\n').length - 1;
}
