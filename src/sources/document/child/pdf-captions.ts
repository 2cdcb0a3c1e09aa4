/** Separates captions from tables: a reader may take the line above a table for its header. */

import { bare, type Row } from './pdf-rows.ts';

/** A line is a caption if its distance to the table is at least this many times the distance of the next row. */
const APART = 1.6;

/** `text` is Markdown; `rows` are the rows of its page from top to bottom. */
export function withoutCaptions(text: string, rows: readonly Row[]): string {
  const lines = text.split('\n');
  const words = rows.map((row) => bare(row.map((cell) => cell.text).join('')));
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

  function captionOf(first: string, second: string): Row | undefined {
    const [one, two] = [bare(first), bare(second)];
    const at = words.findIndex((row, i) => row === one && words[i + 1] === two);
    const [caption, header, next] = rows.slice(at, at + 3);
    if (at === -1 || !caption || !header || !next) return undefined;
    return gap(caption, header) > APART * gap(header, next) ? caption : undefined;
  }
}

const gap = ([upper]: Row, [lower]: Row): number => (upper?.y ?? 0) - (lower?.y ?? 0);

const isRule = (line: string): boolean => /^\|(?: ?:?-+:? ?\|)+$/.test(line);

/** The number of cells of a table row that are not blank; 0 for a line that is not a table row. */
function filled(line: string): number {
  if (!line.startsWith('|')) return 0;
  return line.split(/(?<!\\)\|/).filter((cell) => cell.trim() !== '').length;
}
