/** Helpers for Markdown syntax: fences, marks, escapes and white space. */

import { elementText, type HtmlElement, isElement } from './html-tree.ts';

export function fenced(pre: HtmlElement): string {
  const text = withoutBlankEnd(elementText(pre).replace(/^\n/, ''));
  if (text.trim() === '') return '';
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${pre.attributes['data-lang'] ?? ''}\n${text}\n${fence}`;
}

export function withoutBlankEnd(text: string): string {
  const end = text.indexOf('\n', text.trimEnd().length);
  return end === -1 ? text : text.slice(0, end);
}

export function code(text: string): string {
  const flat = text.replace(/\s+/g, ' ');
  if (flat.trim() === '') return flat;
  return flat.includes('`') ? `\`\` ${flat.trim()} \`\`` : `\`${flat.trim()}\``;
}

export function around(mark: string, text: string): string {
  const inner = text.trim();
  if (inner === '' || inner.includes('\n\n')) return text;
  const [before, after] = [/^\s/.test(text) ? ' ' : '', /\s$/.test(text) ? ' ' : ''];
  return `${before}${mark}${inner}${mark}${after}`;
}

export function inOneLine(text: string): string {
  return text.includes('\n')
    ? text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '')
        .join(' ')
    : text;
}

export function tidy(text: string): string {
  return text
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** Escapes the start of lines that look like a heading, quote or list. */
export function atLineStart(text: string): string {
  return text.replace(/^(#{1,6}|>|[-+]|\d{1,9}[.)])(?= )/gm, (mark) =>
    mark.replace(/.$/, (last) => `\\${last}`),
  );
}

export function prefixed(text: string, first: string, rest: string): string {
  return text
    .split('\n')
    .map((line, i) => (i === 0 ? first + line : line === '' ? rest.trimEnd() : rest + line))
    .join('\n');
}

// Reads the rows and cells of an HTML table, and tells data tables from layout tables.

const MAX_SPAN_COLUMNS = 20;

const MAX_FILLER_CELLS = 50_000;

const EMPTY: HtmlElement = { name: 'empty', attributes: {}, children: [] };

/** The rows with cells in their visual columns; positions covered by a spanning cell are empty. */
export function tableRows(table: HtmlElement): HtmlElement[][] {
  const rows: HtmlElement[][] = [];
  /** Cells outside of a row, which form a row of their own. */
  const loose: HtmlElement[] = [];
  /** For each column the number of following rows that a cell above still covers. */
  let taken: number[] = [];
  let filled = 0;
  const place = (cells: readonly HtmlElement[]): void => {
    const row: HtmlElement[] = [];
    const below: number[] = [];
    const put = (cell: HtmlElement, high: number): void => {
      row.push(cell);
      below.push(high);
    };
    const skip = (): void => {
      for (let left = taken[row.length] ?? 0; left > 0; left = taken[row.length] ?? 0) {
        filled += 1;
        put(EMPTY, filled < MAX_FILLER_CELLS ? left - 1 : 0);
      }
    };
    for (const cell of cells) {
      skip();
      const high = rowsBelow(cell);
      const wide = Math.min(Number(cell.attributes['colspan'] ?? 1) || 1, MAX_SPAN_COLUMNS);
      put(cell, high);
      for (let i = 1; i < wide; i += 1) put(EMPTY, high);
    }
    skip();
    taken = below;
    rows.push(row);
  };
  const endLoose = (): void => {
    if (loose.length > 0) place(loose.splice(0));
  };
  const visit = (element: HtmlElement): void => {
    for (const child of element.children) {
      if (!isElement(child) || child.name === 'caption') continue;
      if (isCell(child)) {
        loose.push(child);
        continue;
      }
      endLoose();
      if (child.name === 'tr') place(cellsOf(child));
      else {
        // Row spans end with their row group.
        if (GROUPS.has(child.name)) taken = [];
        visit(child);
        endLoose();
        if (GROUPS.has(child.name)) taken = [];
      }
    }
  };
  visit(table);
  endLoose();
  return rows.filter((row) => row.length > 0);
}

const GROUPS = new Set(['thead', 'tbody', 'tfoot']);

function isCell({ name }: HtmlElement): boolean {
  return name === 'td' || name === 'th';
}

/** The cells of a row, also inside misplaced elements such as a form around the cells. */
function cellsOf(row: HtmlElement): HtmlElement[] {
  return row.children
    .filter((child) => isElement(child))
    .flatMap((child) => (isCell(child) ? [child] : cellsOf(child)));
}

/** The number of rows below that a cell spans. Source: HTML, "forming a table": `rowspan=0` is up to the end of the group. */
function rowsBelow({ attributes }: HtmlElement): number {
  const { rowspan = '1' } = attributes;
  const rows = Number.parseInt(rowspan, 10);
  if (rows === 0) return Number.POSITIVE_INFINITY;
  return rows > 1 ? rows - 1 : 0;
}

export function isLayout(rows: readonly (readonly HtmlElement[])[]): boolean {
  const isOfData = rows.some((row) => row.some(({ name }) => name === 'th'));
  return (
    countColumns(rows) < 2 ||
    (!isOfData && rows.length < 2) ||
    rows.some((row) => row.some((cell) => has(cell, 'table') || (!isOfData && has(cell, 'pre'))))
  );
}

function has(element: HtmlElement, name: string): boolean {
  return element.children.some((child) => isElement(child) && (child.name === name || has(child, name)));
}

export function countColumns(rows: readonly (readonly HtmlElement[])[]): number {
  return rows.reduce((most, row) => Math.max(most, row.length), 0);
}
