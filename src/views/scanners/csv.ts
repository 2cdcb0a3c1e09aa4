/** Finds the rows and columns of a CSV or TSV table, with the type of each column. */

import { plural } from '../../render/units.ts';
import type { Found, Scanner } from './scanner.ts';

/** Number of rows from which the type of a column is inferred. */
const SAMPLED = 1_000;
const MOST_COLUMNS = 500;
/** Maximum characters of an example. */
const EXAMPLE = 40;

type Row = readonly string[];

export const csv: Scanner = (lines) => {
  const rows = rowsOf(lines.join('\n'));
  const [first] = rows;
  if (!first) return [];
  const width = Math.max(first.length, ...rows.slice(0, SAMPLED).map(({ length }) => length));
  const header = isHeader(first) ? first : undefined;
  const body = header ? rows.slice(1) : rows;
  const head = 'rows';
  const signature = `${plural(body.length, 'row')} of ${plural(width, 'column')}${header ? ', below a header' : ''}`;
  const table = { kind: 'table', name: head, signature, from: 1, to: lines.length } as const;
  const columns = Array.from({ length: Math.min(width, MOST_COLUMNS) }, (_, at): Found => {
    const name = header?.[at]?.trim() || `column ${at + 1}`;
    const cells = body.slice(0, SAMPLED).flatMap((row) => row[at]?.trim() || []);
    const about =
      cells.length === 0 ? 'empty' : `${typeOf(cells)}, e.g. ${(cells[0] ?? '').slice(0, EXAMPLE)}`;
    return {
      kind: 'property',
      name,
      signature: `${name}: ${about}`,
      from: 1,
      to: 1,
      span: [at + 1, at + 1.5],
    };
  });
  return [{ ...table, span: [0, width + 2] }, ...columns];
};

/** The rows, as in RFC 4180, with the separator that a line `sep=;` names, or else the most frequent one. */
function rowsOf(text: string): Row[] {
  const [line = '', declared] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  const separator = declared ?? mostFrequent(text.slice(0, SAMPLED).replace(/"[^"]*"/g, ''));
  const rows: string[][] = [];
  let row: string[] = [];
  for (let at = line.length; at < text.length;) {
    const quoted = text[at] === '"' ? quotedEnd(text, at + 1) : undefined;
    let end = quoted ?? at;
    while (end < text.length && text[end] !== separator && text[end] !== '\n') end += 1;
    const cell = text.slice(at, end).replace(/\r$/, '');
    row.push(quoted === undefined ? cell : cell.slice(1, quoted - at - 1).replaceAll('""', '"'));
    if (text[end] !== separator) {
      rows.push(row);
      row = [];
    }
    at = end + 1;
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

const SEPARATORS = [',', '\t', ';', '|'];

function mostFrequent(text: string): string {
  const counts = SEPARATORS.map((separator) => text.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] as string;
}

/** The offset behind the closing quote; the end of the text if there is none. */
function quotedEnd(text: string, start: number): number {
  let end = text.indexOf('"', start);
  while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  return end === -1 ? text.length : end + 1;
}

/** Whether the cells are names: not empty, not numbers, without duplicates. */
function isHeader(row: Row): boolean {
  const names = row.map((cell) => cell.trim());
  return names.every((name) => name !== '' && !NUMBER.test(name)) && new Set(names).size === names.length;
}

const NUMBER = /^[-+]?(?:\d[\d,_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?%?$/i;
const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?$/;

function typeOf(cells: readonly string[]): string {
  if (cells.every((cell) => NUMBER.test(cell))) return 'number';
  if (cells.every((cell) => DATE.test(cell))) return 'date';
  if (cells.every((cell) => /^(?:true|false|yes|no)$/i.test(cell))) return 'boolean';
  return 'text';
}
