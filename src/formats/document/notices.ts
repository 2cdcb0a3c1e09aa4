/** The notices of an answer about a document, with the calls for what it does not contain. */

import { installCommand } from '../../files/package-files.ts';
import { pageRange, plural } from '../../render/display.ts';
import { quote } from '../../text/visible.ts';
import type { Notice } from '../../types/answer.ts';
import type { TextResource } from '../../types/call.ts';
import type { Selection } from '../../types/excerpt.ts';
import { writeSegment } from '../sqlite/stored-text.ts';
import {
  DAMAGED_XML,
  type DocumentCut,
  type DocumentFacts,
  type DocumentReply,
  PAGES_AT_ONCE,
  type SheetFacts,
} from './protocol.ts';

interface Pages {
  readonly from: number;
  readonly to?: number | undefined;
}

/** Notices for a text that has all requested pages (`asked`). */
export function documentNotes(
  { facts, cut, without }: Extract<DocumentReply, { kind: 'text' }>,
  front: string,
  asked: Pages | undefined,
): Notice[] {
  return [
    ...withoutNotes(without),
    ...beyondNotes(facts, cut, front, asked),
    ...unshownNotes(facts.unshown, front),
    ...(facts.isCut ? [CUT_NOTE] : []),
    ...scannedNotes(facts.scanned, front),
    ...attachedNotes(facts, front),
    ...imageNotes(facts, front),
  ];
}

const CUT_NOTE: Notice = { kind: 'said', text: 'The file ends early: text at its end may be missing' };

export function pagesText({ from, to }: { from: number; to?: number | undefined }): string {
  return to === undefined ? `p${from}-` : from === to ? `p${from}` : `p${from}-${to}`;
}

interface Shown {
  readonly front: string;
  readonly selection: Selection;
  /** Whether it is the list of images. */
  readonly isList: boolean;
  /** The requested pages; the suggested next call ends at the same page. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** For a document that is read in parts: which part the text is, and the call for the next part. */
export function moreOf(
  cut: DocumentCut | undefined,
  pages: number | undefined,
  shown: Shown,
): Pick<TextResource, 'more' | 'part'> {
  // The end of a page that is larger than the text limit is lost; no call returns it.
  const lost =
    cut?.bytes === undefined ? undefined : `the converted text is cut after ${cut.bytes >> 20} MiB`;
  if (cut?.page === undefined || pages === undefined)
    return lost === undefined ? {} : { more: { kind: 'said', text: capital(lost) } };
  const { front, from = 1, to } = shown;
  const first = pageRange(from - 1, cut.page - 1, pages, 'page');
  const next = `${front}:${pagesText({ from: cut.page, to })}`;
  const { what, mode } = nextOf(shown);
  const use = next + mode;
  const text = `${first} ${what}${lost === undefined ? '' : `; ${lost}`}. Use ${use} to continue`;
  const part = { name: first.toLowerCase(), next, isCut: lost === undefined ? undefined : (true as const) };
  // For the last lines `tailNotes` has the notice.
  return isTail(shown.selection) ? { part } : { part, more: { kind: 'said', text, use } };
}

function nextOf({ selection: { mode, symbol }, isList }: Shown): { what: string; mode: string } {
  if (isList) return { what: 'were looked through', mode: ':images' };
  if (mode === 'outline' && symbol === undefined) return { what: 'have these headings', mode: ':outline' };
  return { what: 'end here', mode: mode === 'raw' && symbol === undefined ? ':raw' : '' };
}

function isTail({ window, mode }: Selection): boolean {
  return window?.kind === 'tail' && window.before === undefined && mode !== 'outline';
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The notice that the last lines of a part are not the last lines of the document. */
export function tailNotes(
  { cut, facts: { pages } }: Extract<DocumentReply, { kind: 'text' }>,
  { front, selection, from = 1, to = pages }: Shown,
): Notice[] {
  const { window, mode } = selection;
  if (window?.kind !== 'tail' || !isTail(selection)) return [];
  if (cut?.page === undefined || pages === undefined || to === undefined) return [];
  const last = Math.min(to, pages);
  const start = Math.max(cut.page, last - PAGES_AT_ONCE + 1);
  const tail = `:-${window.lines}${mode ? `:${mode}` : ''}`;
  const use = `${front}:${pagesText({ from: start, to: last < pages ? last : undefined })}${tail}`;
  const name = pageRange(from - 1, cut.page - 1, pages, 'page').toLowerCase();
  return [{ kind: 'said', text: `These are the last lines of ${name}. Use ${use} for the last of all`, use }];
}

function withoutNotes(library: string | undefined): Notice[] {
  if (library === undefined) return [];
  const text = `Headings and tables may be missing: that needs the optional package ${library}, which is not installed (${installCommand([library])})`;
  return [{ kind: 'said', text }];
}

/** The notice if the range extends beyond the last page. */
function beyondNotes(
  { pages, slides }: DocumentFacts,
  cut: DocumentCut | undefined,
  front: string,
  asked: Pages | undefined,
): Notice[] {
  const count = pages ?? slides;
  if (count === undefined || cut?.page !== undefined || (asked?.to ?? 0) <= count) return [];
  const what = plural(count, pages === undefined ? 'slide' : 'page');
  return [{ kind: 'said', text: `${quote(front)} has ${what}; the range ends there` }];
}

function listed(pages: readonly number[]): string {
  return pages.slice(0, 10).join(', ') + (pages.length > 10 ? ', …' : '');
}

/** The notice below the bookmarks of a document, if not all are listed. */
export function outlineNotes(facts: DocumentFacts, front: string): Notice[] {
  const { left, from } = bookmarksLeft(facts);
  if (left === 0) return [];
  const use = `${front}:${pagesText({ from })}`;
  return [{ kind: 'said', text: `${left} more bookmarks are not listed. Use ${use} to read on`, use }];
}

/** The notices that count what the text does not show, with the call for a part that can be read by itself. */
function unshownNotes(unshown: DocumentFacts['unshown'] = [], front: string): Notice[] {
  const counts = new Map<string, number>();
  for (const { what, count } of unshown) counts.set(what, (counts.get(what) ?? 0) + count);
  const damage = 'Its XML is not well-formed: text may be missing or misplaced';
  const notes: Notice[] = counts.delete(DAMAGED_XML) ? [{ kind: 'said', text: damage }] : [];
  if (counts.size === 0) return notes;
  const named = [...counts].map(([what, count]) => (count === 0 ? what : plural(count, what)));
  const text = `Not shown: ${named.join(', ')}`;
  const part = unshown.find((one) => one.part !== undefined)?.part;
  if (part === undefined) return [...notes, { kind: 'said', text }];
  const use = `${front}:${writeSegment(part)}`;
  return [...notes, { kind: 'said', text: `${text}. Use ${use} to read a part of it`, use }];
}

function attachedNotes({ hasAttachments, pages }: DocumentFacts, front: string): Notice[] {
  if (hasAttachments !== true || pages === undefined) return [];
  const use = `${front}:attachments`;
  return [{ kind: 'said', text: `Files may be attached to it. Use ${use} to list them`, use }];
}

function imageNotes({ hasImages, pages }: DocumentFacts, front: string): Notice[] {
  if (hasImages !== true || pages === undefined) return [];
  const use = `${front}:images`;
  return [{ kind: 'said', text: `Images are embedded in it. Use ${use} to list them`, use }];
}

function scannedNotes(pages: readonly number[] | undefined, front: string): Notice[] {
  if (pages === undefined || pages.length === 0) return [];
  const use = `${front}:p${pages[0]}:image`;
  return [
    {
      kind: 'said',
      text: `${plural(pages.length, 'page')} without a text layer (scanned: ${listed(pages)}); reading ${pages.length === 1 ? 'it' : 'them'} needs OCR. Use ${use} to see ${pages.length === 1 ? 'it' : 'the first'}`,
      use,
    },
  ];
}

// The notices below large sheets that are shown in part, with the calls for more.

/** The number of sheets whose calls are given; further sheets are only counted. */
const MAX_NOTED_SHEETS = 3;

/** The most bytes of all notices and of one sheet's notice, and the most characters of its name if it must be shortened. */
const MAX_SHEET_NOTICES_BYTES = 1_000;
const MAX_SHEET_NOTICE_BYTES = 340;
const MAX_SHEET_NAME_CHARACTERS = 24;

/** Notices for those of `sheets` that are shown in part. */
export function sheetNotes(sheets: readonly SheetFacts[], typed: string): Notice[] {
  const large = sheets.filter(({ shown }) => shown !== undefined);
  const named = large.slice(0, MAX_NOTED_SHEETS);
  const [next, ...others] = large.slice(MAX_NOTED_SHEETS);
  const most = Math.min(
    MAX_SHEET_NOTICE_BYTES,
    Math.floor(MAX_SHEET_NOTICES_BYTES / (named.length + (next ? 1 : 0))),
  );
  const notes = named.map((sheet) => shortest(waysOf(sheet, typed), most));
  return next ? [...notes, shortest(waysOfRest(next, others.length, typed), most)] : notes;
}

/** The notices below rows of sheets that have more columns than fit into a table. */
export function columnNotes(sheets: readonly SheetFacts[], typed: string): Notice[] {
  return sheets
    .filter(({ beyond }) => beyond !== undefined)
    .slice(0, MAX_NOTED_SHEETS)
    .map(({ name, columns, range = '', beyond }) => {
      const call = `${typed}:${writeSegment(name)}:${narrowToFirstRows(range.replace(/^[A-Z]+/, String(beyond)))}`;
      const has = `${cut(name)} has ${columns} columns; those from ${beyond} on are not in its rows`;
      return shortest(
        [
          { text: `${has}. Use ${call} for their cells`, calls: [call] },
          { text: has, calls: [call] },
        ],
        MAX_SHEET_NOTICE_BYTES,
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
  const cells = `${call}:${narrowToFirstRows(range)}`;
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
  return { kind: 'said', text: way.text, use, calls: calls.length > 0 ? calls : undefined };
}

function cut(name: string): string {
  const characters = [...name];
  return (
    quote(characters.slice(0, MAX_SHEET_NAME_CHARACTERS).join('')) +
    (characters.length > MAX_SHEET_NAME_CHARACTERS ? '…' : '')
  );
}

/** The number of rows in a suggested range. */
const SUGGESTED_ROWS = 50;

/** `A1:J50000` → `A1:J50`, `C100:C1399` → `C100:C149`, `A:J` → `A1:J50`. */
export function narrowToFirstRows(range: string): string {
  return range.replace(
    /^([A-Z]+)(\d*):([A-Z]+)\d*$/,
    (_, left: string, top: string, right: string) =>
      `${left}${top || 1}:${right}${Number(top || 1) + SUGGESTED_ROWS - 1}`,
  );
}

// The bookmarks of a document as its outline.

/** Undefined if there are no bookmarks; then the headings are the outline. */
export function bookmarksText({ outline = [] }: DocumentFacts, front: string): string | undefined {
  if (outline.length === 0) return undefined;
  const lines = outline.map(({ title, level, page }) => {
    const at = page === undefined ? '' : ` (${front}:p${page})`;
    return `${'  '.repeat(level)}${title.replace(/\s+/g, ' ').trim()}${at}\n`;
  });
  return lines.join('');
}

/** The number of bookmarks that are not in the facts, and the page from which these continue. */
function bookmarksLeft({ outline = [], bookmarks = 0 }: DocumentFacts): {
  left: number;
  from: number;
} {
  const from = outline.findLast(({ page }) => page !== undefined)?.page ?? 1;
  return { left: Math.max(0, bookmarks - outline.length), from };
}
