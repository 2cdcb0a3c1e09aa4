/** The notices below large sheets that are shown in part, with the calls for more. */

import { quote } from '../../text/visible.ts';
import type { Notice } from '../../types/notice.ts';
import { writeSegment } from '../sqlite/row-address.ts';
import type { SheetFacts } from './document-protocol.ts';

/** The number of sheets whose calls are given; further sheets are only counted. */
const MOST_NAMED = 3;

/** The most bytes of all notices and of one sheet's notice, and the most characters of its name if it must be shortened. */
const MOST_BYTES = 1_000;
const MOST_SAID = 340;
const MOST_NAME = 24;

/** Notices for those of `sheets` that are shown in part. */
export function sheetNotes(sheets: readonly SheetFacts[], typed: string): Notice[] {
  const large = sheets.filter(({ shown }) => shown !== undefined);
  const named = large.slice(0, MOST_NAMED);
  const [next, ...others] = large.slice(MOST_NAMED);
  const most = Math.min(MOST_SAID, Math.floor(MOST_BYTES / (named.length + (next ? 1 : 0))));
  const notes = named.map((sheet) => shortest(waysOf(sheet, typed), most));
  return next ? [...notes, shortest(waysOfRest(next, others.length, typed), most)] : notes;
}

/** The notices below rows of sheets that have more columns than fit into a table. */
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

/** The possible notices for a sheet, longest first; the first one that fits is used. */
function waysOf(
  { name, rows: count, goesOn, shown = 0, header, range = '' }: SheetFacts,
  typed: string,
): Way[] {
  const call = `${typed}:${writeSegment(name)}`;
  // Offsets of rows do not count the header.
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

/** The notice for the remaining sheets: names the first one, whose text gives its calls. */
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

/** The number of rows in a suggested range. */
const HEAD = 50;

/** `A1:J50000` → `A1:J50`, `C100:C1399` → `C100:C149`, `A:J` → `A1:J50`. */
export function headOf(range: string): string {
  return range.replace(
    /^([A-Z]+)(\d*):([A-Z]+)\d*$/,
    (_, left: string, top: string, right: string) =>
      `${left}${top || 1}:${right}${Number(top || 1) + HEAD - 1}`,
  );
}
