/** The sheets of a workbook: their texts, ranges of cells, and pages of rows as those of a database. */

import { readAt } from '../../access/bytes.ts';
import { isOrielError, OrielError } from '../../errors.ts';
import { plural } from '../../render/units.ts';
import { everything, parseBehind } from '../../selector/selection.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { quote } from '../../text/visible.ts';
import type { OpenedFile } from '../../types/access.ts';
import type { Resource } from '../../types/resource.ts';
import { readSegment, writeSegment } from '../sqlite/address.ts';
import { openDatabase } from '../sqlite/open-database.ts';
import type { Asked } from './ask.ts';
import { sourceOf } from './body.ts';
import { conversions, optionsOf } from './convert.ts';
import type { DocumentReading } from './opened-document.ts';
import type { SheetFacts } from './protocol.ts';
import { tableNames } from './table-names.ts';

const TABLES = { want: { is: 'tables' } } as const;

/** `A1:H50`, `B7`, `A:C`. */
const CELLS = String.raw`\$?[A-Z]{1,3}\$?\d{1,7}(?::\$?[A-Z]{1,3}\$?\d{1,7})?|\$?[A-Z]{1,3}:\$?[A-Z]{1,3}`;

/** Cells, with what follows. */
const RANGE = new RegExp(`^(${CELLS})(?::|$)`, 'i');

/** As spreadsheets write it: `Sales!A1:B2`, `'My Sheet'!A1`. */
const WITH_BANG = new RegExp(`^([^]+?)!((?:${CELLS})(?::[^]*)?)$`, 'i');
const IN_QUOTES = /^'((?:[^']|'')+)'(?:[!:]([^]+))?$/;

/** Undefined where the words name no sheet, no cells and no rows. */
export async function openSheet(document: DocumentReading, asked: Asked): Promise<Resource | undefined> {
  const { tail } = asked;
  if (!/\.(?:xl\w{1,2}|o[td]s)$/i.test(document.subject.name) && !mayBeSheet(document)) return undefined;
  const { reply } = await document.convert({ want: { is: 'whole' } });
  const sheets = ('facts' in reply && reply.facts.sheets) || [];
  if (sheets.length === 0) return undefined;
  const mark = tail.indexOf('?');
  if (mark !== -1) {
    const table = tail.slice(0, mark);
    const name = sheetName(table, sheets) ?? sheetName(ours(table), sheets);
    if (table !== '' && name === undefined) throw noSheet(document, table, sheets);
    return rows(document, tableOf(name, sheets), tail.slice(mark));
  }
  const named = splitSheet(tail, sheets) ?? splitSheet(ours(tail), sheets);
  if (!named) return cells(document, asked, sheets.find(({ hidden }) => !hidden)?.name ?? '', tail, '');
  const part = `:${writeSegment(named.name)}`;
  if (/^\d+$/.test(named.tail)) {
    return rows(document, tableOf(named.name, sheets), `:${named.tail}`).catch((error: unknown) => {
      throw noRow(document, named, sheets, error);
    });
  }
  const range = await cells(document, asked, named.name, named.tail, part);
  if (range) return range;
  const target = document.target(asked, part);
  const selection = named.tail === '' ? everything : parseBehind(target, named.tail);
  return selection && document.text(asked, { is: 'sheet', sheet: named.name }, selection, part);
}

/** Why words behind a workbook name nothing; undefined where they may name a part of the package, or it has no sheets. */
export async function missingSheet(
  document: DocumentReading,
  { tail }: Asked,
): Promise<OrielError | undefined> {
  if (tail.includes('/') || tail.includes('?')) return undefined;
  const { reply } = await document.convert({ want: { is: 'whole' } });
  const sheets = ('facts' in reply && reply.facts.sheets) || [];
  return sheets.length === 0 ? undefined : noSheet(document, tail.split(':', 1)[0] ?? '', sheets);
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
  const next = near[0] ?? target(sheets[0]?.name ?? '');
  const advice = near.length > 0 ? didYouMean(near.map(quote)).trimStart() : `Use ${quote(next)}.`;
  return new OrielError(
    'NOT_FOUND',
    `${quote(typed)} has no sheet ${quote(name)}. It has ${names.join(', ')}${sheets.length > 10 ? ', …' : ''}. ${advice}`,
    { next },
  );
}

/** Rows of sheets have numbers, not keys. */
function noRow(
  { subject: { typed } }: DocumentReading,
  { name, tail }: { readonly name: string; readonly tail: string },
  sheets: readonly SheetFacts[],
  error: unknown,
): unknown {
  if (!isOrielError(error) || error.code !== 'NOT_FOUND') return error;
  const { rows: count = 0 } = sheets.find((sheet) => sheet.name === name) ?? {};
  const next = `${typed}:${writeSegment(name)}?limit=20`;
  const message = `${quote(name)} has no row ${tail}: it has ${plural(count, 'row')}, its header included. Use ${quote(next)}.`;
  return new OrielError('NOT_FOUND', message, { next, cause: error });
}

function mayBeSheet({ subject }: DocumentReading): boolean {
  return !/\.[a-z]{2,4}$/i.test(subject.name);
}

async function cells(
  document: DocumentReading,
  asked: Asked,
  sheet: string,
  tail: string,
  part: string,
): Promise<Resource | undefined> {
  const match = RANGE.exec(tail);
  if (!match) return undefined;
  const range = (match[1] ?? '').toUpperCase().replaceAll('$', '');
  const behind = tail.slice(match[0].length);
  const whole = `${part}:${range}`;
  const selection = behind === '' ? everything : parseBehind(document.target(asked, whole), behind);
  return selection && document.text(asked, { is: 'sheet', sheet, range }, selection, whole);
}

/** The words of a spreadsheet in our own form; others as they are. */
function ours(words: string): string {
  const [, quoted, behind] = IN_QUOTES.exec(words) ?? [];
  if (quoted !== undefined) return joined(quoted.replaceAll("''", "'"), behind);
  const [, name, cellsOf] = WITH_BANG.exec(words) ?? [];
  return name === undefined ? words : joined(name, cellsOf);
}

function joined(name: string, behind: string | undefined): string {
  return writeSegment(name) + (behind === undefined ? '' : `:${behind}`);
}

/** The longest front of the words that is the name of a sheet. */
function splitSheet(
  words: string,
  sheets: readonly SheetFacts[],
): { name: string; tail: string } | undefined {
  const ends = [words.length, ...Array.from(words.matchAll(/:/g), ({ index }) => index).reverse()];
  for (const end of ends.slice(0, 16)) {
    const name = sheetName(words.slice(0, end), sheets);
    if (name !== undefined) return { name, tail: words.slice(end + 1) };
  }
  return undefined;
}

function sheetName(typed: string, sheets: readonly SheetFacts[]): string | undefined {
  if (typed === '') return undefined;
  for (const meant of readSegment(typed)) {
    const lower = meant.toLowerCase();
    const found =
      sheets.find(({ name }) => name === meant) ?? sheets.find(({ name }) => name.toLowerCase() === lower);
    if (found) return found.name;
  }
  // As the notices of its rows have it.
  return sheets[tableNames(sheets).findIndex((table) => readSegment(typed).includes(table))]?.name;
}

function tableOf(sheet: string | undefined, sheets: readonly SheetFacts[]): string | undefined {
  return tableNames(sheets)[sheets.findIndex(({ name }) => name === sheet)];
}

/** Rows as the source of databases pages through them. `tail` begins with `?` or `:`. */
async function rows(document: DocumentReading, table: string | undefined, tail: string): Promise<Resource> {
  const { subject, opened, call } = document;
  const { body } = await document.convert(TABLES);
  const identity = opened.bytes.identity.derive(conversions, optionsOf(TABLES));
  const stored = sourceOf(body, identity);
  const database: OpenedFile = {
    is: 'file',
    path: opened.path,
    size: body.bytes,
    mtimeMs: opened.mtimeMs,
    bytes: stored,
    close: () => Promise.resolve(),
  };
  const rest = `${table === undefined ? '' : writeSegment(table)}${tail}`;
  const head = await readAt(stored, 0, 4096);
  const resource = await openDatabase({ ...subject, rest, opened: database, head }, call);
  return { ...resource, kind: 'document' };
}
