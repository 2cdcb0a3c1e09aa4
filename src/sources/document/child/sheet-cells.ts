/** The text of a cell as a reader of the sheet sees it: dates as ISO, numbers in their format, exact where they have none. */

import type { CellObject, SSF } from 'xlsx';

/** The part of SheetJS that formats numbers. */
export type Formatter = Pick<typeof SSF, 'parse_date_code' | 'format'>;

export function cellText(cell: CellObject, ssf: Formatter, date1904: boolean): string {
  const { t, v, w, z } = cell;
  switch (t) {
    case 'b':
      return v === true ? 'TRUE' : 'FALSE';
    case 'e':
      return w ?? '#ERROR!';
    case 'n':
      return numberText(Number(v), typeof z === 'string' ? z : undefined, w, ssf, date1904);
    case 'd':
      return v instanceof Date ? isoDate(v) : String(v ?? '');
    case 's':
      return String(v ?? '');
    default:
      return '';
  }
}

/** What a query compares: numbers as numbers, dates as ISO text. */
export function cellValue(cell: CellObject, ssf: Formatter, date1904: boolean): string | number | null {
  const { t, v, z } = cell;
  if (t === 'n' && !(typeof z === 'string' && isDate(z))) return Number(v);
  if (t === 'b') return v === true ? 1 : 0;
  const text = cellText(cell, ssf, date1904);
  return text === '' ? null : text;
}

function numberText(
  value: number,
  format: string | undefined,
  shown: string | undefined,
  ssf: Formatter,
  date1904: boolean,
): string {
  if (format === undefined) return shown?.trim() ?? exact(value);
  if (/^general$/i.test(format)) return exact(value);
  if (isDate(format)) return dateText(value, format, shown, ssf, date1904);
  // A separate format may hide the number; a reader of the text has no other way to it.
  return shown?.trim() || formatted(value, format, ssf)?.trim() || exact(value);
}

/** Fifteen digits are what a sheet keeps; more are noise of the representation. */
function exact(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(15)));
}

const QUOTED = /"[^"]*"|\\.|_.|\*.|\[(?!h|m|s)[^\]]*\]/gi;

function bareOf(format: string): string {
  return format.replace(QUOTED, '').split(';')[0] ?? '';
}

/** Not by the letters alone: `0.00 kg`, `0 Tage`. */
function isDate(format: string): boolean {
  const bare = bareOf(format);
  return /[ymdhs]/i.test(bare) && !/general/i.test(bare) && !/[0#?]/.test(bare.replace(/(s)[.,]0+/gi, '$1'));
}

/** What SheetJS takes for a part of a format; all else is written as it is. */
const KNOWN = /^(?:"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|E[+-]0+|[0#?.,/;:@() $+-])/;

/** A number in a format that SheetJS refuses: with `0.0\ %`, with its own signs, with a blank that does not break. */
function formatted(value: number, format: string, ssf: Formatter): string | undefined {
  let [safe, rest, scale] = ['', format.replace(/\\([^"])/g, '"$1"'), 1];
  while (rest !== '') {
    const known = KNOWN.exec(rest)?.[0];
    const part = known ?? rest.slice(0, 1);
    if (part === '%' && !safe.includes(';')) scale *= 100;
    safe += known ?? `"${part}"`;
    rest = rest.slice(part.length);
  }
  try {
    return ssf.format(safe, value * scale).replace(/\u00a0/g, ' ');
  } catch {
    return undefined;
  }
}

/** Days of 24 hours. */
const SECONDS = 86_400;

function dateText(
  value: number,
  format: string,
  shown: string | undefined,
  ssf: Formatter,
  date1904: boolean,
): string {
  const bare = bareOf(format);
  const hasTime = /[hs]|\[m/i.test(bare);
  const hasDate = /[yd]/i.test(bare) || !hasTime;
  const date = ssf.parse_date_code(value, { date1904 } as never) as ReturnType<
    Formatter['parse_date_code']
  > | null;
  if (!hasDate || (!date && /\[[hms]/i.test(bare))) return timeText(value, format, ssf) || exact(value);
  if (!date) return shown?.trim() || exact(value);
  const day = `${pad(date.y, 4)}-${pad(date.m)}-${pad(date.d)}`;
  if (!hasTime) return day;
  const seconds = Math.floor(date.S);
  return `${day} ${pad(date.H)}:${pad(date.M)}${seconds === 0 ? '' : `:${pad(seconds)}`}`;
}

/** SheetJS writes the sixtieth second as `00` and carries nothing, and has no text for what is below zero. */
function timeText(value: number, format: string, ssf: Formatter): string {
  const isWhole = !/s[.,]0/i.test(format);
  const size = Math.abs(value);
  const rounded = isWhole ? Math.round(size * SECONDS) / SECONDS : size;
  return (value < 0 ? '-' : '') + ssf.format(format, rounded).trim();
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
