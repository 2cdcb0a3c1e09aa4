/** Parses the words after the path of a workbook: sheets, table names and ranges of cells. */

import { readSegment, writeSegment } from '../sqlite/row-address.ts';
import type { SheetFacts } from './document-protocol.ts';
import { tableNames } from './table-names.ts';

/** The sheet name that means the first visible sheet. */
export const FIRST = '';

/** `A1:H50`, `B7`, `A:C`. */
const CELLS = String.raw`\$?[A-Z]{1,3}\$?\d{1,7}(?::\$?[A-Z]{1,3}\$?\d{1,7})?|\$?[A-Z]{1,3}:\$?[A-Z]{1,3}`;

/** A range of cells, and what follows it. */
const RANGE = new RegExp(`^(${CELLS})(?::|$)`, 'i');

/** The notation of spreadsheets: `Sales!A1:B2`, `'My Sheet'!A1`. */
const WITH_BANG = new RegExp(`^([^]+?)!((?:${CELLS})(?::[^]*)?)$`, 'i');
const IN_QUOTES = /^'((?:[^']|'')+)'(?:[!:]([^]+))?$/;

/** The range that `words` begin with (in capitals, without `$`), and what follows it. */
export function splitRange(words: string): { range: string; behind: string } | undefined {
  const match = RANGE.exec(words);
  return match
    ? { range: (match[1] ?? '').toUpperCase().replaceAll('$', ''), behind: words.slice(match[0].length) }
    : undefined;
}

/** Converts the notation of spreadsheets to ours (`Sales:A1:B2`); other words are returned unchanged. */
export function ours(words: string): string {
  const [, quoted, behind] = IN_QUOTES.exec(words) ?? [];
  if (quoted !== undefined) return joined(quoted.replaceAll("''", "'"), behind);
  const [, name, cellsOf] = WITH_BANG.exec(words) ?? [];
  return name === undefined ? words : joined(name, cellsOf);
}

function joined(name: string, behind: string | undefined): string {
  return writeSegment(name) + (behind === undefined ? '' : `:${behind}`);
}

/** The longest prefix of the words that is the name of a sheet. */
export function splitSheet(
  words: string,
  sheets: readonly SheetFacts[],
): { name: string; tail: string } | undefined {
  const ends = [words.length, ...Array.from(words.matchAll(/:/g), ({ index }) => index).reverse()];
  for (const end of ends.slice(0, 16)) {
    const name = sheetName(words.slice(0, end), sheets);
    if (name !== undefined) return { name, tail: words.slice(end + 1) };
  }
  return undefined;
}

export function sheetName(typed: string, sheets: readonly SheetFacts[]): string | undefined {
  if (typed === '') return undefined;
  for (const meant of readSegment(typed)) {
    const lower = meant.toLowerCase();
    const found =
      sheets.find(({ name }) => name === meant) ?? sheets.find(({ name }) => name.toLowerCase() === lower);
    if (found) return found.name;
  }
  // The name of its table, which notices about rows use.
  return sheets[tableNames(sheets).findIndex((table) => readSegment(typed).includes(table))]?.name;
}

export function tableOf(sheet: string | undefined, sheets: readonly SheetFacts[]): string | undefined {
  return tableNames(sheets)[sheets.findIndex(({ name }) => name === sheet)];
}
