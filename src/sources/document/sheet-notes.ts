/** The notices below the heads of large sheets: the calls for more. */

import { quote } from '../../text/visible.ts';
import type { Notice } from '../../types/notice.ts';
import { writeSegment } from '../sqlite/address.ts';
import type { DocumentFacts } from './protocol.ts';

/** Sheets whose calls are named below a text, bytes of what is said of one, and characters of its name where that is more. */
const MOST_NAMED = 3;
const MOST_SAID = 340;
const MOST_NAME = 24;

/** `part`: what of the workbook is shown, as typed behind its path. */
export function sheetNotes({ sheets = [] }: DocumentFacts, typed: string, part: string): Notice[] {
  // The cells of a range are all shown.
  if (/:[A-Z]{1,3}\d*(?::[A-Z]{1,3}\d*)?$/.test(part)) return [];
  const large = sheets.filter(({ shown }) => shown !== undefined);
  return large.slice(0, MOST_NAMED).map(({ name, rows: count, goesOn, shown = 0, header, range = '' }) => {
    const call = `${typed}:${writeSegment(name)}`;
    // Rows of a table are counted below its header.
    const use = `${call}?limit=50&offset=${header ? shown - 1 : shown}`;
    const has = `has ${goesOn ? 'at least ' : ''}${count} rows, of which the first ${shown} are shown`;
    const ways = [
      `${quote(name)} ${has}: ${use} for rows, ${call}?where=… for a choice, ${call}:${headOf(range)} for cells`,
      `${cut(name)} ${has}: ${use} for rows`,
      `${cut(name)} ${has}; the calls for more begin with its path and with the name in its heading`,
    ];
    const text = ways.find((way) => Buffer.byteLength(way) <= MOST_SAID) ?? (ways.at(-1) as string);
    return { kind: 'said', text, use };
  });
}

function cut(name: string): string {
  const characters = [...name];
  return quote(characters.slice(0, MOST_NAME).join('')) + (characters.length > MOST_NAME ? '…' : '');
}

/** Rows of the cells that are named. */
const HEAD = 50;

/** `A1:J50000` → `A1:J50`, `C100:C1399` → `C100:C149`, `A:J` → `A1:J50`. */
function headOf(range: string): string {
  return range.replace(
    /^([A-Z]+)(\d*):([A-Z]+)\d*$/,
    (_, left: string, top: string, right: string) =>
      `${left}${top || 1}:${right}${Number(top || 1) + HEAD - 1}`,
  );
}
