/** Splits text of separated values (CSV, TSV) into rows and cells, as in RFC 4180. */

/** A cell without quotes that holds nothing is null; `""` is an empty text. */
export type SeparatedRow = readonly (string | null)[];

/** Number of rows from which the separator and the types of columns are inferred. */
export const SAMPLED_CSV_ROWS = 1_000;

/** The rows of `text` from `start` on. A quote that is not closed is an ordinary character. */
export function separatedRows(text: string, separator: string, start = 0): SeparatedRow[] {
  const rows: SeparatedRow[] = [];
  let row: (string | null)[] = [];
  for (let at = start; at < text.length;) {
    const quoted = text[at] === '"' ? quotedEnd(text, at + 1) : undefined;
    let end = quoted ?? at;
    while (end < text.length && text[end] !== separator && text[end] !== '\n') end += 1;
    const cell = text.slice(at, end).replace(/\r$/, '');
    const close = (quoted ?? at) - at;
    const whole = cell.slice(1, close - 1).replaceAll('""', '"') + cell.slice(close);
    row.push(quoted === undefined ? cell || null : whole);
    if (text[end] !== separator) {
      rows.push(row);
      row = [];
    } else if (end + 1 === text.length) row.push(null);
    at = end + 1;
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

/** The separator that a line `sep=;` names, or else the most frequent one; `start` is the offset behind that line. */
export function separatorOf(text: string): { readonly separator: string; readonly start: number } {
  const [line = '', declared] = /^sep=(.)(?:\r\n?|\n)/i.exec(text) ?? [];
  const separator = declared ?? mostFrequent(text.slice(0, SAMPLED_CSV_ROWS).replace(/"[^"]*"/g, ''));
  return { separator, start: line.length };
}

const SEPARATORS = [',', '\t', ';', '|'];

function mostFrequent(text: string): string {
  const counts = SEPARATORS.map((separator) => text.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] as string;
}

/** The offset behind the closing quote; undefined if there is none. */
function quotedEnd(text: string, start: number): number | undefined {
  let end = text.indexOf('"', start);
  while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
  return end === -1 ? undefined : end + 1;
}

/** Whether the cells are names: not numbers, without duplicates, and at most the first (of an index) is empty. */
export function isHeader(row: SeparatedRow): boolean {
  const names = row.map((cell) => cell?.trim() ?? '');
  const isName = (name: string, at: number): boolean =>
    name === '' ? at === 0 && names.length > 1 : !NUMBER_CELL.test(name);
  return names.every(isName) && new Set(names).size === names.length;
}

export const NUMBER_CELL = /^[-+]?(?:\d[\d,_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?%?$/i;
