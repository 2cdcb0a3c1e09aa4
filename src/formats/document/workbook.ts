/** Reads sheets of a workbook: their texts, ranges of cells, and pages of rows through the source of databases. */

import { isOrielError, OrielError } from '../../errors.ts';
import { plural } from '../../render/display.ts';
import { everything, isSelector, parseBehind } from '../../selector/selection.ts';
import { readAt } from '../../text/bytes.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { quote } from '../../text/visible.ts';
import type { OpenedFile } from '../../types/access.ts';
import type { NoteResource, Resource } from '../../types/call.ts';
import { archiveIndex } from '../archive/container.ts';
import { formatOf } from '../archive/detect.ts';
import { openDatabase } from '../sqlite/open.ts';
import { readSegment, writeSegment } from '../sqlite/stored-text.ts';
import { conversionOptions, conversions } from './convert.ts';
import { sourceOf } from './converted.ts';
import { columnNotes, narrowToFirstRows } from './notices.ts';
import { type DocumentPart, isWorkbook, type SheetFacts, tableNames } from './protocol.ts';
import { documentError, type DocumentReading } from './reading.ts';
import {
  DEFAULT_SHEET_NAME,
  type DocumentSelector,
  matchOurSheet,
  sheetName,
  splitFormulas,
  splitRange,
  splitSheet,
  tableOf,
} from './select.ts';

const TABLES = { kind: 'tables' } as const;
const WHOLE = { kind: 'whole' } as const;

/** Undefined if the selector names no sheet, cells or rows. */
export async function openSheet(
  document: DocumentReading,
  asked: DocumentSelector,
): Promise<Resource | undefined> {
  const { tail } = asked;
  const sheets = await sheetsOf(document, likelyPart(tail));
  if (sheets.length === 0) return undefined;
  const mark = tail.indexOf('?');
  if (mark !== -1) {
    const table = tail.slice(0, mark);
    const name = sheetName(table, sheets) ?? sheetName(matchOurSheet(table), sheets);
    if (table !== '' && name === undefined) throw noSheet(document, table, sheets);
    if (table === '' && /^\?(?:where|order|after)=/.test(tail)) throw whichSheet(document, tail, sheets);
    return rows(document, tableOf(name, sheets), tail.slice(mark));
  }
  const named = splitSheet(tail, sheets) ?? splitSheet(matchOurSheet(tail), sheets);
  if (!named) return sheetPart(document, asked, { sheet: DEFAULT_SHEET_NAME, tail, part: '' });
  const part = `:${writeSegment(named.name)}`;
  if (/^\d+$/.test(named.tail)) {
    const header = headerRange(named, sheets);
    if (header !== undefined) return sheetPart(document, asked, { sheet: named.name, tail: header, part });
    return rows(document, tableOf(named.name, sheets), `:${named.tail}`).catch((error: unknown) => {
      if (!isOrielError(error) || error.code !== 'NOT_FOUND') throw error;
      const empty = emptyRow(document, named, sheets);
      if (empty) return empty;
      throw noRow(document, named, sheets, error);
    });
  }
  return (
    sheetPart(document, asked, { sheet: named.name, tail: named.tail, part }) ??
    sheetText(document, asked, { kind: 'sheet', sheet: named.name }, { tail: named.tail, part })
  );
}

/**
 * All sheets of the workbook; empty for another document. The list comes with every conversion, so the part that the
 * selector probably names (`likely`) is converted, which is then needed anyway.
 */
async function sheetsOf(document: DocumentReading, likely: DocumentPart): Promise<readonly SheetFacts[]> {
  if (!(await mayHaveSheets(document))) return [];
  const { reply } = await document.ask({ want: likely });
  if (reply.kind === 'refused') {
    if (reply.why === 'absent' && !isWorkbook(reply.facts?.format)) return [];
    // The guess was wrong: there is no such sheet.
    if (reply.why === 'absent' && likely !== WHOLE) return sheetsOf(document, WHOLE);
    throw documentError(reply, document.subject, undefined);
  }
  const { allSheets } = Object(reply) as { readonly allSheets?: readonly SheetFacts[] | undefined };
  return allSheets ?? reply.facts.sheets ?? [];
}

/** Whether the document may be a workbook, by its content. True if only a conversion can tell. */
async function mayHaveSheets({ subject, opened, call }: DocumentReading): Promise<boolean> {
  const start = Buffer.from(subject.head.subarray(0, 1024)).toString('latin1');
  if (start.includes('%PDF-') || start.startsWith('{\\rtf')) return false;
  if (formatOf(subject.head) !== 'zip' || /\.(?:xl\w{1,2}|o[td]s)$/i.test(subject.name)) return true;
  const packed = /mimetypeapplication\/([\w.-]+)/.exec(start)?.[1];
  if (packed !== undefined) return packed.includes('spreadsheet');
  // If the zip cannot be listed, the conversion reports the error for documents.
  const index = await archiveIndex({ ...subject, opened }, call).catch(() => undefined);
  return index?.kind !== 'container' || index.contents.sorted.some((name) => name.startsWith('xl/'));
}

/** The part that the words after a workbook mean, if its sheets have usual names. */
function likelyPart(tail: string): DocumentPart {
  // A selector for its text, or a part of its package.
  if (isSelector(tail) || tail.includes('/')) return WHOLE;
  if (tail.includes('?')) return TABLES;
  const words = matchOurSheet(tail);
  const first = splitRange(words);
  if (first) return { kind: 'sheet', sheet: DEFAULT_SHEET_NAME, range: first.range };
  const [name = '', ...more] = words.split(':');
  const behind = more.join(':');
  if (/^\d+$/.test(behind)) return TABLES;
  const [sheet = name] = readSegment(name);
  const cellsOf = splitRange(behind);
  return { kind: 'sheet', sheet, range: cellsOf?.range };
}

/** The error for words that name nothing; undefined if they may name a part of the package, or there are no sheets. */
export async function missingSheet(
  document: DocumentReading,
  { tail }: DocumentSelector,
): Promise<OrielError | undefined> {
  if (tail.includes('/') || tail.includes('?')) return undefined;
  const sheets = await sheetsOf(document, WHOLE);
  if (sheets.length === 0) return undefined;
  const named = splitSheet(tail, sheets) ?? splitSheet(matchOurSheet(tail), sheets);
  return named ? noCells(document, named, sheets) : noSheet(document, tail.split(':', 1)[0] ?? '', sheets);
}

/** The error for a query of rows that does not name a sheet. */
function whichSheet(
  { subject: { typed } }: DocumentReading,
  query: string,
  sheets: readonly SheetFacts[],
): OrielError {
  const [first = { name: '' }] = [...sheets.filter(({ hidden }) => !hidden), ...sheets];
  const next = `${typed}:${writeSegment(first.name)}${query}`;
  const names = sheets.slice(0, 10).map(({ name }) => quote(name));
  const message = `A sheet stands before the question mark; there are ${names.join(', ')}${sheets.length > 10 ? ', …' : ''}. Use ${quote(next)}.`;
  return new OrielError('BAD_SELECTOR', message, { next });
}

/** A sheet, and what follows its name: the number of a row, cells, a selector. */
interface SheetPart {
  readonly name: string;
  readonly tail: string;
}

function factsOf(name: string, sheets: readonly SheetFacts[]): Partial<SheetFacts> {
  return sheets.find((sheet) => sheet.name === name) ?? {};
}

/** The error for an existing sheet with invalid cells after it. */
function noCells(
  { subject: { typed } }: DocumentReading,
  { name, tail }: SheetPart,
  sheets: readonly SheetFacts[],
): OrielError {
  const { range } = factsOf(name, sheets);
  const call = `${typed}:${writeSegment(name)}`;
  const cells = meantCells(tail) ?? (range && narrowToFirstRows(range));
  const next = cells === undefined ? call : `${call}:${cells}`;
  const message = `${quote(tail)} is no row, cell, range or selector of the sheet ${quote(name)}. Use ${quote(next)}.`;
  return new OrielError('BAD_SELECTOR', message, { next });
}

/** The cells that `A1-B2` or `A1..B2` mean. */
function meantCells(words: string): string | undefined {
  const meant = splitRange(words.replace(/ ?(?:-|–|\.\.) ?/, ':'));
  return meant?.behind === '' ? meant.range : undefined;
}

function noSheet(
  { subject: { typed } }: DocumentReading,
  name: string,
  sheets: readonly SheetFacts[],
): OrielError {
  const target = (sheet: string): string => `${typed}:${writeSegment(sheet)}`;
  const names = sheets.slice(0, 10).map((sheet) => quote(sheet.name));
  const near = nearNames(
    name,
    sheets.map((sheet) => sheet.name),
  ).map(target);
  const cells = meantCells(name);
  const next = near[0] ?? (cells === undefined ? target(sheets[0]?.name ?? '') : `${typed}:${cells}`);
  const advice = near.length > 0 ? didYouMean(near.map(quote)).trimStart() : `Use ${quote(next)}.`;
  return new OrielError(
    'NOT_FOUND',
    `${quote(typed)} has no sheet ${quote(name)}. It has ${names.join(', ')}${sheets.length > 10 ? ', …' : ''}. ${advice}`,
    { next },
  );
}

/** The range of the row with this number if it is the header, which is not a row of the table. */
function headerRange({ name, tail }: SheetPart, sheets: readonly SheetFacts[]): string | undefined {
  const { header, range = '' } = factsOf(name, sheets);
  const [, left, top = '1', right] = /^([A-Z]+)(\d*):([A-Z]+)/.exec(range) ?? [];
  return header && left !== undefined && Number(tail) === Number(top)
    ? `${left}${top}:${right}${top}`
    : undefined;
}

/** The answer for a row without cells between rows that have some: like an empty line, it exists. */
function emptyRow(
  { subject: { typed } }: DocumentReading,
  { name, tail }: SheetPart,
  sheets: readonly SheetFacts[],
): NoteResource | undefined {
  const row = Number(tail);
  const [, left, top, right, bottom] = rangeOf(name, sheets);
  if (!(row > Number(top) && row < Number(bottom))) return undefined;
  const use = `${typed}:${writeSegment(name)}:${left}${row - 1}:${right}${row + 1}`;
  const text = `Row ${tail} of ${quote(name)} is empty. Use ${quote(use)} for the rows beside it`;
  return { kind: 'note', format: 'document', note: { kind: 'said', text, use } };
}

/** The error for a row before the first or after the last. Rows of sheets have numbers, not keys. */
function noRow(
  { subject: { typed } }: DocumentReading,
  { name, tail }: SheetPart,
  sheets: readonly SheetFacts[],
  cause: OrielError,
): OrielError {
  const { rows: count = 0 } = factsOf(name, sheets);
  const [, , top, , bottom] = rangeOf(name, sheets);
  const next = `${typed}:${writeSegment(name)}?limit=20`;
  const where = bottom === undefined ? '' : ` between ${top} and ${bottom}`;
  const message = `${quote(name)} has no row ${tail}: it has ${plural(count, 'row')}${where}, its header included. Use ${quote(next)}.`;
  return new OrielError('NOT_FOUND', message, { next, cause });
}

/** `A1:H50` as `['A1:H50', 'A', '1', 'H', '50']`; empty if the range of the sheet is not known. */
function rangeOf(name: string, sheets: readonly SheetFacts[]): readonly string[] {
  const { range = '' } = factsOf(name, sheets);
  return /^([A-Z]+)(\d+):([A-Z]+)(\d+)$/.exec(range) ?? [];
}

/** Cells, or formulas; undefined if `tail` is neither. `part` selects the sheet. */
function sheetPart(
  document: DocumentReading,
  asked: DocumentSelector,
  { sheet, tail, part }: { readonly sheet: string; readonly tail: string; readonly part: string },
): Promise<Resource> | undefined {
  const split = splitRange(tail);
  const { formulas, behind } = splitFormulas(split ? split.behind : tail);
  if (!split && !formulas) return undefined;
  const range = split?.range;
  const whole = `${part}${split ? `:${range}` : ''}${formulas ? ':formulas' : ''}`;
  return sheetText(document, asked, { kind: 'sheet', sheet, range, formulas }, { tail: behind, part: whole });
}

/** `tail` selects lines of the text; undefined if it is no selector. */
function sheetText(
  document: DocumentReading,
  asked: DocumentSelector,
  want: DocumentPart,
  { tail, part }: { readonly tail: string; readonly part: string },
): Promise<Resource> | undefined {
  const selection = tail === '' ? everything : parseBehind(document.target(asked, part), tail);
  return selection && document.text(asked, want, selection, part);
}

/** Reads rows with the source of databases. `tail` begins with `?` or `:`. */
async function rows(document: DocumentReading, table: string | undefined, tail: string): Promise<Resource> {
  const { subject, opened, call } = document;
  const { reply, body } = await document.convert({ want: TABLES });
  const identity = opened.bytes.identity.derive(conversions, conversionOptions({ want: TABLES }));
  const stored = sourceOf(body, identity);
  const database: OpenedFile = {
    kind: 'file',
    path: opened.path,
    size: body.bytes,
    // The modification time does not matter, because nobody else writes to it.
    mtimeMs: 0,
    bytes: stored,
    fd: body.fd,
    close: () => Promise.resolve(),
  };
  const rest = `${table === undefined ? '' : writeSegment(table)}${tail}`;
  const head = await readAt(stored, 0, 4096);
  const resource = await openDatabase({ ...subject, rest, opened: database, head }, call);
  const { sheets = [] } = reply.facts;
  const shown = sheets.filter((_, i) => table === undefined || tableNames(sheets)[i] === table);
  const notes = columnNotes(shown, subject.typed);
  if (resource.kind !== 'text' || notes.length === 0) return { ...resource, format: 'document' };
  return { ...resource, format: 'document', notes: [...notes, ...(resource.notes ?? [])] };
}
