/** Formats sheets as Markdown tables with column letters and row numbers. */

import { type CellObject, type Range, SSF } from '@e965/xlsx';
import { plural } from '../../../render/display.ts';
import { tableLine, tableRule, valueText } from '../../../render/table.ts';
import { escapeBreaks } from '../../../text/visible.ts';
import { restoreRaised } from './repairs/anydoc-raised-text.ts';
import type { SheetRowCount } from './row-counts.ts';

/** Rows of a sheet that are read first: one more than are shown. */
export const INITIAL_SHEET_ROWS = 1_001;

/** Cells by row and column (0-based); rows and cells without content are absent. */
export type SheetRows = ReadonlyMap<number, ReadonlyMap<number, CellObject>>;

export interface SheetGrid {
  readonly name: string;
  /** `"hidden"`, `"very hidden"`, or empty for a visible sheet. */
  readonly hidden: string;
  /** What it is if it has no cells: `chart`, `dialog`. */
  readonly kind: string | undefined;
  readonly rows: SheetRows;
  readonly merges: readonly Range[];
  /** The count of all rows, if only the first ones were read. */
  readonly counted?: SheetRowCount | undefined;
  /** Set if only the first rows were read and their total is not known. */
  readonly goesOn?: true | undefined;
  readonly date1904: boolean;
  /** Whether its part of the file is missing or damaged, so that cells are missing. */
  readonly isDamaged?: boolean | undefined;
}

/** A range of cells, 0-based and inclusive. */
interface CellArea {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

export const EVERYTHING: CellArea = { top: 0, left: 0, bottom: Infinity, right: Infinity };

/** The smallest area that contains all content; undefined for an empty sheet. */
export function usedArea(rows: SheetRows): CellArea | undefined {
  let area: CellArea | undefined;
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

export function areaName({ top, left, bottom, right }: CellArea): string {
  const first = `${columnName(left)}${top + 1}`;
  const last = `${columnName(right)}${bottom + 1}`;
  return first === last ? first : `${first}:${last}`;
}

const RANGE = /^\$?([A-Z]{1,3})?\$?(\d{1,7})?(?:(:)\$?([A-Z]{1,3})?\$?(\d{1,7})?)?$/i;

/** Parses `A1:H50`, `B7`, `A:C`; undefined for anything else. */
export function parseArea(text: string): CellArea | undefined {
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
const MAX_LISTED_MERGES = 20;

/** The heading of a sheet with its range, and notes on merged cells and damage. */
export function sheetHead(grid: SheetGrid): string {
  const { name, hidden, kind, rows, merges, isDamaged } = grid;
  const area = usedArea(rows);
  const damage = isDamaged ? '(damaged: cells of this sheet are missing)\n' : '';
  const heading = `## ${escapeBreaks(name.trim())}${hidden === '' ? '' : ` (${hidden})`}\n\n${damage}`;
  if (!area && isDamaged) return heading;
  if (!area) return `${heading}${kind === undefined ? '(empty)' : `(a ${kind})`}\n`;
  const shape = `${rangeName(grid, area)}, ${grid.goesOn ? 'at least ' : ''}${plural(rowCount(grid), 'row')}, ${plural(columnsOf(rows).length, 'column')}\n`;
  const names = merges
    .slice(0, MAX_LISTED_MERGES)
    .map(({ s, e }) => areaName({ top: s.r, left: s.c, bottom: e.r, right: e.c }));
  if (names.length === 0) return heading + shape;
  const more = merges.length > MAX_LISTED_MERGES ? `, and ${merges.length - MAX_LISTED_MERGES} more` : '';
  return `${heading}${shape}Merged cells: ${names.join(', ')}${more}\n`;
}

/** The used range, `A1:H50`; only columns if the last row is not known. */
export function rangeName(grid: SheetGrid, area: CellArea): string {
  const { left, right } = area;
  return grid.goesOn ? `${columnName(left)}:${columnName(right)}` : areaName(shapeOf(grid, area));
}

function shapeOf({ counted }: SheetGrid, area: CellArea): CellArea {
  return { ...area, bottom: Math.max(area.bottom, (counted?.last ?? 0) - 1) };
}

/** The number of rows with content. */
export function rowCount({ rows, counted }: SheetGrid): number {
  return counted?.rows ?? rows.size;
}

export function columnsOf(rows: SheetRows, area = EVERYTHING): number[] {
  const columns = new Set<number>();
  for (const [row, cells] of rows) {
    if (row < area.top || row > area.bottom) continue;
    for (const column of cells.keys()) if (column >= area.left && column <= area.right) columns.add(column);
  }
  return [...columns].sort((a, b) => a - b);
}

/** Yields the lines of the table of an area, at most `most` rows. */
export function* tableLines(grid: SheetGrid, area: CellArea, most: number): Generator<string> {
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
      return cell ? cellLine(cell, grid.date1904) : '';
    });
    yield `${tableLine([String(number + 1), ...texts])}\n`;
  }
}

function cellLine(cell: CellObject, date1904: boolean): string {
  const text = (labelled(cell) ?? cellText(cell, date1904)).trim();
  const target = cell.l?.Target;
  const notes = (cell.c ?? [])
    .map(({ t }) => restoreRaised(String(t ?? '')).trim())
    .filter((note) => note !== '');
  const linked = target && target !== text && !target.startsWith('#') ? ` <${shown(target)}>` : '';
  const noted = notes.length === 0 ? '' : ` [comment: ${notes.map(shown).join('; ')}]`;
  return `${shown(text)}${linked}${noted}`;
}

/** Invisible characters stay, because answers escape and count them. */
function shown(text: string): string {
  return valueText(text, escapeBreaks);
}

// The names of a sheet's columns: from its first row if that is a header, otherwise their letters.

interface SheetHeader {
  /** The row (0-based) with the names; absent if there is no header. */
  readonly row?: number | undefined;
  readonly columns: readonly { readonly at: number; readonly name: string }[];
}

/** The most characters of a column's name. */
const MAX_COLUMN_NAME_CHARACTERS = 100;

export function headerOf(grid: SheetGrid): SheetHeader {
  const columns = columnsOf(grid.rows);
  const first = firstRow(grid);
  const cells = grid.rows.get(first);
  if (!cells || !isHeader(cells, firstColumns(grid), grid.rows.size)) {
    return { columns: columns.map((at) => ({ at, name: columnName(at) })) };
  }
  const taken = new Set<string>();
  const named = columns.map((at) => {
    const typed = restoreRaised(String(cells.get(at)?.v ?? ''))
      .replace(/[\s\0]+/g, ' ')
      .trim()
      .slice(0, MAX_COLUMN_NAME_CHARACTERS)
      .toWellFormed();
    let name = typed === '' ? columnName(at) : typed;
    while (taken.has(name.toLowerCase())) name = `${name} ${columnName(at)}`;
    taken.add(name.toLowerCase());
    return { at, name };
  });
  return { row: first, columns: named };
}

/** Columns of the rows that are always read, so that the decision does not depend on how much of the sheet was read. */
function firstColumns({ rows }: SheetGrid): readonly number[] {
  const columns = columnsOf(rows, { ...EVERYTHING, bottom: INITIAL_SHEET_ROWS - 1 });
  return columns.length > 0 ? columns : columnsOf(rows);
}

/** The first row. Not `Math.min(...)`: a sheet may have more rows than a call can have arguments. */
function firstRow({ rows }: SheetGrid): number {
  let first = Number.POSITIVE_INFINITY;
  for (const row of rows.keys()) first = Math.min(first, row);
  return first;
}

export function hasHeader(grid: SheetGrid): boolean {
  return headerOf(grid).row !== undefined;
}

/** A header has text in all its cells, covers more than half of the columns, and is followed by other rows. */
function isHeader(cells: ReadonlyMap<number, CellObject>, columns: readonly number[], rows: number): boolean {
  return rows > 1 && cells.size * 2 > columns.length && [...cells.values()].every(({ t }) => t === 's');
}

// The text of a cell as shown in the sheet: dates as ISO, numbers in their format, exact if they have none.

/** Errors by their numbers. Source: [MS-XLS] 2.5.10 (BErr). */
const ERRORS: ReadonlyMap<number, string> = new Map([
  [0x00, '#NULL!'],
  [0x07, '#DIV/0!'],
  [0x0f, '#VALUE!'],
  [0x17, '#REF!'],
  [0x1d, '#NAME?'],
  [0x24, '#NUM!'],
  [0x2a, '#N/A'],
  [0x2b, '#GETTING_DATA'],
]);

/** The tokens of a format: words, an escaped sign, spacing, a colour or condition, or a sign. */
const FORMAT_TOKENS = /"([^"]*)"|\\([^])|[_*][^]|\[[^[\]]*\]|[^]/g;

/** A text with the words that the last section of its format adds to it: `"No. "@`. SheetJS throws at some of them. */
function labelled({ t, v, z }: CellObject): string | undefined {
  if (t !== 's' || v === '' || typeof z !== 'string' || z === '@' || !z.includes('@')) return undefined;
  let [text, hasText] = ['', false];
  for (const [token, words, sign] of z.matchAll(FORMAT_TOKENS)) {
    if (token === ';') [text, hasText] = ['', false];
    else if (token === '@') [text, hasText] = [text + restoreRaised(String(v)), true];
    else text += words ?? sign ?? (token.length === 1 ? token : '');
  }
  return hasText ? text : undefined;
}

/** A locale is no currency, for which SheetJS takes it: `[$-409]0.00`. */
const LOCALE = /\[\$-[^[\]]*\]/g;

/** A dash between digits, where SheetJS drops the sign and the digits that have no place: `000-0000`. */
const DASH = /"[^"]*"|\\.|(?<=[0#?])-(?=[0#?])/g;

const SECTION = /(?:"[^"]*"|\\.|[^;])+/g;

/** Quotes such dashes; not before a point, where SheetJS would drop digits. */
function withDashes(format: string): string {
  return format.replace(SECTION, (section) => {
    const point = section.lastIndexOf('.');
    return section.replace(DASH, (part, at: number) => (part === '-' && at > point ? '"-"' : part));
  });
}

/** The condition of a section: `[<1000]`. */
const CONDITION = /\[([<>=]{1,2})(-?\d+(?:\.\d*)?)\]/;

/**
 * The section of a format with conditions that holds for the value, and the value in it: SheetJS takes the first if none does,
 * and the second for that of negative numbers, which has no sign.
 */
function inSection(value: number, format: string): readonly [value: number, section: string] {
  if (!CONDITION.test(format)) return [value, format];
  const sections = format.split(';');
  const first = CONDITION.exec(sections[0] ?? '');
  if (!first) return [value, format];
  // Without a condition, the second of three is that of negative numbers.
  const isForNumbers = !(sections[2] ?? '@').includes('@');
  const second = CONDITION.exec(sections[1] ?? '') ?? (isForNumbers ? CONDITION.exec('[<0]') : null);
  const found = [first, second].findIndex((one) =>
    one?.[1]?.includes(value === Number(one[2]) ? '=' : value < Number(one[2]) ? '<' : '>'),
  );
  const section = (sections[found === -1 ? (second ? 2 : 1) : found] ?? '@').replace(CONDITION, '');
  const [, sign = '', limit] = (found === 1 ? second : first) ?? [];
  const isForNegative = Number(limit) === 0 && sign.startsWith(found === -1 ? '>' : '<') && sign !== '<>';
  return [isForNegative ? Math.abs(value) : value, section.includes('@') ? 'General' : section];
}

/** Undefined if SheetJS rejects the format. */
function inFormat(value: number, format: string): string | undefined {
  try {
    return SSF.format(format, value);
  } catch {
    return undefined;
  }
}

function cellText(cell: CellObject, date1904: boolean): string {
  const { t, v, w, z } = cell;
  switch (t) {
    case 'b':
      return v === true ? 'TRUE' : 'FALSE';
    case 'e':
      return w ?? ERRORS.get(Number(v)) ?? '#ERROR!';
    case 'n':
      return numberText(Number(v), typeof z === 'string' ? z : undefined, w, date1904);
    case 'd':
      return v instanceof Date ? isoDate(v) : String(v ?? '');
    case 's':
      return restoreRaised(String(v ?? ''));
    default:
      return '';
  }
}

/** The value of a cell for queries: numbers as numbers, dates as ISO text. */
export function cellValue(cell: CellObject, date1904: boolean): string | number | null {
  const { t, v, z } = cell;
  if (t === 'n' && !(typeof z === 'string' && isDate(z))) return Number(v);
  if (t === 'b') return v === true ? 1 : 0;
  const text = cellText(cell, date1904);
  return text === '' ? null : text;
}

function numberText(
  value: number,
  format: string | undefined,
  shown: string | undefined,
  date1904: boolean,
): string {
  if (format === undefined) return shown?.trim() ?? exact(value);
  const [inIt, plain] = inSection(value, withDashes(format.replace(LOCALE, '')));
  if (/^general$/i.test(plain)) return exact(value);
  if (isDate(plain)) return dateText(value, plain, shown, date1904);
  // If the format hides the number, it is shown anyway.
  const text = shown?.trim() || formatted(inIt, plain)?.trim();
  return text && !text.includes('NaN') ? text : exact(value);
}

/** Spreadsheets keep 15 digits; more are noise of the binary representation. */
function exact(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(15)));
}

const QUOTED = /"[^"]*"|\\.|_.|\*.|\[(?!h|m|s)[^\]]*\]/gi;

function bareOf(format: string): string {
  return format.replace(QUOTED, '').split(';')[0] ?? '';
}

/** Whether a format is one for dates. Letters alone do not decide: `0.00 kg`, `0 Tage`. */
function isDate(format: string): boolean {
  const bare = bareOf(format);
  return /[ymdhs]/i.test(bare) && !/general/i.test(bare) && !/[0#?]/.test(bare.replace(/(s)[.,]0+/gi, '$1'));
}

/** The parts of a format that SheetJS knows; everything else is literal text. */
const KNOWN = /^(?:"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|E[+-]0+|[0#?.,/;:@() $+-])/;

/** A number in a format that SheetJS rejects, such as `0.0\ %`, or with unusual literal characters or no-break spaces. */
function formatted(number: number, format: string): string | undefined {
  const typed = Number(number.toPrecision(15));
  // 44.275 is stored as a little less, and is rounded up all the same.
  const digits = /\.(\d*5)$/.exec(String(typed))?.[1] ?? '';
  const places = /\.([0#?]*)/.exec(format)?.[1] ?? '';
  const isText = /^[^;]*@/.test(format);
  const value = digits.length > places.length && !isText ? typed * (1 + Number.EPSILON) : typed;
  const text = inFormat(value, format);
  if (text?.trim()) return text;
  let [safe, rest, scale] = ['', format.replace(/\\([^"])/g, '"$1"'), 1];
  while (rest !== '') {
    const known = KNOWN.exec(rest)?.[0];
    const part = known ?? rest.slice(0, 1);
    if (part === '%' && !safe.includes(';')) scale *= 100;
    safe += known ?? `"${part}"`;
    rest = rest.slice(part.length);
  }
  return inFormat(value * scale, safe)?.replace(/\u00a0/g, ' ');
}

/** The seconds of a day. */
const SECONDS = 86_400;

function dateText(value: number, format: string, shown: string | undefined, date1904: boolean): string {
  const bare = bareOf(format);
  const hasTime = /[hs]|\[m/i.test(bare);
  const hasDate = /[yd]/i.test(bare) || !hasTime;
  const date = SSF.parse_date_code(value, { date1904 } as never) as ReturnType<
    typeof SSF.parse_date_code
  > | null;
  if (!hasDate || (!date && /\[[hms]/i.test(bare))) return timeText(value, format) || exact(value);
  if (!date) return shown?.trim() || exact(value);
  const day = `${pad(date.y, 4)}-${pad(date.m)}-${pad(date.d)}`;
  if (!hasTime) return day;
  const seconds = Math.floor(date.S);
  return `${day} ${pad(date.H)}:${pad(date.M)}${seconds === 0 ? '' : `:${pad(seconds)}`}`;
}

/** Rounds first, because SheetJS writes second 60 as `00` without a carry. It has no text for negative times. */
function timeText(value: number, format: string): string {
  const isWhole = !/s[.,]0/i.test(format);
  const size = Math.abs(value);
  const rounded = isWhole ? Math.round(size * SECONDS) / SECONDS : size;
  const text = inFormat(rounded, format)?.trim();
  return text ? (value < 0 ? '-' : '') + text : '';
}

function isoDate(date: Date): string {
  const text = Number.isNaN(date.getTime()) ? '' : date.toISOString();
  return text
    .replace(/T00:00:00\.000Z$/, '')
    .replace('T', ' ')
    .replace(/(?::00)?\.\d+Z$/, '');
}

function pad(value: number, digits = 2): string {
  return String(value).padStart(digits, '0');
}
