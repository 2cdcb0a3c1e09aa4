/**
 * Counts the rows of the sheets of a package without parsing cells. The declared `<dimension>` cannot be used: it may be left
 * over from an earlier version, or include cells that only have a format.
 */

import { attribute, relations, type ZipParts } from './zip-parts.ts';

export interface SheetRowCount {
  /** The number of rows with content. */
  readonly rows: number;
  /** The number of the last such row, 1-based; 0 if there is none. */
  readonly last: number;
}

/** The name of the part that lists the sheets of an Excel workbook. */
export function mainPart({ names }: ZipParts): string | undefined {
  const listed = names.filter((name) => /^xl\/workbook[^/]*\.(?:bin|xml)$/i.test(name));
  return listed.find((name) => name.endsWith('.bin')) ?? listed[0];
}

/** Row counts in the order of the workbook; undefined for a sheet that cannot be counted. */
export function countSheetRows(parts: ZipParts): (SheetRowCount | undefined)[] {
  return sheetParts(parts).map((name) => {
    const content = name === undefined ? undefined : parts.sheet(name);
    return content && (name?.endsWith('.bin') ? countRecords(content) : countXml(content));
  });
}

export interface SheetSurvey {
  /** The indices (0-based) of sheets whose part is missing, damaged or truncated, so that cells may be missing. */
  readonly damaged: ReadonlySet<number>;
  /** The names of parts with dates as ISO text, or with errors that SheetJS does not know. */
  readonly dated: ReadonlySet<string>;
  /** Whether there are formulas without a stored result. */
  readonly hasOpenFormulas: boolean;
}

/** What decides how the sheets are read, found without parsing them. */
export function surveySheets(parts: ZipParts | undefined): SheetSurvey {
  const [damaged, dated] = [new Set<number>(), new Set<string>()];
  if (!parts) return { damaged, dated, hasOpenFormulas: false };
  const open = parts.sheet('content.xml')?.toString('latin1') ?? '';
  let hasOpenFormulas = /<table:table-cell(?=\s)(?![^<>]*\soffice:value-type)[^<>]*\stable:formula=/.test(
    open,
  );
  for (const [i, name] of sheetParts(parts).entries()) {
    // A part that is too large is not looked at.
    const content = name === undefined ? undefined : parts.sheet(name, NOT_READ);
    if (content === NOT_READ) continue;
    const isText = name?.endsWith('.bin') !== true;
    if (!content || (isText && !SHEET_END.test(content.toString('latin1', content.length - 200))))
      damaged.add(i);
    if (!content || !isText) continue;
    const isOdd =
      content.includes(' t="d"') ||
      (content.includes(' t="e"') && NEW_ERROR.test(content.toString('latin1')));
    if (name !== undefined && isOdd) dated.add(name);
    hasOpenFormulas ||= nextOpenFormula(content, prefixOf(content), 0) < content.length;
  }
  return { damaged, dated, hasOpenFormulas };
}

/** An error since Excel 2019, such as `#SPILL!`. */
export const NEW_ERROR = /<(?:\w+:)?v>#(?!NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A|GETTING_DATA)/;

const NOT_READ = Buffer.alloc(0);

/** The end of a sheet part: `</worksheet>`, `</chartsheet>` and others, with any prefix. */
const SHEET_END = /<\/(?:\w+:)?\w*sheet>(?:\s|<!--[^>]*-->)*$/;

/** The names of the parts of the sheets, in the order of the workbook; undefined if there is none. */
function sheetParts(parts: ZipParts): (string | undefined)[] {
  const main = mainPart(parts);
  const workbook = main && parts.sheet(main);
  if (!workbook) return [];
  const targets = relations(parts, main);
  const sheets = main.endsWith('.bin') ? binarySheets(workbook) : xmlSheets(workbook.toString('utf8'));
  return sheets.map((id) => targets.get(id));
}

/**
 * Whether a workbook asks for the calculation of all formulas when it is opened. Libraries that write it do so because the
 * results that they stored are fillers: 0.
 */
export function asksForCalculation(parts: ZipParts): boolean {
  const main = mainPart(parts);
  const xml = main?.endsWith('.xml') ? (parts.sheet(main)?.toString('utf8') ?? '') : '';
  return /<(?:\w+:)?calcPr(?=\s)[^>]*\sfullCalcOnLoad\s*=\s*["'](?:1|true)["']/.test(xml);
}

/** The end of a formula without a result, and that of its cell. */
const NO_RESULT = /^<\/[\w:]*f>\s*(?:<[\w:]*v\s*\/>|<[\w:]*v>\s*<\/[\w:]*v>)?\s*<\/[\w:]*c>/;

/** The offset of the end of such a formula from `from` on; the length if there is none. An empty text is a result too. */
function nextOpenFormula(xml: Buffer, prefix: string, from: number): number {
  const close = `</${prefix}f>`;
  for (let end = xml.indexOf(close, from); end !== -1; end = xml.indexOf(close, end + 4)) {
    if (!NO_RESULT.test(xml.toString('latin1', end, end + 80))) continue;
    const cell = xml.lastIndexOf(`<${prefix}c`, end);
    if (!/^<[\w:]+ [^>]*\bt="str"/.test(xml.toString('latin1', cell, cell + 200))) return end;
  }
  return xml.length;
}

/** The prefix of the elements of a sheet: `x:`, mostly empty. */
const prefixOf = (xml: Buffer): string =>
  /<(\w+:)?sheetData/.exec(xml.toString('latin1', 0, 64 * 1024))?.[1] ?? '';

/** The relation identifiers of the sheets. */
function xmlSheets(workbook: string): string[] {
  return [...workbook.matchAll(/<(?:\w+:)?sheet\s[^>]*>/g)].map(
    ([tag]) => attribute(tag, 'r:id') ?? attribute(tag, '\\w+:id') ?? '',
  );
}

/** A row counts if a value or a text begins in it before the start of the next row. */
function countXml(xml: Buffer): SheetRowCount {
  const prefix = prefixOf(xml);
  const next = (tag: string, from: number): number => {
    const at = xml.indexOf(`<${prefix}${tag}`, from);
    return at === -1 ? xml.length : at;
  };
  /** Skips empty elements, which formulas leave as results. */
  const nextFilled = (tag: string, from: number): number => {
    let found = next(tag, from);
    while (found < xml.length && isEmpty(xml, found)) found = next(tag, found + 1);
    return found;
  };
  let [rows, last, number, value, text, formula] = [0, 0, 0, -1, -1, -1];
  for (let at = next('row', 0); at < xml.length;) {
    const tag = xml.toString('latin1', at, Math.min(at + 200, xml.length));
    const start = /^<[\w:]+(?:\s[^>]*)?>/.exec(tag)?.[0];
    const end = next('row', at + 4);
    if (start !== undefined || tag.length === 200) {
      number = Number(attribute(start ?? tag, 'r') ?? number + 1);
      if (value < at) value = nextFilled('v', at);
      if (text < at) text = nextFilled('is', at);
      if (formula < at) formula = nextOpenFormula(xml, prefix, at);
      if (value < end || text < end || formula < end) [rows, last] = [rows + 1, number];
    }
    at = end;
  }
  return { rows, last };
}

/** Types of records. Source: [MS-XLSB] 2.3.2. */
const ROW = 0;
const MIN_VALUE_RECORD = 2;
const MAX_VALUE_RECORD = 11;
const TEXT = 6;
const TEXT_RESULT = 8;
const RICH_TEXT = 62;
const SHEET = 156;

const EMPTY = /^<([\w:]+)(?:\s[^>]*)?(?:\/>|>(?:<(?:\w+:)?t(?:\s[^>]*)?(?:\/>|><\/(?:\w+:)?t>))*<\/\1>)/;

function isEmpty(xml: Buffer, at: number): boolean {
  return EMPTY.test(xml.toString('latin1', at, Math.min(at + 200, xml.length)));
}

function countRecords(content: Buffer): SheetRowCount {
  let [rows, last, number] = [0, 0, 0];
  for (const { type, data } of binaryRecords(content)) {
    if (type === ROW && data.length >= 4) number = data.readUInt32LE(0) + 1;
    const isText = type === TEXT || type === TEXT_RESULT;
    const isEmptyText = isText && data.length >= 12 && data.readUInt32LE(8) === 0;
    const isValue =
      !isEmptyText && ((type >= MIN_VALUE_RECORD && type <= MAX_VALUE_RECORD) || type === RICH_TEXT);
    if (isValue && number !== last) [rows, last] = [rows + 1, number];
  }
  return { rows, last };
}

function binarySheets(content: Buffer): string[] {
  const sheets: string[] = [];
  for (const { type, data } of binaryRecords(content)) {
    if (type !== SHEET || data.length < 12) continue;
    sheets.push(data.toString('utf16le', 12, 12 + 2 * data.readUInt32LE(8)));
  }
  return sheets;
}

/** Parses the records. Types and lengths are variable-length integers: seven bits per byte, lowest first. */
export function* binaryRecords(content: Buffer): Generator<{ readonly type: number; readonly data: Buffer }> {
  let at = 0;
  const varint = (most: number): number => {
    let value = 0;
    for (let i = 0; i < most; i += 1) {
      const byte = content[at] ?? 0;
      at += 1;
      value += (byte & 127) << (7 * i);
      if (byte < 128) break;
    }
    return value;
  };
  while (at < content.length) {
    const type = varint(2);
    const length = varint(4);
    yield { type, data: content.subarray(at, at + length) };
    at += length;
  }
}
