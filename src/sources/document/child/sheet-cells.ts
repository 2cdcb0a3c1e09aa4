/** The text of a cell as shown in the sheet: dates as ISO, numbers in their format, exact if they have none. */

import type { CellObject, SSF } from '@e965/xlsx';

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

/** The value of a cell for queries: numbers as numbers, dates as ISO text. */
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
  // If the format hides the number, it is shown anyway.
  return shown?.trim() || formatted(value, format, ssf)?.trim() || exact(value);
}

/** Spreadsheets keep 15 digits; more are noise of the binary representation. */
function exact(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(15)));
}

const QUOTED = /"[^"]*"|\\.|_.|\*.|\[(?!h|m|s)[^\]]*\]/gi;

function bareOf(format: string): string {
  return format.replace(QUOTED, '').split(';')[0] ?? '';
}

/** Whether a format is one for dates. Letters alone do not decide: `0.00 kg`, `0 Tage`. */
function isDate(format: string): boolean {
  const bare = bareOf(format);
  return /[ymdhs]/i.test(bare) && !/general/i.test(bare) && !/[0#?]/.test(bare.replace(/(s)[.,]0+/gi, '$1'));
}

/** The parts of a format that SheetJS knows; everything else is literal text. */
const KNOWN = /^(?:"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|E[+-]0+|[0#?.,/;:@() $+-])/;

/** A number in a format that SheetJS rejects, such as `0.0\ %`, or with unusual literal characters or no-break spaces. */
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

/** The seconds of a day. */
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

/** Rounds first, because SheetJS writes second 60 as `00` without a carry. It has no text for negative times. */
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
