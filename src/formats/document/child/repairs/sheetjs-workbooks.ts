/**
 * Rewrites what SheetJS 0.20.3 misreads. Of OpenDocument sheets it takes the text of a shape for that of its cell, reads
 * durations without sign and fractions, modulo 24 hours if they have no format, leaves out values of cells without text and
 * headings, joins superscripts to the text before them, and rejects packages without styles. Of binary workbooks it joins
 * superscripts too, and reads some records for too long, or without end.
 */

import type { CellObject } from '@e965/xlsx';
import { unlessDamaged } from '../compound.ts';
import { mainPart, NEW_ERROR } from '../row-counts.ts';
import { replaceRanges, walkXml, type XmlReplacement } from '../xml-walk.ts';
import { attribute, contents, each, escapeXml, plainText, zipped, type ZipParts } from '../zip-parts.ts';
import { RAISED, raisedCells, type RaisedKind, raisedOpen, StandIns } from './anydoc-raised-text.ts';

/** The content as SheetJS reads it rightly; the same string if nothing had to be changed. `styles` is the part styles.xml. */
export function mendedSheets(stored: string, styles: string): string {
  const xml = raisedOpen(stored, styles).replace(/(<\/?text:)h(?=[\s>])/g, '$1p');
  const formatted = new Set<string>();
  for (const [tag] of xml.matchAll(/<style:style(?=\s)[^>]*\sstyle:data-style-name[^>]*>/g))
    formatted.add(attribute(tag, 'style:name') ?? '');
  let hasDurations = false;
  const mended = withoutShapes(xml).replace(
    /(<table:table-cell(?=\s)[^>]*\soffice:value-type=[^>]*>)(?:(?:<text:p\/>)?<\/table:table-cell>)?/g,
    (cell, tag: string) => {
      const type = attribute(tag, 'office:value-type');
      hasDurations ||= type === 'time';
      const made = type === 'time' ? durationCell(tag, formatted) : tag;
      if (cell === tag && !tag.endsWith('/>')) return made;
      // Nothing is shown of its value.
      const text = (type === 'string' && attribute(tag, 'office:string-value')) || '';
      const shown = text === '' ? '' : `<text:p>${escapeXml(text)}</text:p>`;
      return `${made.replace(/\/?>$/, '>')}${shown}</table:table-cell>`;
    },
  );
  return hasDurations
    ? mended.replace(/<office:document-content(?=[\s>])[^>]*>/, `$&${ELAPSED_STYLE}`)
    : mended;
}

const ELAPSED = 'oriel-elapsed';

/** The format `[h]:mm:ss`. */
const ELAPSED_STYLE = `<number:time-style style:name="${ELAPSED}" number:truncate-on-overflow="false"><number:hours number:style="short"/><number:text>:</number:text><number:minutes number:style="long"/><number:text>:</number:text><number:seconds number:style="long"/></number:time-style><style:style style:name="${ELAPSED}" style:family="table-cell" style:data-style-name="${ELAPSED}"/>`;

const DURATION = /^(-?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** The start tag of the cell with its duration as a number of days; as text if it has months or years. */
function durationCell(tag: string, formatted: ReadonlySet<string>): string {
  const value = attribute(tag, 'office:time-value') ?? '';
  const [whole, sign, ...units] = DURATION.exec(value) ?? [];
  const plain = tag.replace(/\soffice:(?:value-type|time-value)\s*=\s*(?:"[^"]*"|'[^']*')/g, '');
  if (whole === undefined)
    return plain.replace(
      /^<[\w:-]+/,
      `$& office:value-type="string" office:string-value="${escapeXml(value)}"`,
    );
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = units.map((unit) => Number(unit ?? 0));
  const total = (days * 24 + hours) / 24 + (minutes * 60 + seconds) / 86_400;
  const isFormatted = formatted.has(attribute(tag, 'table:style-name') ?? '');
  const style = isFormatted ? plain : plain.replace(/\stable:style-name\s*=\s*(?:"[^"]*"|'[^']*')/, '');
  const added = isFormatted ? '' : ` table:style-name="${ELAPSED}"`;
  return style.replace(/^<[\w:-]+/, `$& office:value-type="float" office:value="${sign}${total}"${added}`);
}

/** Shapes, frames and charts; comments are not among them. */
const SHAPE = /^(?:draw:|dr3d:|table:shapes$)/;

function withoutShapes(xml: string): string {
  const cuts: XmlReplacement[] = [];
  const isWhole = walkShapes(xml, (start, end) => cuts.push([start, end]));
  return isWhole && cuts.length > 0 ? replaceRanges(xml, cuts) : xml;
}

/** Calls `found` with the range of each shape that is not in another one; returns false if elements are nested too deep. */
function walkShapes(xml: string, found: (start: number, end: number) => void): boolean {
  if (!/<(?:draw|dr3d):/.test(xml)) return true;
  const from = Math.max(0, xml.indexOf('<office:body'));
  return walkXml<boolean>(xml.slice(from), {
    open: (name, _, parent) => parent?.noted === true || SHAPE.test(name),
    close({ noted, start, parent }, end) {
      if (noted && parent?.noted !== true) found(from + start, from + end);
    },
  });
}

/** A shape, chart or picture of a workbook: its text, and the part that has it. */
export interface WorkbookDrawing {
  readonly kind: string;
  readonly text: string;
  readonly name?: string;
}

export function openDrawings(parts: ZipParts, xml: string): WorkbookDrawing[] {
  const drawings: WorkbookDrawing[] = [];
  walkShapes(xml, (start, end) => {
    const shape = xml.slice(start, end);
    for (const [tag] of shape.matchAll(/<draw:object(?=\s)[^>]*>/g)) {
      const name = attribute(tag, 'xlink:href')?.replace(/^\.\//, '') ?? '';
      const content = parts.text(`${name}/content.xml`) ?? '';
      const titles = contents(content, 'chart:(?:title|subtitle)').map(plainText);
      if (content.includes('<office:chart')) drawings.push({ kind: 'chart', text: titles.join(' ') });
    }
    const text = plainText(contents(shape, 'text:p').join(' '));
    if (text !== '') drawings.push({ kind: 'shape', text });
    const described = plainText(contents(shape, 'svg:(?:title|desc)').join(' '));
    if (described !== '') drawings.push({ kind: 'picture', text: described });
  });
  return drawings;
}

// Of shared strings: an empty one (`<si/>`) moves all others, superscripts are
// joined to the text before them, and one reference to a missing string empties the whole sheet.

const STRINGS = /^xl\/sharedStrings\.xml$/i;
const COMMENTS = /^xl\/comments[^/]*\.xml$/i;
const IS_SHARED = /\st="s"/;
const SHEET = /^xl\/worksheets\/[^/]+\.xml$/i;

/** SheetJS does not read the cells of sheets with macros. */
const RELATIONS = /^xl\/_rels\/workbook[^/]*\.rels$/i;
const WORKSHEET = '"http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet"';

/** The parts that have to be changed, those in `dated` among them. `read` returns the content of a part. */
export function mendedStrings(
  names: readonly string[],
  dated: ReadonlySet<string>,
  read: (name: string) => Buffer | undefined,
): ReadonlyMap<string, Buffer> {
  const mended = new Map<string, Buffer>();
  const mend = (one: string, isNeeded: (part: Buffer) => boolean, change: (xml: string) => string): void => {
    const part = mended.get(one) ?? read(one);
    if (part && isNeeded(part)) mended.set(one, Buffer.from(change(part.toString('utf8'))));
  };
  const hasRaised = (part: Buffer): boolean => part.includes('vertAlign');
  const strings = names.find((one) => STRINGS.test(one));
  // Without them the strings are in the cells.
  for (const one of names)
    if (COMMENTS.test(one) || (strings === undefined && SHEET.test(one))) mend(one, hasRaised, raisedCells);
    else if (RELATIONS.test(one))
      mend(
        one,
        (part) => part.includes('acrosheet"'),
        (xml) => xml.replace(/"http:[^"]*\/xl(?:Intl)?Macrosheet"/g, WORKSHEET),
      );
  if (strings !== undefined)
    mend(
      strings,
      (part) => hasRaised(part) || EMPTY_STRING.test(part.toString('latin1')),
      (xml) => raisedCells(xml.replace(EMPTY_STRINGS, '<$1si><$1t></$1t></$1si>')),
    );
  for (const one of dated) mend(one, () => true, datedCells);
  return mended;
}

const EMPTY_STRING = /<(?:\w+:)?si\s*\/>/;
const EMPTY_STRINGS = /<((?:\w+:)?)si\s*\/>/g;

/** The first character of a date that is read as a text: SheetJS makes it a number, which has no format. */
export const DATED = '\ufddb';

function datedCells(xml: string): string {
  const named = each(
    xml,
    '(?:\\w+:)?c(?=\\s[^<>]*\\st="e")',
    (content, tag) =>
      (NEW_ERROR.test(content) ? tag.replace(' t="e"', ' t="str"') : tag) + content + closing(tag),
  );
  return each(named, '(?:\\w+:)?c(?=\\s[^<>]*\\st="d")', (content, tag) => {
    const text = content.replace(
      /(<(?:\w+:)?v(?:\s[^<>]*)?>)\s*([^<]*)/,
      (_, open: string, date: string) =>
        open +
        DATED +
        date
          .trim()
          .replace(/T00:00:00(?:\.0+)?Z?$/, '')
          .replace('T', ' '),
    );
    return tag.replace(' t="d"', ' t="str"') + text + closing(tag);
  });
}

const closing = (tag: string): string => `</${/^<([\w:]+)/.exec(tag)?.[1]}>`;

/** The sheets with a text instead of each reference to a shared string that does not exist. */
export function soundReferences(
  names: readonly string[],
  read: (name: string) => Buffer | undefined,
): ReadonlyMap<string, Buffer> {
  const stored = names.find((one) => STRINGS.test(one));
  const strings = (stored === undefined ? undefined : read(stored))?.toString('latin1') ?? '';
  const count = strings.match(/<(?:\w+:)?si[\s/>]/g)?.length ?? 0;
  const changed = new Map<string, Buffer>();
  for (const name of names.filter((one) => SHEET.test(one))) {
    const xml = read(name)?.toString('utf8') ?? '';
    const mended = xml.replace(
      /<((?:\w+:)?)c(\s[^<>]*)>\s*<\1v>([^<]*)<\/\1v>/g,
      (cell, prefix: string, attributes: string, value: string) => {
        const index = value.trim();
        const isSound = /^\d+$/.test(index) && Number(index) < count;
        return isSound || !IS_SHARED.test(attributes)
          ? cell
          : `<${prefix}c${attributes.replace(IS_SHARED, ' t="inlineStr"')}><${prefix}is><${prefix}t>(damaged: shared text ${index} is missing)</${prefix}t></${prefix}is>`;
      },
    );
    if (mended !== xml) changed.set(name, Buffer.from(mended));
  }
  return changed;
}

/**
 * A workbook of Office 2003 in XML, of which SheetJS joins superscripts too, takes a locale for a currency, shows the tags of comments,
 * and leaves out what stands before a font in a cell and formulas without a result. In latin1, whatever its encoding.
 */
export function mendedXml(bytes: Buffer): Buffer {
  const xml = bytes
    .toString('latin1')
    .replace(/\sss:Format="[^"]*"/g, (tag) => tag.replace(/\[\$-[^[\]"]*\]/g, ''));
  const plain = each(
    xml,
    '(?:\\w+:)?(?:Comment|Data)',
    (content, tag) =>
      tag + content.replace(/<(?!\/?(?:\w+:)?(?:Data|Su[pb])[\s>/])[^<>]*>/g, '') + closing(tag),
  ).replace(/<((?:\w+:)?Su(p|b))(?:\s[^<>]*)?>([^<]*)<\/\1>/g, (_, __, kind: string, text: string) => {
    const [before, after] = RAISED[kind === 'p' ? 'super' : 'sub'].map((mark) => `&#${mark.charCodeAt(0)};`);
    return `${before}${text}${after}`;
  });
  const shown = plain.replace(
    /<((?:\w+:)?)Cell(?=\s)[^<>]*(?:\/>|>\s*<\/\1Cell>)/g,
    (tag, prefix: string) => {
      const formula = /\sss:Formula="([^"]*)"/.exec(tag)?.[1];
      const start = tag.replace(/\/>$|>[^]*$/, '');
      return formula === undefined
        ? tag
        : `${start}><${prefix}Data ss:Type="String">${formula}</${prefix}Data></${prefix}Cell>`;
    },
  );
  return Buffer.from(shown, 'latin1');
}

// The parts of a package as SheetJS reads them.

export function repairWorkbook(bytes: Buffer, parts: ZipParts, changed: ReadonlyMap<string, Buffer>): Buffer {
  if (parts.has('content.xml') && !mainPart(parts)) return withMendedSheets(bytes, parts);
  return parts.isWide || changed.size > 0 ? withChanges(parts, changed) : bytes;
}

function withMendedSheets(bytes: Buffer, parts: ZipParts): Buffer {
  const xml = openContent(parts);
  const content = mendedSheets(xml, parts.text('styles.xml') ?? '');
  if (content === xml && parts.has('styles.xml')) return parts.isWide ? withChanges(parts) : bytes;
  const kept = ['mimetype', 'META-INF/manifest.xml', 'meta.xml'].map(
    (name) => [name, parts.read(name)] as const,
  );
  const styles = parts.read('styles.xml') ?? Buffer.alloc(0);
  return zipped([...kept, ['styles.xml', styles], ['content.xml', Buffer.from(content)]]);
}

/** Rewrites a package as a plain zip, because SheetJS does not support zip64, with changed parts. Media are left out. */
export function withChanges(parts: ZipParts, changed: ReadonlyMap<string, Buffer> = new Map()): Buffer {
  const names = parts.names.filter((name) => name === 'mimetype' || /\.(?:xml|rels|bin|vml)$/i.test(name));
  return zipped(names.map((name) => [name, changed.get(name) ?? parts.sheet(name)]));
}

/** The most bytes of the part with all cells of an OpenDocument workbook. */
const MAX_ODF_CONTENT_BYTES = 128 << 20;

/** That part; empty if it is too large, which does not prevent reading its cells. */
export const openContent = (parts: ZipParts): string =>
  parts.sheet('content.xml', undefined, MAX_ODF_CONTENT_BYTES)?.toString('utf8') ?? '';

/** The format that SheetJS gives all dates of OpenDocument sheets. */
const OPEN_DATE = 'm/d/yy';

export function isOpenDate({ t, z }: CellObject): boolean {
  return t === 'n' && z === OPEN_DATE;
}

const DAY_MS = 86_400_000;

/** SheetJS counts the days since 1899-12-30, one less before the 60th for the false 29 February 1900 of Excel. */
export function openDate(cell: CellObject): CellObject {
  const days = Number(cell.v);
  const seconds = Math.round(((days < 59 ? days + 1 : days) * DAY_MS) / 1000);
  return { ...cell, t: 'd', v: new Date(Date.UTC(1899, 11, 30) + seconds * 1000) };
}

// Repairs the records of a binary workbook that SheetJS reads for too long. Source: [MS-XLS].

export function* recordsIn(records: Buffer): Generator<{ at: number; type: number; body: Buffer }> {
  for (let at = 0, length = 0; at + 4 <= records.length; at += 4 + length) {
    length = records.readUInt16LE(at + 2);
    yield { at, type: records.readUInt16LE(at), body: records.subarray(at + 4, at + 4 + length) };
  }
}

/** Types of records. */
const [LINK, LINK_TOOLTIP] = [0x01b8, 0x0800];
/** A type that no record has: it is skipped. */
const NO_TYPE = 0xfff4;

/** SheetJS visits each cell of the area of a link. The most cells of all areas, which take half a second. */
const MAX_LINKED_CELLS = 1_000_000;

/**
 * Changes `records` in place; whether it changed anything. Links beyond `MAX_LINKED_CELLS` cells are left out, and so are
 * the tooltips of links, which are not shown.
 */
export function repairRecords(records: Buffer): boolean {
  let isRepaired = false;
  let linked = 0;
  for (const { at, type, body } of recordsIn(records)) {
    if (type === LINK && linked + cellsOf(body) <= MAX_LINKED_CELLS) {
      linked += cellsOf(body);
      isRepaired = unlessDamaged(() => withoutFrame(body), false) || isRepaired;
    } else if (type === LINK || type === LINK_TOOLTIP) {
      records.writeUInt16LE(NO_TYPE, at);
      isRepaired = true;
    }
  }
  return isRepaired;
}

/** The offsets of the flags of a link and of its texts, and their flags: a shown text, and the name of a frame. */
const [LINK_FLAGS, LINK_TEXTS, HAS_SHOWN_TEXT, HAS_FRAME] = [28, 32, 0x10, 0x80];

/** SheetJS takes the frame of a link (`_blank`) for its target. Source: [MS-OSHARED] 2.3.7.1 (Hyperlink). Throws RangeError. */
function withoutFrame(body: Buffer): boolean {
  const flags = body.readUInt32LE(LINK_FLAGS);
  if ((flags & HAS_FRAME) === 0) return false;
  const after = (at: number): number => at + 4 + 2 * body.readUInt32LE(at);
  const frame = flags & HAS_SHOWN_TEXT ? after(LINK_TEXTS) : LINK_TEXTS;
  body.copyWithin(frame, after(frame));
  body.writeUInt32LE(flags & ~HAS_FRAME, LINK_FLAGS);
  return true;
}

/** The first record of a workbook since Excel 97, in which texts are in UTF-16: BOF of version 6. */
const BOF = 0x0809;
const VERSION = 0x0600;

/** Whether texts are in a code page. */
export function hasCodePage(records: Buffer): boolean {
  return records.length >= 6 && !(records.readUInt16LE(0) === BOF && records.readUInt16LE(4) === VERSION);
}

/** The number of cells of the area with which a link begins; infinite if it is incomplete. */
function cellsOf(body: Buffer): number {
  if (body.length < 8) return Number.POSITIVE_INFINITY;
  const [top = 0, bottom = 0, left = 0, right = 0] = [0, 2, 4, 6].map((at) => body.readUInt16LE(at));
  return Math.max(0, bottom - top + 1) * Math.max(0, right - left + 1);
}

/** A record that goes on with the one before. */
export const GOES_ON = 0x3c;

/** Types of records. */
const [FONT, STRING_TABLE, ...CELL_TEXTS] = [0x31, 0xfc, 0x204, 0x207, 0xd6];

/** Marks superscripts and subscripts, which SheetJS joins to their base. Source: [MS-XLS] 2.4.122 (Font), 2.4.265 (SST). */
export function raisedStrings(records: Buffer): StandIns | undefined {
  if (hasCodePage(records)) return undefined;
  const fonts: (RaisedKind | undefined)[] = [];
  const strings: Buffer[] = [];
  const used = new Set<number>();
  let isOpen = false;
  for (const { type, body } of recordsIn(records)) {
    isOpen = type === STRING_TABLE || (isOpen && type === GOES_ON);
    if (isOpen) strings.push(body);
    else if (type === FONT && body.length >= 10)
      fonts.push(([undefined, 'super', 'sub'] as const)[body.readUInt16LE(8)]);
    else if (CELL_TEXTS.includes(type)) for (const byte of body) used.add(byte);
  }
  if (fonts.every((kind) => kind === undefined)) return undefined;
  const characters: (StringPlace & { readonly kind: RaisedKind })[] = [];
  const found = (place: StringPlace, font: number): void => {
    // No font has the number 4.
    const kind = fonts[font < 4 ? font : font - 1];
    if (kind) characters.push({ ...place, kind });
  };
  // A damaged table is read as it is.
  if (!unlessDamaged(() => readStrings(strings, used, found), false)) return undefined;
  const standIns = new StandIns(String.fromCharCode(...[...used].filter((code) => code < 0x100)));
  for (const { bytes, at, isWide, kind } of characters) {
    const sign = standIns.raised(isWide ? bytes.readUInt16LE(at) : (bytes[at] as number), kind);
    if (sign === undefined) continue;
    bytes[at] = sign;
    if (isWide) bytes[at + 1] = 0;
  }
  return characters.length > 0 ? standIns : undefined;
}

interface StringPlace {
  readonly bytes: Buffer;
  readonly at: number;
  readonly isWide: boolean;
}

/** Adds the codes of all characters to `used`; `found` gets those that have a font. Throws RangeError for a damaged table. */
function readStrings(
  records: readonly Buffer[],
  used: Set<number>,
  found: (place: StringPlace, font: number) => void,
): true {
  let [record, at] = [0, 8];
  const number = (size: number): number => {
    const bytes = records[record];
    if (bytes && at === bytes.length) {
      [record, at] = [record + 1, 0];
      return number(size);
    }
    at += size;
    return (bytes ?? Buffer.alloc(0)).readUIntLE(at - size, size);
  };
  const count = records[0]?.readUInt32LE(4) ?? 0;
  for (let i = 0; i < count; i += 1) {
    const length = number(2);
    const flags = number(1);
    const runs = flags & 8 ? number(2) : 0;
    const more = flags & 4 ? number(4) : 0;
    const places: StringPlace[] = [];
    let isWide = (flags & 1) === 1;
    for (let one = 0; one < length; one += 1) {
      // What goes on in another record begins with the width of its characters.
      if (at === records[record]?.length) {
        [record, at] = [record + 1, 0];
        isWide = (number(1) & 1) === 1;
      }
      used.add(number(isWide ? 2 : 1));
      if (runs > 0) places.push({ bytes: records[record] as Buffer, at: at - (isWide ? 2 : 1), isWide });
    }
    const marks = Array.from({ length: runs }, () => [number(2), number(2)] as const);
    for (const [run, [from, font]] of marks.entries())
      for (const place of places.slice(from, marks[run + 1]?.[0])) found(place, font);
    for (let left = more; left > 0; left -= 1) number(1);
  }
  return true;
}

// Ends loops of SheetJS that would never end.

const AT = Symbol('The cursor of SheetJS');

interface Cursor extends Buffer {
  [AT]?: number | undefined;
}

/**
 * Runs `read` with a SheetJS that fails where its cursor, the property `l` of a Buffer, is not a number. Numbers that are read
 * behind the end of a damaged record are NaN, and a loop until the cursor reaches a place that was computed from one never ends.
 * Costs 5 % of the CPU time of a large .xls and 20 % of an .xlsb.
 */
export function withCheckedCursor<T>(read: () => T): T {
  Object.defineProperty(Buffer.prototype, 'l', {
    configurable: true,
    get(this: Cursor) {
      return this[AT];
    },
    set(this: Cursor, at: number) {
      if (Number.isNaN(at)) throw new RangeError('The cursor is not a number');
      this[AT] = at;
    },
  });
  try {
    return read();
  } finally {
    delete (Buffer.prototype as { l?: unknown }).l;
  }
}
