/**
 * Markdown tables, for whatever has rows: a line for each row, and a cell for each value. No value can add a column or a
 * line, look like another value, or look like a mark such as NULL.
 */

import { oneLine } from '../text/visible.ts';

/** One row. With `widths` (in columns of a terminal) the cells are padded. */
export function tableLine(cells: readonly string[], widths?: readonly number[]): string {
  const padded = widths ? cells.map((cell, at) => pad(cell, widths[at] ?? 0)) : cells;
  return `| ${padded.join(' | ')} |`;
}

/** The line below the heading, for this number of columns or for columns of these widths. */
export function tableRule(columns: number | readonly number[]): string {
  return typeof columns === 'number'
    ? `|${' --- |'.repeat(columns)}`
    : `|${columns.map((width) => '-'.repeat(width + 2)).join('|')}|`;
}

/** Whether a text looks like what is shown for a value that is no text, or is not loaded. */
export function isMark(text: string): boolean {
  return /^(?:NULL|<(?:BLOB|TEXT) \d+ bytes>)$/.test(text);
}

/**
 * A text as a cell. It stands as it is where that is unmistakable, otherwise in quotation marks with escapes as in
 * JavaScript: `a|b` → `"a\|b"`, `NULL` → `"NULL"`. `show` escapes what cannot be seen.
 */
export function valueText(text: string, show: (text: string) => string = oneLine): string {
  if (!isMark(text) && !MISTAKABLE.test(text) && show(text) === text) return text;
  return `"${show(text.replace(/["\\]/g, '\\$&')).replaceAll('|', '\\|')}"`;
}

/** A column's end, the start of a quoted text, the end of a cut one, and blanks that would look like padding. */
const MISTAKABLE = /\||^["\s]|[…\s]$/;

/** A line of Markdown as a cell: `a|b` → `a\|b`. Backslashes before a bar are doubled, so that none of them frees it. */
export function markdownCell(markdown: string): string {
  return markdown
    .replace(/[\r\n]+/g, ' ')
    .replace(/\\+\|?|\|/g, (found) => (found.endsWith('|') ? `${found.slice(0, -1).repeat(2)}\\|` : found))
    .trim();
}

/** A text that fits, and whether it was cut. */
export interface FittedText {
  readonly text: string;
  readonly cut: boolean;
}

/** `text` in at most `most` columns of a terminal; a longer text is cut and ends in `…`. */
export function fit(text: string, most: number): FittedText {
  if (ASCII.test(text)) {
    return text.length <= most ? { text, cut: false } : { text: `${text.slice(0, most - 1)}…`, cut: true };
  }
  // Where the text ends that leaves a column for the `…`.
  let [used, end] = [0, 0];
  for (const { segment, index } of new Intl.Segmenter().segment(text)) {
    if (used < most) end = index;
    used += widthOf(segment);
    if (used > most) return { text: `${text.slice(0, end)}…`, cut: true };
  }
  return { text, cut: false };
}

/** Pads with blanks to `width` columns. */
function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

const ASCII = /^[\x20-\x7e]*$/;
/** Scripts and symbols that take two columns of a terminal. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60\uffe0-\uffe6\u3000-\u303e]/u;
const NO_WIDTH = /[\p{M}\p{Cf}]/u;

/** The number of terminal columns that `text` takes. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of text) {
    if (NO_WIDTH.test(character)) continue;
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}
