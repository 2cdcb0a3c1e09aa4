/**
 * The slides of a presentation in the binary format (.ppt), and what is beside their text. For each slide a copy of the file is made
 * in which the entries of all other slides and their notes get a record type that readers skip, so that only its text is left.
 */

import { CFB } from '@e965/xlsx';
import type { UnshownFacts } from '../protocol.ts';
import { CompoundFile, shapeTexts } from './compound.ts';
import { convertToMarkdown, MAX_SLIDES, type SlideAside, type SlideDeck } from './markdown.ts';
import { restoreRaised, StandIns } from './repairs/anydoc-raised-text.ts';
import { isSymbolFont, symbolOf } from './repairs/anydoc-symbol-fonts.ts';
import { margin, objectFacts } from './rewrite.ts';

/** Types of records. Source: [MS-PPT] 2.13.24. */
const SLIDE_LIST = 0x0ff0;
const SLIDE_ENTRY = 0x03f3;
const SLIDE_ATOM = 0x03ef;
const PERSIST_DIRECTORY = 0x1772;
const UNKNOWN = 0x0faa;

const DOCUMENT = 'PowerPoint Document';
const CURRENT_USER = 'Current User';

export function binaryDeck(stored: Buffer): SlideDeck | undefined {
  const bytes = Buffer.from(withoutPictures(stored));
  const compound = CompoundFile.of(bytes);
  const stream = compound?.find(DOCUMENT);
  const user = compound?.find(CURRENT_USER);
  if (!compound || !stream) return undefined;
  const sectors = compound.sectors(stream);
  const content = compound.read(stream);
  const slides = entriesIn(content, 0);
  const notes = entriesIn(content, 2);
  const count = Math.max(0, ...slides.map(({ length }) => length));
  if (count === 0 || count > MAX_SLIDES) return undefined;
  const places = user ? persistDirectory(content, compound.read(user)) : new Map<number, number>();
  const objects = objectsOf(content);
  const standIns = markedText(content);
  compound.write(stream, content);
  return {
    count,
    async slide(number) {
      const copy = Buffer.from(bytes);
      const spoil = (entry: Entry): void => patch(copy, sectors, compound.sectorBytes, entry.at + 2);
      const own = slides.map((list) => list[number - 1]);
      for (const list of slides) for (const [i, entry] of list.entries()) if (i !== number - 1) spoil(entry);
      const notesOf = new Set(own.map((entry) => entry && notesIdOf(content, places.get(entry.persistId))));
      for (const entry of notes.flat()) if (!notesOf.has(entry.id)) spoil(entry);
      return restoreRaised(standIns.restore(await convertToMarkdown(copy, 'ppt')));
    },
    aside(number) {
      const at = places.get(slides[0]?.[number - 1]?.persistId ?? -1) ?? content.length;
      const aside = asideOf(content, at, objects);
      return number === 1 && objects.hasNumbers
        ? { ...aside, unshown: [...aside.unshown, LIST_NUMBERS] }
        : aside;
    },
  };
}

/** The file without pictures, which are most of a large one, so that copies are small. */
function withoutPictures(bytes: Buffer): Buffer {
  try {
    const file = CFB.read(bytes, { type: 'buffer' });
    const small = CFB.utils.cfb_new();
    for (const name of [DOCUMENT, CURRENT_USER]) {
      const entry = CFB.find(file, `/${name}`);
      if (entry) CFB.utils.cfb_add(small, `/${name}`, entry.content);
    }
    const written = Buffer.from(CFB.write(small, { type: 'buffer' }) as Uint8Array);
    // The converter refuses a table of sectors that is longer than the file.
    const copy = Buffer.alloc(Math.max(written.length, (written.readUInt32LE(44) * 128 + 1) * 512));
    written.copy(copy);
    return CompoundFile.of(copy)?.find(DOCUMENT) ? copy : bytes;
  } catch {
    return bytes;
  }
}

interface Entry {
  /** Its offset in the stream. */
  readonly at: number;
  readonly persistId: number;
  /** The identifier of the slide or of the notes. */
  readonly id: number;
}

/** The entries of each list of slides (instance 0) or of notes (2). */
function entriesIn(content: Buffer, instance: number): Entry[][] {
  const lists: Entry[][] = [];
  const header = Buffer.from([(instance << 4) | 0x0f, 0x00, SLIDE_LIST & 255, SLIDE_LIST >> 8]);
  for (let at = content.indexOf(header); at !== -1; at = content.indexOf(header, at + 1)) {
    if (at + 8 > content.length) break;
    const end = Math.min(content.length, at + 8 + content.readUInt32LE(at + 4));
    const entries: Entry[] = [];
    for (let record = at + 8; record + 8 <= end; record += 8 + content.readUInt32LE(record + 4)) {
      if (content.readUInt16LE(record + 2) !== SLIDE_ENTRY || record + 24 > content.length) continue;
      const [persistId, id] = [content.readUInt32LE(record + 8), content.readUInt32LE(record + 20)];
      entries.push({ at: record, persistId, id });
    }
    lists.push(entries);
  }
  return lists;
}

/** The most edits that are followed back; each save may add one. */
const MAX_DECK_EDITS = 1_000;

/** Offsets of objects in the stream, by their persist identifiers. Source: [MS-PPT] 2.3.4. */
function persistDirectory(content: Buffer, user: Buffer): Map<number, number> {
  const places = new Map<number, number>();
  let edit = user.length >= 20 ? user.readUInt32LE(16) : 0;
  for (let i = 0; i < MAX_DECK_EDITS && edit > 0 && edit + 24 <= content.length; i += 1) {
    const directory = content.readUInt32LE(edit + 20);
    if (directory + 8 <= content.length && content.readUInt16LE(directory + 2) === PERSIST_DIRECTORY)
      readDirectory(content, directory, places);
    const earlier = content.readUInt32LE(edit + 16);
    if (earlier >= edit) break;
    edit = earlier;
  }
  return places;
}

/** Adds the offsets of one edit; those of a later edit, which are there already, win. */
function readDirectory(content: Buffer, directory: number, places: Map<number, number>): void {
  const end = Math.min(content.length, directory + 8 + content.readUInt32LE(directory + 4));
  for (let at = directory + 8; at + 4 <= end;) {
    const head = content.readUInt32LE(at);
    at += 4;
    const first = head & 0xfffff;
    for (let i = 0; i < head >>> 20 && at + 4 <= end; i += 1, at += 4)
      if (!places.has(first + i)) places.set(first + i, content.readUInt32LE(at));
  }
}

/** The identifier of a slide's notes, from the first record in the slide. */
function notesIdOf(content: Buffer, slide: number | undefined): number | undefined {
  if (slide === undefined || slide + 36 > content.length) return undefined;
  if (content.readUInt16LE(slide + 10) !== SLIDE_ATOM) return undefined;
  const id = content.readUInt32LE(slide + 32);
  return id === 0 ? undefined : id;
}

interface DeckRecord {
  /** The offset of its content. */
  readonly at: number;
  readonly end: number;
  readonly type: number;
  readonly instance: number;
}

/** A record of this type holds others, although its header does not say so. */
const TAG_DATA = 0x138b;

/** All records, those in others behind their container. */
function* recordsIn(content: Buffer, from: number, to: number): Generator<DeckRecord> {
  for (let at = from; at + 8 <= to;) {
    const [head, type] = [content.readUInt16LE(at), content.readUInt16LE(at + 2)];
    const end = Math.min(to, at + 8 + content.readUInt32LE(at + 4));
    yield { at: at + 8, end, type, instance: head >> 4 };
    at = (head & 15) === 15 || type === TAG_DATA ? at + 8 : end;
  }
}

/** Types of records: texts in UTF-16 and in Latin-1, their styles, and the names of fonts. Source: [MS-PPT] 2.13.24. */
const [WIDE_TEXT, NARROW_TEXT, TEXT_STYLES, FONT_NAME] = [0x0fa0, 0x0fa8, 0x0fa1, 0x0fb7];

const STRING = 0x0fba;
const MARKED: ReadonlySet<number> = new Set([WIDE_TEXT, NARROW_TEXT, TEXT_STYLES, FONT_NAME, STRING]);

/** Marks superscripts and subscripts in `content`, and writes signs of symbol fonts. */
function markedText(content: Buffer): StandIns {
  const all: DeckRecord[] = [];
  for (const record of recordsIn(content, 0, content.length)) if (MARKED.has(record.type)) all.push(record);
  const texts = all.filter(({ type }) => type !== TEXT_STYLES && type !== FONT_NAME);
  const textOf = ({ at, end, type }: DeckRecord): string =>
    content.toString(type === NARROW_TEXT ? 'latin1' : 'utf16le', at, end);
  const standIns = new StandIns(texts.map(textOf).join(''));
  const fonts = new Map(
    all
      .filter(({ type }) => type === FONT_NAME)
      .map(({ at, instance }) => [instance, content.toString('utf16le', at, at + 64).split('\0')[0] ?? '']),
  );
  let text: DeckRecord | undefined;
  for (const record of all) {
    if (record.type === WIDE_TEXT || record.type === NARROW_TEXT) text = record;
    if (record.type !== TEXT_STYLES || !text) continue;
    const size = text.type === WIDE_TEXT ? 2 : 1;
    for (const { from, to, position, font } of stylesIn(content, record, (text.end - text.at) / size)) {
      const name = fonts.get(font ?? -1) ?? '';
      for (let at = text.at + from * size; at + size <= Math.min(text.end, text.at + to * size); at += size) {
        const code = content.readUIntLE(at, size);
        if (code < 0x20) continue;
        const sign = isSymbolFont(name) && (code < 0x7f || code >= 0xf020) ? symbolOf(name, code) : undefined;
        const plain = sign === undefined ? code : standIns.of(sign);
        const put = plain && position ? standIns.raised(plain, position > 0 ? 'super' : 'sub') : plain;
        if (put !== undefined) content.writeUIntLE(put, at, size);
      }
    }
    text = undefined;
  }
  return standIns;
}

interface DeckStyle {
  readonly from: number;
  readonly to: number;
  /** How high it stands, in percent. */
  readonly position?: number | undefined;
  readonly font?: number | undefined;
}

/**
 * The bits that say which properties of paragraphs are there, in their order; each has two bytes, colours have twice as many.
 * Source: [MS-PPT] 2.9.20.
 */
const PARAGRAPH_BITS = [
  0xf, 0x80, 0x10, 0x40, 0x20, 0x20, 0x800, 0x1000, 0x2000, 0x4000, 0x100, 0x400, 0x8000,
];
/** Those behind the tabs of a paragraph. */
const PARAGRAPH_END_BITS = [0x10000, 0xe0000, 0x200000];
const TABS = 0x100000;
/** Those of characters: style, font, three more fonts, size, colour, position. Source: [MS-PPT] 2.9.14. */
const CHARACTER_BITS = [0x3eb7, 0x10000, 0x200000, 0x400000, 0x800000, 0x20000, 0x40000, 0x40000, 0x80000];

const sizeOf = (mask: number, bits: readonly number[]): number =>
  2 * bits.filter((bit) => (mask & bit) !== 0).length;

/** The styles of a text of `length` characters; those that end early are what there is. */
function stylesIn(content: Buffer, { at: start, end }: DeckRecord, length: number): DeckStyle[] {
  const styles: DeckStyle[] = [];
  let at = start;
  for (let done = 0; done <= length && at + 10 <= end;) {
    done += content.readUInt32LE(at);
    const mask = content.readUInt32LE(at + 6);
    at += 10 + sizeOf(mask, PARAGRAPH_BITS);
    if ((mask & TABS) !== 0 && at + 2 <= end) at += 2 + 4 * content.readUInt16LE(at);
    at += sizeOf(mask, PARAGRAPH_END_BITS);
  }
  for (let from = 0; from <= length && at + 8 <= end;) {
    const to = from + content.readUInt32LE(at);
    const mask = content.readUInt32LE(at + 4);
    at += 8;
    const placeOf = (bit: number): number =>
      at + sizeOf(mask, CHARACTER_BITS.slice(0, CHARACTER_BITS.indexOf(bit)));
    const valueOf = (bit: number): number | undefined =>
      (mask & bit) !== 0 && placeOf(bit) + 2 <= end ? content.readInt16LE(placeOf(bit)) : undefined;
    const [position, font] = [valueOf(0x80000), valueOf(0x800000) ?? valueOf(0x10000)];
    styles.push({ from, to, position, font });
    at += sizeOf(mask, CHARACTER_BITS);
    from = to;
  }
  return styles;
}

/** Types of records of objects and links. */
const [OLE_OBJECT, OLE_LINK, CONTROL, OLE_ATOM] = [0x0fcc, 0x0fce, 0x0fee, 0x0fc3];
const [LINK_ATOM, LINK_USE, OBJECT_USE] = [0x0fd3, 0x0ff3, 0x0bc1];
/** What is said about a slide: whether it is hidden, a comment, and what is at its edges. */
const [SHOW, COMMENT, MARGINS_ATOM] = [0x03f9, 0x2ee0, 0x0fda];
/** What anydoc 0.1.9 does not show: the numbers of paragraphs, and that a group of shapes is a table. */
const [NUMBERS, GROUP_PROPERTIES] = [0x0fac, 0xf122];
/** The property of a group that makes it a table. Source: [MS-ODRAW] 2.3.4.37. */
const TABLE = 0x039f;

interface DeckObjects {
  /** Their programs, or targets of links, by identifier. */
  readonly programs: ReadonlyMap<number, string>;
  readonly links: ReadonlyMap<number, string>;
  /** Whether paragraphs in placeholders are numbered. */
  readonly hasNumbers: boolean;
}

function objectsOf(content: Buffer): DeckObjects {
  const programs = new Map<number, string>();
  const links = new Map<number, string>();
  let [kind, id, hasNumbers] = ['', 0, false];
  for (const { type, at, end, instance } of recordsIn(content, 0, content.length)) {
    if (type === OLE_OBJECT || type === OLE_LINK) kind = 'object';
    else if (type === CONTROL) kind = 'control';
    else if (type === OLE_ATOM && at + 12 <= end) programs.set((id = content.readUInt32LE(at + 8)), kind);
    else if (type === LINK_ATOM && at + 4 <= end) [id, kind] = [content.readUInt32LE(at), 'link'];
    else if (type === STRING && kind === 'link' && instance === 1)
      links.set(id, content.toString('utf16le', at, end));
    else if (type === STRING && kind === 'object' && instance === 2)
      programs.set(id, content.toString('utf16le', at, end));
    else if (type === NUMBERS) hasNumbers ||= isNumbered(content, at, end);
    else if (type === SLIDE_LIST) break;
  }
  return { programs, links, hasNumbers };
}

/** The properties of paragraphs, and the bytes of each: a picture, whether they are numbered, and how. Source: [MS-PPT] 2.9.68. */
const [PICTURE_BULLET, IS_NUMBERED, NUMBERING] = [0x800000, 0x1000000, 0x2000000];

function isNumbered(content: Buffer, start: number, end: number): boolean {
  for (let at = start; at + 4 <= end;) {
    const mask = content.readUInt32LE(at);
    at += mask & PICTURE_BULLET ? 6 : 4;
    if (mask & IS_NUMBERED && at + 2 <= end && content.readUInt16LE(at) !== 0) return true;
    at += (mask & IS_NUMBERED ? 2 : 0) + (mask & NUMBERING ? 4 : 0);
    // Properties of characters, whose bytes are not known.
    if (at + 8 > end || content.readBigUInt64LE(at) !== 0n) return false;
    at += 8;
  }
  return false;
}

const LIST_NUMBERS: UnshownFacts = { what: 'list numbers', count: 0 };

/** What is beside the text of the slide at this offset. */
function asideOf(content: Buffer, start: number, { programs, links }: DeckObjects): SlideAside {
  const end = start + 8 <= content.length ? start + 8 + content.readUInt32LE(start + 4) : start;
  const comments: { by: string; text: string }[] = [];
  const used: string[] = [];
  const texts = new Set(shapeTexts(content.subarray(start, end)).map((text) => text.replace(/^\w+: /, '')));
  const margins: string[] = [];
  let isHidden = false;
  let [holder, flags, tables, hasNumbers] = [0, 0, 0, false];
  for (const { type, at, end: to, instance } of recordsIn(content, start, Math.min(end, content.length))) {
    if (type === SHOW && at + 12 <= to) isHidden = (content.readUInt16LE(at + 10) & 4) !== 0;
    if (type === NUMBERS) hasNumbers ||= isNumbered(content, at, to);
    if (type === GROUP_PROPERTIES && at + 2 <= to && (content.readUInt16LE(at) & 0x3fff) === TABLE)
      tables += 1;
    if (type === OBJECT_USE && at + 4 <= to) used.push(programs.get(content.readUInt32LE(at)) ?? '');
    const target = type === LINK_USE && at + 8 <= to ? links.get(content.readUInt32LE(at + 4)) : undefined;
    if (target !== undefined && /^(?:https?|mailto|ftp):/i.test(target)) texts.add(`<${target}>`);
    if (type === COMMENT) comments.push({ by: '', text: '' });
    if (type === COMMENT || type === MARGINS_ATOM) holder = type;
    if (type === MARGINS_ATOM && at + 4 <= to) flags = content.readUInt16LE(at + 2);
    const said = type === STRING ? content.toString('utf16le', at, to).replace(/\s+/g, ' ').trim() : '';
    const comment = comments.at(-1);
    if (said !== '' && holder === COMMENT && comment && instance < 2)
      comment[instance === 0 ? 'by' : 'text'] = said;
    if (said !== '' && holder === MARGINS_ATOM && (flags & (instance === 1 ? 16 : 32)) !== 0 && instance > 0)
      margins.push(...margin(instance === 1 ? 'header' : 'footer', said));
  }
  const objects = used.filter((one) => one !== '' && one !== 'control');
  const unshown = [
    ...objectFacts(objects),
    { what: 'form control', count: used.filter((one) => one === 'control').length },
    { what: 'table grid', count: tables },
  ].filter(({ count }) => count > 0);
  return {
    isHidden,
    comments,
    margins,
    texts: [...texts],
    unshown: hasNumbers ? [...unshown, LIST_NUMBERS] : unshown,
  };
}

function patch(bytes: Buffer, sectors: readonly number[], sectorBytes: number, at: number): void {
  for (const [i, value] of [UNKNOWN & 255, UNKNOWN >> 8].entries()) {
    const sector = sectors[Math.floor((at + i) / sectorBytes)];
    if (sector !== undefined) bytes[sector + ((at + i) % sectorBytes)] = value;
  }
}
