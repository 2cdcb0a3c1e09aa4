/** Formats one value on one line, exactly, with line breaks and invisible characters escaped. */

import { oneLine } from '../../text/visible.ts';
import type { Cell } from './sqlite-protocol.ts';
import { showBytes } from './stored-text.ts';

/** A formatted value, and whether it was shortened. */
export interface Shown {
  readonly text: string;
  readonly cut: boolean;
}

/** The value on one line of at most `most` terminal columns. */
export function showCell(cell: Cell, most: number): Shown {
  if (cell === null || typeof cell !== 'object' || cell.is === 'blob')
    return { text: showPlain(cell), cut: false };
  if (cell.clipped && cell.text === '') return { text: `<TEXT ${cell.bytes} bytes>`, cut: false };
  // The text is cut early: a column shows at least one code unit, so the rest could not be shown.
  const near = cell.text.length > most * 8 ? cell.text.slice(0, most * 8) : cell.text;
  const fitted = fit(oneLine(showBytes(near)), most);
  if (fitted.cut || !(cell.clipped || near.length < cell.text.length)) return fitted;
  return { text: `${fit(fitted.text, most - 1).text.replace(/…$/, '')}…`, cut: true };
}

/** Formats values other than text. Integers are exact; reals parse back to the same number. */
export function showPlain(cell: Exclude<Cell, { is: 'text' }>): string {
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

/** `text` in at most `most` columns; a longer text is cut and ends in `…`. */
export function fit(text: string, most: number): Shown {
  if (ASCII.test(text)) {
    return text.length <= most ? { text, cut: false } : { text: `${text.slice(0, most - 1)}…`, cut: true };
  }
  let used = 0;
  let kept = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const width = widthOf(segment);
    if (used + width > most) return { text: `${shorten(text.slice(0, kept), used, most)}…`, cut: true };
    used += width;
    kept += segment.length;
  }
  return { text, cut: false };
}

/** Removes the last grapheme if there is no column left for the `…`. */
function shorten(text: string, used: number, most: number): string {
  if (used < most) return text;
  const last = Array.from(new Intl.Segmenter().segment(text)).at(-1);
  return text.slice(0, last?.index ?? 0);
}

/** Pads with blanks to `width` columns. */
export function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

const ASCII = /^[\x20-\x7e]*$/;
/** Scripts and symbols that take two columns of a terminal. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60\uffe0-\uffe6\u3000-\u303e]/u;
const NO_WIDTH = /^[\p{M}\p{Cf}]$/u;

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
