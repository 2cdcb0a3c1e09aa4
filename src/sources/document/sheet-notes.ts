/** The notices below the heads of large sheets: the calls for more. */

import { quote } from '../../text/visible.ts';
import type { Notice } from '../../types/notice.ts';
import { writeSegment } from '../sqlite/row-address.ts';
import type { SheetFacts } from './document-protocol.ts';

/** Sheets whose calls are named below a text; the next ones are only named. */
const MOST_NAMED = 3;

/** Bytes of all notices, of what is said of one sheet, and characters of its name where that is more. */
const MOST_BYTES = 1_000;
const MOST_SAID = 340;
const MOST_NAME = 24;

/** `sheets`: those of which a part is shown. */
export function sheetNotes(sheets: readonly SheetFacts[], typed: string): Notice[] {
  const large = sheets.filter(({ shown }) => shown !== undefined);
  const named = large.slice(0, MOST_NAMED);
  const [next, ...others] = large.slice(MOST_NAMED);
  const most = Math.min(MOST_SAID, Math.floor(MOST_BYTES / (named.length + (next ? 1 : 0))));
  const notes = named.map((sheet) => shortest(waysOf(sheet, typed), most));
  return next ? [...notes, shortest(waysOfRest(next, others.length, typed), most)] : notes;
}

/** Below rows of sheets with more columns than a table has. */
export function columnNotes(sheets: readonly SheetFacts[], typed: string): Notice[] {
  return sheets
    .filter(({ beyond }) => beyond !== undefined)
    .slice(0, MOST_NAMED)
    .map(({ name, columns, range = '', beyond }) => {
      const call = `${typed}:${writeSegment(name)}:${headOf(range.replace(/^[A-Z]+/, String(beyond)))}`;
      const has = `${cut(name)} has ${columns} columns; those from ${beyond} on are not in its rows`;
      return shortest(
        [
          { text: `${has}. Use ${call} for their cells`, calls: [call] },
          { text: has, calls: [call] },
        ],
        MOST_SAID,
      );
    });
}

interface Way {
  readonly text: string;
  readonly calls: readonly [use: string, ...others: string[]];
}

/** What is said of a sheet, the longer the better. */
function waysOf(
  { name, rows: count, goesOn, shown = 0, header, range = '' }: SheetFacts,
  typed: string,
): Way[] {
  const call = `${typed}:${writeSegment(name)}`;
  // Rows of a table are counted below its header.
  const rows = `${call}?limit=50&offset=${header ? shown - 1 : shown}`;
  const cells = `${call}:${headOf(range)}`;
  const has = `has ${goesOn ? 'at least ' : ''}${count} rows, of which the first ${shown} are shown`;
  return [
    {
      text: `${quote(name)} ${has}: ${rows} for rows (where=… chooses some), ${cells} for cells`,
      calls: [rows, cells],
    },
    { text: `${cut(name)} ${has}: ${rows} for rows`, calls: [rows] },
    {
      text: `${cut(name)} ${has}; the calls for more begin with its path and with the name in its heading`,
      calls: [rows],
    },
  ];
}

/** Of the sheets after those: the first, whose own text names its calls. */
function waysOfRest({ name }: SheetFacts, others: number, typed: string): Way[] {
  const call = `${typed}:${writeSegment(name)}`;
  const sheets = `${others + 1} more ${others === 0 ? 'sheet is' : 'sheets are'} shown in part`;
  const first = others === 0 ? 'its rows' : 'the first of them';
  return [
    {
      text: `${sheets}; one that is read alone names the calls for its rows. Use ${call} for ${first}`,
      calls: [call],
    },
    {
      text: `${sheets}, from ${cut(name)} on; the calls for them begin with the path and with the names in their headings`,
      calls: [call],
    },
  ];
}

function shortest(ways: readonly Way[], most: number): Notice {
  const way = ways.find(({ text }) => Buffer.byteLength(text) <= most) ?? (ways.at(-1) as Way);
  const [use, ...calls] = way.calls;
  return { kind: 'said', text: way.text, use, ...(calls.length > 0 && { calls }) };
}

function cut(name: string): string {
  const characters = [...name];
  return quote(characters.slice(0, MOST_NAME).join('')) + (characters.length > MOST_NAME ? '…' : '');
}

/** Rows of the cells that are named. */
const HEAD = 50;

/** `A1:J50000` → `A1:J50`, `C100:C1399` → `C100:C149`, `A:J` → `A1:J50`. */
export function headOf(range: string): string {
  return range.replace(
    /^([A-Z]+)(\d*):([A-Z]+)\d*$/,
    (_, left: string, top: string, right: string) =>
      `${left}${top || 1}:${right}${Number(top || 1) + HEAD - 1}`,
  );
}
