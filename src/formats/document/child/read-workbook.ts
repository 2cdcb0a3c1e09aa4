/** Reads workbooks with SheetJS, which formats cells and supports the binary formats of Excel. */

import {
  type CellObject,
  type ParsingOptions,
  type Range,
  read as parse,
  set_cptable,
  type WorkBook,
} from '@e965/xlsx';
import {
  DELETED_TEXT,
  type DocumentFormat,
  DocumentRefusal,
  type UnshownFacts,
  xmlKind,
} from '../protocol.ts';
import { CompoundFile, shapeTexts } from './compound.ts';
import { INITIAL_SHEET_ROWS, type SheetGrid, type SheetRows } from './grid.ts';
import { HEADS_AND_FEET, sectionText } from './markdown.ts';
import { withChartGaps } from './repairs/anydoc-charts.ts';
import type { StandIns } from './repairs/anydoc-raised-text.ts';
import { shownDrawings } from './repairs/anydoc-open-drawings.ts';
import {
  DATED,
  GOES_ON,
  hasCodePage,
  isOpenDate,
  mendedStrings,
  mendedXml,
  openContent,
  openDate,
  openDrawings,
  raisedStrings,
  recordsIn,
  repairRecords,
  repairWorkbook,
  soundReferences,
  withChanges,
  withCheckedCursor,
  type WorkbookDrawing,
} from './repairs/sheetjs-workbooks.ts';
import {
  asksForCalculation,
  binaryRecords,
  countSheetRows,
  mainPart,
  type SheetRowCount,
  surveySheets,
} from './row-counts.ts';
import { margin, openMargins, textOfPart } from './rewrite.ts';
import { attribute, elements, plainText, ZipParts } from './zip-parts.ts';

/** A workbook of up to this many bytes is read completely if its rows cannot be counted otherwise. */
const MAX_WHOLE_WORKBOOK_BYTES = 12 << 20;

/** A workbook of up to this many bytes is always read completely. */
const SMALL = 1 << 20;

/**
 * All sheets. `rows`: `all` of them, the `first` ones of long sheets, or a number of rows. With `showsFormulas` cells with a
 * formula have its text as value.
 */
export function readGrids(
  stored: Buffer,
  rows: number | 'all' | 'first',
  showsFormulas = false,
): SheetGrid[] {
  const parts = ZipParts.of(stored);
  const { damaged, dated, hasOpenFormulas } = surveySheets(parts);
  const changed = parts && mendedStrings(parts.names, dated, (name) => parts.sheet(name));
  const { bytes, standIns } =
    parts && changed
      ? { bytes: repairWorkbook(stored, parts, changed) }
      : xmlKind(stored) === 'workbook'
        ? { bytes: mendedXml(stored) }
        : withSoundRecords(stored);
  const hasFillers = parts !== undefined && asksForCalculation(parts);
  // Of formulas without a stored result, the formulas are shown.
  const hasFormulas = showsFormulas || hasFillers || hasOpenFormulas;
  const options: ParsingOptions = {
    type: 'buffer',
    dense: true,
    cellNF: true,
    cellFormula: hasFormulas,
    sheetStubs: hasFormulas,
    cellHTML: false,
    cellStyles: false,
    // Otherwise the format of a cell makes its text, where it is shown.
    cellText: parts ? !mainPart(parts) : xmlKind(stored) === 'workbook',
  };
  const read = (most: number): WorkBook => readBook(bytes, parts, changed, { ...options, sheetRows: most });
  const known = { open: openSheets(parts), damaged, hasFillers, showsFormulas, standIns };
  const all = (): SheetGrid[] => gridsOf(read(0), undefined, { ...known, counts: [] });
  // Only Excel packages can be read in part; other formats are parsed to the end for any row.
  if (rows === 'all' || !parts || !mainPart(parts)) return all();
  if (rows === 'first' && bytes.length <= SMALL) return all();
  const first = rows === 'first' ? INITIAL_SHEET_ROWS : rows;
  const grids = gridsOf(read(first), first, { ...known, counts: countSheetRows(parts) });
  return rows === 'first' && grids.some((grid) => isOpen(grid, bytes)) ? all() : grids;
}

/** Whether a sheet has to be read completely: its rows are sparse, or their number is not known. */
function isOpen({ counted, rows, goesOn }: SheetGrid, { length }: Buffer): boolean {
  if (counted) return rows.size < Math.min(INITIAL_SHEET_ROWS / 2, counted.rows);
  return goesOn === true && length <= MAX_WHOLE_WORKBOOK_BYTES;
}

/** Reads again without references to missing strings if SheetJS could not read a sheet. */
function readBook(
  bytes: Buffer,
  parts: ZipParts | undefined,
  changed: ReadonlyMap<string, Buffer> = new Map(),
  how: ParsingOptions,
): WorkBook {
  const book = read(bytes, how);
  if (!parts || book.SheetNames.every((name) => book.Sheets[name] !== undefined)) return book;
  const sound = soundReferences(parts.names, (name) => changed.get(name) ?? parts.sheet(name));
  return sound.size === 0 ? book : read(withChanges(parts, new Map([...changed, ...sound])), how);
}

function read(bytes: Buffer, options: ParsingOptions): WorkBook {
  try {
    const book = withCheckedCursor(() => parse(bytes, options));
    // Every workbook has a sheet: what SheetJS reads from damaged records has none.
    if (book.SheetNames.length === 0) throw new DocumentRefusal('damaged');
    return book;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    if (error instanceof DocumentRefusal) throw error;
    throw new DocumentRefusal(/password|encrypt/i.test(message) ? 'encrypted' : 'damaged');
  }
}

/** The most characters of a sheet's name; Excel itself allows 31. */
const MAX_SHEET_NAME_CHARACTERS = 255;

const HIDDEN = ['', 'hidden', 'very hidden'];

interface Known {
  readonly open: readonly OpenSheet[];
  readonly counts: readonly (SheetRowCount | undefined)[];
  readonly damaged: ReadonlySet<number>;
  /** Whether results of 0 are those of formulas that were never calculated. */
  readonly hasFillers: boolean;
  readonly showsFormulas: boolean;
  readonly standIns?: StandIns | undefined;
}

function gridsOf(
  book: WorkBook,
  first: number | undefined,
  { open, counts, damaged, ...shown }: Known,
): SheetGrid[] {
  const properties = book.Workbook?.Sheets ?? [];
  return book.SheetNames.map((name, i) => {
    // Safe also for a sheet called `__proto__`.
    const sheet = book.Sheets[name] as unknown;
    const rows = rowsOf(sheet, open.length > 0, shown);
    const counted = counts[i];
    return {
      name: (open[i]?.name ?? name).slice(0, MAX_SHEET_NAME_CHARACTERS),
      hidden: open[i]?.isHidden ? 'hidden' : (HIDDEN[properties[i]?.Hidden ?? 0] ?? 'hidden'),
      kind: Reflect.get(Object(sheet), '!type') as string | undefined,
      rows,
      merges: (Reflect.get(Object(sheet), '!merges') as readonly Range[] | undefined) ?? [],
      date1904: book.Workbook?.WBProps?.date1904 === true,
      isDamaged: damaged.has(i) || sheet === undefined || undefined,
      counted: counted && counted.rows > rows.size ? counted : undefined,
      goesOn: (!counted && first !== undefined && rows.has(first - 1)) || undefined,
    };
  });
}

interface OpenSheet {
  readonly name: string;
  readonly isHidden: boolean;
}

/** Facts about OpenDocument sheets that SheetJS does not give: decoded names, and which are hidden. */
function openSheets(parts: ZipParts | undefined): OpenSheet[] {
  const xml = parts?.has('mimetype') ? openContent(parts) : '';
  const hidden = new Set<string>();
  for (const [style, name = ''] of xml.matchAll(
    /<style:style\b[^>]*style:name="([^"]*)"[^>]*(?<!\/)>(?:(?!<\/style:style>)[^])*/g,
  ))
    if (/table:display="false"/.test(style)) hidden.add(name);
  return [...xml.matchAll(/<table:table(?=\s)[^>]*>/g)].map(([tag]) => ({
    name: attribute(tag, 'table:name') ?? '',
    isHidden: hidden.has(attribute(tag, 'table:style-name') ?? ''),
  }));
}

function rowsOf(
  sheet: unknown,
  isOpen: boolean,
  { hasFillers, showsFormulas, standIns }: Omit<Known, 'open' | 'counts' | 'damaged'>,
): SheetRows {
  const rows = new Map<number, Map<number, CellObject>>();
  const stored = Reflect.get(Object(sheet), '!data') as
    | readonly (readonly CellObject[] | undefined)[]
    | undefined;
  for (const key of Object.keys(stored ?? [])) {
    const number = Number(key);
    const cells = stored?.[number];
    if (!cells) continue;
    const known = new Map<number, CellObject>();
    for (const at of Object.keys(cells)) {
      const cell = cells[Number(at)];
      if (!cell) continue;
      if (standIns && typeof cell.v === 'string') cell.v = standIns.restore(cell.v);
      if (typeof cell.v === 'string' && cell.v.startsWith(DATED)) [cell.t, cell.v] = ['d', cell.v.slice(1)];
      const isFormula = showsFormulas || cell.t === 'z' || (hasFillers && (cell.v === 0 || cell.v === ''));
      // SheetJS gives the bytes of threads, as they are in the XML.
      if (cell.c)
        for (const one of cell.c)
          if (one.T && one.t) one.t = plainText(Buffer.from(one.t, 'latin1').toString('utf8'));
      if (isFormula && cell.f) known.set(Number(at), { ...cell, t: 's', v: `=${cell.f}` });
      else if (isFilled(cell)) known.set(Number(at), isOpen && isOpenDate(cell) ? openDate(cell) : cell);
    }
    if (known.size > 0) rows.set(number, known);
  }
  return rows;
}

function isFilled({ t, v, c }: CellObject): boolean {
  return (t !== 'z' && v !== undefined && v !== '') || (c?.length ?? 0) > 0;
}

const TEXT = /<a:t(?:\s[^>]*)?>([^<]*)<\/a:t>/g;
const VALUE = /<c:v>([^<]*)<\/c:v>/g;

/** The most characters of one shape or chart. */
const MAX_DRAWING_CHARACTERS = 2_000;

/** What is not shown of a workbook. */
export function unshownInWorkbook(bytes: Buffer): UnshownFacts[] {
  const parts = ZipParts.of(bytes);
  if (!parts) return binaryAsides(bytes).unshown;
  const named = (pattern: RegExp): number => parts.names.filter((name) => pattern.test(name)).length;
  const xml = openContent(parts);
  const drawn = /<draw:(?:object|control)/.test(xml) ? shownDrawings(xml, parts).unshown : [];
  const found = [
    { what: 'embedded object', count: named(/^xl\/embeddings\/[^/]+$/) },
    { what: 'form control', count: named(/^xl\/(?:ctrlProps|activeX)\/[^/]+\.xml$/) },
    ...drawn.filter(({ what }) => what !== 'chart'),
  ].filter(({ count }) => count > 0);
  if (hasRaisedFonts(parts.read('xl/styles.bin'))) found.push(RAISED_TEXT);
  return /<table:(?:deletion|cell-content-change)[\s/>]/.test(xml) ? [...found, DELETED_TEXT] : found;
}

const RAISED_TEXT: UnshownFacts = { what: 'superscripts', count: 0 };

/** Types of records of an .xlsb: a font, headers and footers. Source: [MS-XLSB] 2.4.27 (BrtBeginHeaderFooter), 2.4.149 (BrtFont). */
const [BINARY_FONT, BINARY_MARGINS] = [43, 479];

/** Whether the styles of an .xlsb have fonts for superscripts, whose runs SheetJS joins to the text before them. */
function hasRaisedFonts(styles: Buffer = Buffer.alloc(0)): boolean {
  for (const { type, data } of binaryRecords(styles))
    if (type === BINARY_FONT && data.length >= 8 && data.readUInt16LE(6) !== 0) return true;
  return false;
}

/** The header and footer of all pages, of even ones and of the first in a sheet of an .xlsb. */
function binaryMargins(sheet: Buffer): string[] {
  let margins: Buffer = Buffer.alloc(0);
  for (const { type, data } of binaryRecords(sheet)) if (type === BINARY_MARGINS) margins = data;
  const lines: string[] = [];
  for (let [at, i] = [2, 0]; at + 4 <= margins.length; i += 1) {
    const length = margins.readUInt32LE(at);
    const end = at + 4 + (length === 0xffffffff ? 0 : 2 * length);
    const text = withoutMarginCodes(margins.toString('utf16le', at + 4, end));
    lines.push(...margin(i % 2 === 0 ? 'header' : 'footer', text));
    at = end;
  }
  return lines;
}

/** Codes in the header or footer of a sheet: its font, a place, a field. */
const MARGIN_CODE = /&(?:&|"[^"]*"|\d+|K[\dA-F]{6}|K\d\d[+-]\d{3}|[A-Z])/gi;
const MARGIN_FIELD =
  /<text:(sheet-name|title|date|time|page-number|page-count|file-name)(?=\s|>)[^<>]*>[^<]*<\/text:\1>/g;

const withoutMarginCodes = (text: string): string =>
  text.replace(MARGIN_CODE, (code) => (code === '&&' ? '&' : ' ')).trim();

/** The headers and footers of printed sheets, without their fields. */
function marginText(parts: ZipParts): string {
  const lines = openMargins(parts.text('styles.xml') ?? '', (xml) => xml.replace(MARGIN_FIELD, ' '));
  for (const name of parts.names.filter((one) => /^xl\/\w+sheets\/[^/]+\.(?:xml|bin)$/.test(one))) {
    const part = parts.sheet(name);
    if (part && name.endsWith('.bin')) lines.push(...binaryMargins(part));
    const end = part?.lastIndexOf('headerFooter>') ?? -1;
    if (!part || end === -1) continue;
    const xml = part.toString('utf8', part.lastIndexOf('headerFooter', end - 1), end);
    for (const { content, tag } of elements(xml, '\\w+(?:Header|Footer)')) {
      const text = withoutMarginCodes(plainText(content));
      lines.push(...margin(tag.endsWith('Header>') ? 'header' : 'footer', text));
    }
  }
  return sectionBelow(HEADS_AND_FEET, lines);
}

function sectionBelow(title: string, lines: readonly string[]): string {
  const section = sectionText({ title, lines });
  return section === '' ? '' : `\n${section}\n`;
}

/** The texts that are not in cells: of shapes and charts, headers and footers. */
export function asideText(bytes: Buffer, format: DocumentFormat): string {
  const parts = ZipParts.of(bytes);
  if (!parts) {
    if (xmlKind(bytes) === 'workbook') return sectionBelow(HEADS_AND_FEET, xmlMargins(bytes));
    const { drawings, margins } = binaryAsides(bytes);
    return sectionBelow('Drawings', drawings) + sectionBelow(HEADS_AND_FEET, margins);
  }
  const drawings = format === 'ods' ? openDrawings(parts, openContent(parts)) : packageDrawings(parts);
  const lines = drawings.map(({ kind, text, name = 'content.xml' }) => {
    const rest = text.length > MAX_DRAWING_CHARACTERS ? `… (the rest is in ${name})` : '';
    return `- ${kind}: ${text.slice(0, MAX_DRAWING_CHARACTERS).toWellFormed()}${rest}`;
  });
  const drawn = lines.length === 0 ? '' : `\n## Drawings\n\n${lines.join('\n')}\n`;
  return drawn + marginText(parts);
}

/** The headers and footers of a workbook of Office 2003 in XML. */
function xmlMargins(bytes: Buffer): string[] {
  const tags = [...textOfPart(bytes).matchAll(/<(?:\w+:)?(Header|Footer)\s[^<>]*>/g)];
  return tags.flatMap(([tag, kind = '']) =>
    margin(kind.toLowerCase(), withoutMarginCodes(attribute(tag, '(?:\\w+:)?Data') ?? '')),
  );
}

/** Types of records, and of objects in sheets. Source: [MS-XLS] 2.3.1, 2.4.181 (Obj), 2.4.329 (TxO). */
const [HEADER, FOOTER, FONT, DRAWING, SHAPE, SHAPE_TEXT] = [0x14, 0x15, 0x31, 0xec, 0x5d, 0x1b6];
const [CHART, NOTE] = [0x05, 0x19];
const CONTROLS: ReadonlySet<number> = new Set([0x07, 0x0b, 0x0c, 0x0d, 0x10, 0x11, 0x12, 0x13, 0x14]);

/** Whether an object belongs to the program: the arrow of a filter. */
const IS_OF_PROGRAM = 0x0100;

interface BinaryAsides {
  readonly drawings: readonly string[];
  readonly margins: readonly string[];
  readonly unshown: UnshownFacts[];
}

/** What is not in the cells of a binary workbook. */
function binaryAsides(bytes: Buffer): BinaryAsides {
  const { compound, records } = recordsOf(bytes);
  const streams = compound?.streams ?? [];
  const objects = streams.filter(({ name }) => /^MBD[\dA-F]{8}$/i.test(name)).length;
  const drawings: string[] = [];
  const margins: string[] = [];
  const drawn: Buffer[] = [];
  const fonts: number[] = [];
  let [kind, left, text, charts, controls] = [0, 0, '', 0, 0];
  let [isOfText, hasRaised] = [false, false];
  for (const { type, body } of hasCodePage(records) ? [] : recordsIn(records)) {
    if (isOfText && type === GOES_ON) {
      // Behind a text are the places and numbers of its fonts, of which none is 4.
      if (left === 0)
        for (let at = 2; at + 2 <= body.length; at += 8) {
          const font = body.readUInt16LE(at);
          hasRaised ||= (fonts[font < 4 ? font : font - 1] ?? 0) > 0;
        }
      const more = left === 0 ? '' : body.toString(body[0] === 0 ? 'latin1' : 'utf16le', 1).slice(0, left);
      text += more;
      left -= more.length;
      if (left === 0 && more !== '' && kind !== NOTE) drawings.push(`shape: ${text}`);
      continue;
    }
    isOfText = type === SHAPE_TEXT && body.length >= 12;
    if (isOfText) [left, text] = [body.readUInt16LE(10), ''];
    else if (type === FONT) fonts.push(body.length >= 10 ? body.readUInt16LE(8) : 0);
    else if ((type === HEADER || type === FOOTER) && body.length > 3) {
      const said = withoutMarginCodes(body.toString(body[2] === 0 ? 'latin1' : 'utf16le', 3));
      margins.push(...margin(type === HEADER ? 'header' : 'footer', said));
    } else if (type === DRAWING) drawn.push(body);
    else if (type === SHAPE && body.length >= 10) {
      kind = body.readUInt16LE(4);
      if (kind === CHART) charts += 1;
      if (CONTROLS.has(kind) && (body.readUInt16LE(8) & IS_OF_PROGRAM) === 0) controls += 1;
    }
  }
  drawings.push(...shapeTexts(Buffer.concat(drawn)));
  const unshown = [
    { what: 'embedded object', count: objects },
    { what: 'form control', count: controls },
    { what: 'chart', count: charts },
  ].filter(({ count }) => count > 0);
  if (hasRaised) unshown.push(RAISED_TEXT);
  return { drawings, margins, unshown };
}

const DESCRIBED = /<(?:\w+:)?cNvPr(?=\s)[^<>]*\sdescr="([^"]+)"/g;

function packageDrawings(parts: ZipParts): WorkbookDrawing[] {
  const names = parts.names.filter((name) =>
    /^xl\/(?:drawings\/|charts\/|diagrams\/data)[^/]*\.xml$/.test(name),
  );
  return names.flatMap((name) => {
    const kind = name.startsWith('xl/charts/') ? 'chart' : 'shape';
    const stored = parts.text(name) ?? '';
    const xml = kind === 'chart' ? withChartGaps(stored, '(blank)') : stored;
    const found = [...xml.matchAll(TEXT), ...(kind === 'chart' ? xml.matchAll(VALUE) : [])];
    const words = found.map((match) => plainText(match[1] ?? '')).filter((word) => word !== '');
    const pictures = Array.from(xml.matchAll(DESCRIBED), ([, text = '']) => plainText(text));
    return [
      ...(words.length === 0 ? [] : [{ kind, text: words.join(' '), name }]),
      ...pictures.map((text) => ({ kind: 'picture', text, name })),
    ];
  });
}

/** The first byte of a binary workbook that is not in a compound file: a BOF record. Source: [MS-XLS] 2.4.21. */
const BOF_RECORD = 0x09;

function withSoundRecords(bytes: Buffer): { bytes: Buffer; standIns?: StandIns | undefined } {
  const { compound, stream, records } = recordsOf(bytes);
  const standIns = raisedStrings(records);
  if (!repairRecords(records) && !standIns) return { bytes };
  if (!compound || !stream) return { bytes: records, standIns };
  const copy = Buffer.from(bytes);
  CompoundFile.of(copy)?.write(stream, records);
  return { bytes: copy, standIns };
}

function recordsOf(bytes: Buffer) {
  const compound = CompoundFile.of(bytes);
  const stream = compound?.find('Workbook') ?? compound?.find('Book');
  const isBare = compound === undefined && bytes[0] === BOF_RECORD;
  const records = compound && stream ? compound.read(stream) : Buffer.from(isBare ? bytes : []);
  return { compound, stream, records };
}

/** Loads the tables of code pages if a binary workbook needs them, which takes a quarter of a second. */
export async function loadCodePages(bytes: Buffer): Promise<void> {
  if (hasCodePage(recordsOf(bytes).records)) set_cptable(await import('@e965/xlsx/dist/cpexcel.full.mjs'));
}
