/** Finds the rows of a page by position, and checks whether a reading has kept the rows of its tables. */

import { raised } from '../../web/child/raised.ts';
import { markdownCell, tableLine, tableRule } from '../../../render/table.ts';

/** A piece of a line with its position, in points. */
interface PdfCell {
  readonly text: string;
  readonly x: number;
  readonly end: number;
  /** The distance of its baseline from the lower edge of the page. */
  readonly y: number;
  /** Its font and size. */
  readonly look: string;
}

/** The pieces of one line, separated by wide gaps, from left to right. */
export type PdfRow = readonly PdfCell[];

/** A gap wider than this many text heights separates cells. */
const CELL_GAP = 0.9;

/** Baselines that differ by less than this share of the text height are on one line. */
export const SAME_LINE = 0.4;

/** A piece of text with its start, its end and its baseline, in points. */
export interface PlacedText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly end: number;
  readonly height: number;
  readonly fontName?: string | undefined;
}

/** The rows from top to bottom. */
export function groupPdfRows(items: readonly TextItem[]): PdfRow[] {
  const placed = items
    .filter(({ str }) => str !== undefined && str.trim() !== '')
    .map(({ str, transform: [, , , , x = 0, y = 0], width, height, fontName }): PlacedText => {
      return { text: str.trim(), x, y, end: x + width, height: Math.max(height, 1), fontName };
    })
    .sort((a, b) => b.y - a.y || a.x - b.x);
  const lines: PlacedText[][] = [];
  for (const piece of placed) {
    const line = lines.at(-1);
    const first = line?.[0];
    if (line && first && first.y - piece.y < SAME_LINE * Math.min(first.height, piece.height))
      line.push(piece);
    else lines.push([piece]);
  }
  return lines.map((line) => cellsOf(line.sort((a, b) => a.x - b.x)));
}

function cellsOf(line: readonly PlacedText[]): PdfRow {
  const cells: PdfCell[] = [];
  for (const { text, x, y, end, height, fontName } of line) {
    const last = cells.at(-1);
    if (!last || x - last.end > CELL_GAP * height)
      cells.push({ text, x, y, end, look: `${fontName} ${Math.round(2 * height)}` });
    else {
      const space = x - last.end > 0.2 * height ? ' ' : '';
      cells[cells.length - 1] = { ...last, text: last.text + space + text, end: Math.max(last.end, end) };
    }
  }
  return cells;
}

/** A table row has at least this many cells, and no longer ones: columns of prose are fewer and longer. */
const MIN_TABLE_CELLS = 3;
const MAX_TABLE_CELL_CHARACTERS = 30;

/** A row with more cells is not a table row. */
const MAX_TABLE_CELLS = 100;

/** The least number of such consecutive rows that are a table. */
const MIN_TABLE_ROWS = 3;

/** Points by which the cells of a column may differ in their left edge, middle or right edge. */
const ALIGNED = 3;

/** The most table rows that are checked. */
const MAX_CHECKED_ROWS = 150;

/** Whether most table rows are not each on one line of `text`, or numbers of two rows are in one cell. */
export function hasLostRows(text: string, rows: readonly PdfRow[]): boolean {
  const tabular = tablesOf(rows)
    .flatMap(({ start, places }) => places.map((at, i) => ({ row: rows[start + i] as PdfRow, at })))
    .slice(0, MAX_CHECKED_ROWS);
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

interface PdfTable {
  /** Index of its first row. */
  readonly start: number;
  readonly columns: number;
  /** For each row, the columns (0-based) of its cells; blank cells have no text on the page. */
  readonly places: readonly (readonly number[])[];
}

function tablesOf(rows: readonly PdfRow[]): PdfTable[] {
  const tables: PdfTable[] = [];
  for (let start = 0; start < rows.length;) {
    const table = tableAt(rows, start);
    const full = table.places.filter((places) => places.length >= MIN_TABLE_CELLS).length;
    if (full >= MIN_TABLE_ROWS) tables.push(table);
    start += table.places.length;
  }
  return tables;
}

/** The table that begins at row `start`: consecutive rows with the same columns, some of which may be blank. */
function tableAt(rows: readonly PdfRow[], start: number): PdfTable {
  let columns = rows[start] as PdfRow;
  let places = [columns.map((_, i) => i)];
  if (!isTabular(columns)) return { start, columns: columns.length, places };
  for (let next = start + 1; next < rows.length; next += 1) {
    const row = rows[next] as PdfRow;
    if (!isTabular(row)) break;
    const isWider = row.length > columns.length;
    const at = isWider ? placesIn(row, columns) : placesIn(columns, row);
    if (!at) break;
    if (isWider) {
      places = places.map((known) => known.map((column) => at[column] as number));
      columns = row;
    } else {
      const nearest = [...columns];
      for (const [i, column] of at.entries()) nearest[column] = row[i] as PdfCell;
      columns = nearest;
    }
    places.push(isWider ? row.map((_, i) => i) : at);
  }
  return { start, columns: columns.length, places };
}

function isTabular(row: PdfRow): boolean {
  if (row.length < MIN_TABLE_CELLS - 1 || row.length > MAX_TABLE_CELLS) return false;
  if (row.some(({ text }) => text.length > 3 * MAX_TABLE_CELL_CHARACTERS)) return false;
  return row.reduce((sum, { text }) => sum + text.length, 0) <= MAX_TABLE_CELL_CHARACTERS * row.length;
}

/** The column of each cell; undefined if a cell is not aligned with any column. */
function placesIn(columns: PdfRow, cells: PdfRow): number[] | undefined {
  const places: number[] = [];
  let column = 0;
  for (const cell of cells) {
    while (column < columns.length && !isAligned(cell, columns[column] as PdfCell)) column += 1;
    if (column === columns.length) return undefined;
    places.push(column);
    column += 1;
  }
  return places;
}

function isAligned(one: PdfCell, other: PdfCell): boolean {
  const distances = [one.x - other.x, one.end - other.end, (one.x + one.end - other.x - other.end) / 2];
  return distances.some((distance) => Math.abs(distance) <= ALIGNED);
}

function isIn(row: PdfRow, line: string): boolean {
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
export function bareText(text: string): string {
  return text.normalize('NFKC').replace(/[^\p{L}\p{M}\p{N}]/gu, '');
}

/** Those of Markdown, without its tags. */
const bare = (text: string): string => bareText(text.replace(/<\/?\w+>/g, ''));

/** The lines of the page, with tables as Markdown rows. */
export function rowsText(rows: readonly PdfRow[]): string {
  const lines: string[] = [];
  let next = 0;
  const prose = (end: number): void => {
    for (; next < end; next += 1) lines.push((rows[next] as PdfRow).map(({ text }) => text).join('  '));
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

// Assembles the text of a page from its positioned pieces, in drawing order.

export interface TextItem {
  readonly str: string;
  /** A matrix of six numbers: the last two are the position of the start, the first is the size if the text is upright. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
  readonly fontName?: string;
}

/**
 * Rotates the pieces of a page so that most of its text is upright, because pages that are displayed rotated contain rotated
 * text. Pieces in other directions are kept.
 */
export function upright(items: readonly TextItem[]): readonly TextItem[] {
  const letters = [0, 0, 0, 0];
  for (const {
    str,
    transform: [a = 1, b = 0],
  } of items)
    letters[quarters(a, b)] = (letters[quarters(a, b)] as number) + (str?.length ?? 0);
  const turns = letters.indexOf(Math.max(...letters));
  if (turns === 0) return items;
  const [cos, sin] = [turns === 2 ? -1 : 0, 2 - turns];
  return items.map((item) => {
    if (item.str === undefined) return item;
    const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = item.transform;
    const turned = [a, b, c, d, x * cos + y * sin, y * cos - x * sin];
    return { ...item, transform: turned };
  });
}

/** The direction of a text in quarter turns, counterclockwise. */
function quarters(a: number, b: number): number {
  return (Math.round(Math.atan2(b, a) / (Math.PI / 2)) + 4) % 4;
}

/** A gap wider than this share of the text height separates words. */
const WORD_GAP = 0.2;

export function itemsText(items: readonly TextItem[]): string {
  let text = '';
  let last: TextItem | undefined;
  for (const item of items) {
    if (item.str === undefined) continue;
    const space = last && item.str !== '' ? between(last, item, text) : '';
    const isPower = last && space === '' && /\d$/.test(text) && isRaised(last, item);
    text += space + (isPower ? raised(item.str) : item.str);
    if (item.hasEOL) text += '\n';
    if (item.str !== '' || item.hasEOL) last = item;
  }
  return text
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Whether `next` is smaller than `last` and stands higher, but on its line. */
function isRaised({ transform: [, , , , , y = 0], height }: TextItem, next: TextItem): boolean {
  const rise = (next.transform[5] ?? 0) - y;
  return next.height < 0.85 * height && rise > 0.15 * height && rise < 0.8 * height;
}

function between(last: TextItem, next: TextItem, text: string): string {
  if (text === '' || /\s$/.test(text) || /^\s/.test(next.str)) return '';
  const [, , , , x = 0, y = 0] = last.transform;
  const [, , , , nextX = 0, nextY = 0] = next.transform;
  const height = Math.max(last.height, next.height, 1);
  // A new line that the reader has not marked (`hasEOL`).
  if (Math.abs(nextY - y) > height * 0.7) return '\n';
  const gap = nextX >= x ? nextX - (x + last.width) : x - (nextX + next.width);
  return gap > height * WORD_GAP ? ' ' : '';
}

// Separates captions from tables: a reader may take the line above a table for its header.

/** A line is a caption if its distance to the table is at least this many times the distance of the next row. */
const APART = 1.6;

/** `text` is Markdown; `rows` are the rows of its page from top to bottom. */
export function withoutCaptions(text: string, rows: readonly PdfRow[]): string {
  const lines = text.split('\n');
  const words = rows.map(rowLetters);
  const freed: string[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [first = '', rule = '', second = ''] = lines.slice(at, at + 3);
    const above = isRule(rule) && filled(first) < filled(second) ? captionOf(first, second) : undefined;
    if (!above) {
      freed.push(first);
      continue;
    }
    freed.push(above.map((cell) => cell.text).join('  '), '', second, rule);
    at += 2;
  }
  return freed.join('\n');

  function captionOf(first: string, second: string): PdfRow | undefined {
    const [one, two] = [bare(first), bare(second)];
    const at = words.findIndex((row, i) => row === one && words[i + 1] === two);
    const [caption, header, next] = rows.slice(at, at + 3);
    if (at === -1 || !caption || !header || !next) return undefined;
    return gap(caption, header) > APART * gap(header, next) ? caption : undefined;
  }
}

const rowLetters = (row: PdfRow): string => bare(row.map((cell) => cell.text).join(''));

const gap = ([upper]: PdfRow, [lower]: PdfRow): number => (upper?.y ?? 0) - (lower?.y ?? 0);

const isRule = (line: string): boolean => /^\|(?: ?:?-+:? ?\|)+$/.test(line);

/** The number of cells of a table row that are not blank; 0 for a line that is not a table row. */
function filled(line: string): number {
  return cellsIn(line).filter((cell) => cell !== '').length;
}

/** The cells of a table row; none for another line. */
function cellsIn(line: string): string[] {
  const cells = line.startsWith('|') ? line.split(/(?<!\\)\|/).slice(1, -1) : [];
  return cells.map((cell) => cell.trim());
}

const HEADING = /^#{1,6} (.+)$/gm;

const IN_CAPITALS = /^\P{Ll}*\p{Lu}\P{Ll}*$/u;

/** The least letters of a line that is recognised as the first one of a longer heading. */
const MIN_FIRST_LETTERS = 20;

/** `text` is Markdown of the page. A heading in the font and size of most other text, and not in capitals, is none. */
export function withoutPlainHeadings(text: string, rows: readonly PdfRow[]): string {
  const headings = new Set(Array.from(text.matchAll(HEADING), ([, words = '']) => bare(words)));
  if (headings.size === 0) return text;
  const [looks, letters] = [new Map<string, string>(), new Map<string, number>()];
  const pieces = rows.flatMap((row) => (headings.has(rowLetters(row)) ? [row] : row.map((cell) => [cell])));
  for (const cells of pieces) {
    const [said, look] = [rowLetters(cells), cells[0]?.look ?? ''];
    const isFirst = (words: string): boolean => said.length >= MIN_FIRST_LETTERS && words.startsWith(said);
    const heading = headings.has(said) ? said : [...headings].find(isFirst);
    if (heading === undefined) letters.set(look, (letters.get(look) ?? 0) + said.length);
    else if (cells[0]?.text.startsWith('#') === false) looks.set(heading, look);
  }
  const [usual = ''] = [...letters].sort(([, one], [, other]) => other - one)[0] ?? [];
  return text.replace(HEADING, (line, words: string) =>
    looks.get(bare(words)) === usual && !IN_CAPITALS.test(words) ? words : line,
  );
}

// Shows tables as they are laid out if their columns are not sure: readers take texts with a small gap for one cell.

const TABLE = /(?:^\|.*\|(?:\n|$))+/gm;

/** `text` is Markdown of the page. In a table, words that reach into a column that is blank may be two cells. */
export function withoutGluedCells(text: string, rows: readonly PdfRow[]): string {
  const words = rows.map(rowLetters);
  return text.replace(TABLE, (table) => {
    const lines = table.split('\n').filter((line) => line !== '' && !isRule(line));
    const columns: { x: number; end: number }[] = [];
    let next = 0;
    const placed = lines.map((line) => {
      const cells = cellsIn(line);
      const at = words.indexOf(bare(cells.join('')), next);
      const row = rows[at] ?? [];
      if (at !== -1) next = at + 1;
      let from = 0;
      for (const [column, cell] of cells.entries()) {
        const found = row.findIndex(({ text: said }, i) => i >= from && bare(said) === bare(cell));
        if (found === -1) continue;
        const { x, end } = row[found] as PdfCell;
        const known = columns[column] ?? { x, end };
        columns[column] = { x: Math.min(known.x, x), end: Math.max(known.end, end) };
        from = found + 1;
      }
      return { cells, row };
    });
    const isUnsure = placed.some(({ cells, row }) => {
      const glued = cells.filter((cell) => /\s/.test(cell)).map(bare);
      const reaching = row.filter(({ text: said }) =>
        glued.some((cell) => cell.includes(bare(said)) || bare(said).includes(cell)),
      );
      const isReached = (column: number): boolean => {
        const { x: start = 0, end: stop = 0 } = columns[column] ?? {};
        return reaching.some(({ x, end }) => x < stop && start < end);
      };
      return cells.some((cell, column) => cell === '' && isReached(column));
    });
    if (!isUnsure) return table;
    const all = placed.flatMap(({ row }) => row);
    const left = all.reduce((least, { x }) => Math.min(least, x), Infinity);
    const width = sum(all.map(({ x, end }) => end - x)) / sum(all.map(({ text: said }) => said.length));
    const laidOut = placed.map(({ cells, row }) => {
      if (row.length === 0) return cells.filter((cell) => cell !== '').join('  ');
      return row.reduce((line, { text: said, x }) => {
        const column = Math.min(Math.round((x - left) / width), MAX_LINE_CHARACTERS);
        return (line && `${line} `).padEnd(column) + said;
      }, '');
    });
    return `\`\`\`\n${laidOut.join('\n')}\n\`\`\`\n`;
  });
}

/** A text that stands further right, as in a damaged file, is moved here. */
const MAX_LINE_CHARACTERS = 500;

const sum = (numbers: readonly number[]): number => numbers.reduce((all, number) => all + number, 0);
