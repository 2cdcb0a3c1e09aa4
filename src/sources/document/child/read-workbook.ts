/** Reads workbooks with SheetJS, which formats cells and supports the binary formats of Excel. */

import { type CellObject, type ParsingOptions, type Range, read as parse, type WorkBook } from '@e965/xlsx';
import { type Format, Refused } from '../document-protocol.ts';
import { FIRST_ROWS, type Grid, type Rows } from './grid.ts';
import { attribute, Parts, plainText } from './zip-parts.ts';
import { withCheckedCursor } from './checked-cursor.ts';
import { repairWorkbook } from './repair-workbook.ts';
import { countRows, damagedSheets, hasOpenFormulas, mainPart, type RowCount } from './row-counts.ts';

/** A workbook of up to this many bytes is read completely if its rows cannot be counted otherwise. */
const MOST_WHOLE = 12 << 20;

/** A workbook of up to this many bytes is always read completely. */
const SMALL = 1 << 20;

/** All sheets. `rows`: `all` of them, the `first` ones of long sheets, or a number of rows. */
export function readGrids(stored: Buffer, rows: number | 'all' | 'first'): Grid[] {
  const parts = Parts.of(stored);
  const bytes = repairWorkbook(stored, parts);
  const open = openSheets(parts);
  const hasFormulas = parts !== undefined && hasOpenFormulas(parts);
  const damaged = parts ? damagedSheets(parts) : new Set<number>();
  const all = (): Grid[] =>
    gridsOf(read(bytes, undefined, hasFormulas), undefined, { open, damaged, counts: [] });
  // Only Excel packages can be read in part; other formats are parsed to the end for any row.
  if (rows === 'all' || !parts || !mainPart(parts)) return all();
  if (rows === 'first' && bytes.length <= SMALL) return all();
  const first = rows === 'first' ? FIRST_ROWS : rows;
  const grids = gridsOf(read(bytes, first, hasFormulas), first, { open, damaged, counts: countRows(parts) });
  return rows === 'first' && grids.some((grid) => isOpen(grid, bytes)) ? all() : grids;
}

/** Whether a sheet has to be read completely: its rows are sparse, or their number is not known. */
function isOpen({ counted, rows, goesOn }: Grid, { length }: Buffer): boolean {
  if (counted) return rows.size < Math.min(FIRST_ROWS / 2, counted.rows);
  return goesOn === true && length <= MOST_WHOLE;
}

/** `hasFormulas`: whether there are formulas without a stored result, which are then shown as formulas. */
function read(bytes: Buffer, sheetRows: number | undefined, hasFormulas: boolean): WorkBook {
  const options: ParsingOptions = {
    type: 'buffer',
    dense: true,
    cellNF: true,
    cellFormula: hasFormulas,
    sheetStubs: hasFormulas,
    cellHTML: false,
    cellStyles: false,
    ...(sheetRows !== undefined && { sheetRows }),
  };
  try {
    const book = withCheckedCursor(() => parse(bytes, options));
    // Every workbook has a sheet: what SheetJS reads from damaged records has none.
    if (book.SheetNames.length === 0) throw new Refused('damaged');
    return book;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    if (error instanceof Refused) throw error;
    throw new Refused(/password|encrypt/i.test(message) ? 'encrypted' : 'damaged');
  }
}

/** The most characters of a sheet's name; Excel itself allows 31. */
const MOST_NAME = 255;

const HIDDEN = ['', 'hidden', 'very hidden'];

interface Known {
  readonly open: readonly OpenSheet[];
  readonly counts: readonly (RowCount | undefined)[];
  readonly damaged: ReadonlySet<number>;
}

function gridsOf(book: WorkBook, first: number | undefined, { open, counts, damaged }: Known): Grid[] {
  const properties = book.Workbook?.Sheets ?? [];
  return book.SheetNames.map((name, i) => {
    // Safe also for a sheet called `__proto__`.
    const sheet = book.Sheets[name] as unknown;
    const rows = rowsOf(sheet, open.length > 0);
    const counted = counts[i];
    return {
      name: (open[i]?.name ?? name).slice(0, MOST_NAME),
      hidden: open[i]?.isHidden ? 'hidden' : (HIDDEN[properties[i]?.Hidden ?? 0] ?? 'hidden'),
      isChart: Reflect.get(Object(sheet), '!type') === 'chart',
      rows,
      merges: (Reflect.get(Object(sheet), '!merges') as readonly Range[] | undefined) ?? [],
      date1904: book.Workbook?.WBProps?.date1904 === true,
      ...(damaged.has(i) && { isDamaged: true }),
      ...(counted && counted.rows > rows.size && { counted }),
      ...(!counted && first !== undefined && rows.has(first - 1) && { goesOn: true }),
    };
  });
}

interface OpenSheet {
  readonly name: string;
  readonly isHidden: boolean;
}

/** Facts about OpenDocument sheets that SheetJS does not give: decoded names, and which are hidden. */
function openSheets(parts: Parts | undefined): OpenSheet[] {
  const xml = parts?.has('mimetype') ? readable(parts, 'content.xml') : '';
  const hidden = new Set<string>();
  for (const [style, name = ''] of xml.matchAll(
    /<style:style\b[^>]*style:name="([^"]*)"[^>]*(?<!\/)>(?:(?!<\/style:style>)[^])*/g,
  ))
    if (/table:display="false"/.test(style)) hidden.add(name);
  return [...xml.matchAll(/<table:table(?=\s)[^>]*>/g)].map(([tag]) => ({
    name: attribute(tag, 'table:name') ?? '',
    isHidden: hidden.has(attribute(tag, 'table:style-name') ?? ''),
  }));
}

/** The most bytes of the part with all cells of an OpenDocument workbook. */
const MOST_OPEN = 128 << 20;

/** The text of a part; empty if it is too large, which does not prevent reading its cells. */
function readable(parts: Parts, name: string): string {
  try {
    return parts.read(name, MOST_OPEN)?.toString('utf8') ?? '';
  } catch {
    return '';
  }
}

function rowsOf(sheet: unknown, isOpen: boolean): Rows {
  const rows = new Map<number, Map<number, CellObject>>();
  const stored = Reflect.get(Object(sheet), '!data') as
    | readonly (readonly CellObject[] | undefined)[]
    | undefined;
  for (const key of Object.keys(stored ?? [])) {
    const number = Number(key);
    const cells = stored?.[number];
    if (!cells) continue;
    const known = new Map<number, CellObject>();
    for (const at of Object.keys(cells)) {
      const cell = cells[Number(at)];
      if (!cell) continue;
      if (cell.t === 'z' && cell.f) known.set(Number(at), { ...cell, t: 's', v: `=${cell.f}` });
      else if (isFilled(cell)) known.set(Number(at), isOpen && isOpenDate(cell) ? openDate(cell) : cell);
    }
    if (known.size > 0) rows.set(number, known);
  }
  return rows;
}

/** The format that SheetJS gives all dates of OpenDocument sheets. */
const OPEN_DATE = 'm/d/yy';

function isOpenDate({ t, z }: CellObject): boolean {
  return t === 'n' && z === OPEN_DATE;
}

const DAY_MS = 86_400_000;

/** SheetJS counts the days since 1899-12-30, one less before the 60th for the false 29 February 1900 of Excel. */
function openDate(cell: CellObject): CellObject {
  const days = Number(cell.v);
  const seconds = Math.round(((days < 59 ? days + 1 : days) * DAY_MS) / 1000);
  return { ...cell, t: 'd', v: new Date(Date.UTC(1899, 11, 30) + seconds * 1000) };
}

function isFilled({ t, v, c }: CellObject): boolean {
  return (t !== 'z' && v !== undefined && v !== '') || (c?.length ?? 0) > 0;
}

const TEXT = /<a:t(?:\s[^>]*)?>([^<]*)<\/a:t>/g;
const VALUE = /<c:v>([^<]*)<\/c:v>/g;

/** The most characters of one shape or chart. */
const MOST_DRAWN = 2_000;

/** The texts of shapes and charts, which are not in cells. */
export function drawingText(bytes: Buffer, format: Format): string {
  if (format !== 'xlsx' && format !== 'xlsb') return '';
  const parts = Parts.of(bytes);
  const names = (parts?.names ?? []).filter((name) => /^xl\/(?:drawings|charts)\/[^/]+\.xml$/.test(name));
  const lines = names.flatMap((name) => {
    const xml = parts?.text(name) ?? '';
    const isChart = name.startsWith('xl/charts/');
    const found = [...xml.matchAll(TEXT), ...(isChart ? xml.matchAll(VALUE) : [])];
    const words = found.map((match) => plainText(match[1] ?? '')).filter((word) => word !== '');
    if (words.length === 0) return [];
    const text = words.join(' ');
    const rest = text.length > MOST_DRAWN ? `… (the rest is in ${name})` : '';
    return [`- ${isChart ? 'chart' : 'shape'}: ${text.slice(0, MOST_DRAWN).toWellFormed()}${rest}`];
  });
  return lines.length === 0 ? '' : `\n## Drawings\n\n${lines.join('\n')}\n`;
}
