/**
 * The slides of a presentation in the binary format (.ppt), and what is beside their text. For each slide a copy of the file is made
 * in which the entries of all other slides and their notes get a record type that readers skip, so that only its text is left.
 */

import { CFB } from '@e965/xlsx';
import type { UnshownFacts } from '../protocol.ts';
import { CompoundFile, shapeTexts } from './compound.ts';
import { convertToMarkdown, MAX_SLIDES, type SlideAside, type SlideDeck } from './markdown.ts';
import { deckRecords, markedText, STRING } from './repairs/anydoc-binary-decks.ts';
import { restoreRaised } from './repairs/anydoc-raised-text.ts';
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
  const content = compound.read(stream);
  const slides = entriesIn(content, 0);
  const notes = entriesIn(content, 2);
  const count = Math.max(0, ...slides.map(({ length }) => length));
  if (count === 0 || count > MAX_SLIDES) return undefined;
  const places = user ? persistDirectory(content, compound.read(user)) : new Map<number, number>();
  const objects = objectsOf(content);
  const shared = sharedTexts(content, entriesIn(content, 1).flat(), places);
  const standIns = markedText(content);
  return {
    count,
    async slide(number) {
      const [copy, text] = [Buffer.from(bytes), Buffer.from(content)];
      const spoil = ({ records }: Entry): void =>
        records.forEach((at) => void text.writeUInt16LE(UNKNOWN, at + 2));
      const own = slides.map((list) => list[number - 1]);
      for (const list of slides) for (const [i, entry] of list.entries()) if (i !== number - 1) spoil(entry);
      const notesOf = new Set(own.map((entry) => entry && notesIdOf(content, places.get(entry.persistId))));
      for (const entry of notes.flat()) if (!notesOf.has(entry.id)) spoil(entry);
      CompoundFile.of(copy)?.write(stream, text);
      return restoreRaised(standIns.restore(await convertToMarkdown(copy, 'ppt')));
    },
    aside(number) {
      const at = places.get(slides[0]?.[number - 1]?.persistId ?? -1) ?? content.length;
      const own = asideOf(content, at, objects);
      const notes = notesIdOf(content, at) === undefined ? [] : objects.margins.notes;
      const aside = {
        ...own,
        margins: [...(own.margins ?? objects.margins.slides), ...notes, ...shared(at)],
      };
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
  /** The offsets of its record and of those of its texts, which follow. */
  readonly records: number[];
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
      if (content.readUInt16LE(record + 2) !== SLIDE_ENTRY) entries.at(-1)?.records.push(record);
      else if (record + 24 <= content.length) {
        const [persistId, id] = [content.readUInt32LE(record + 8), content.readUInt32LE(record + 20)];
        entries.push({ records: [record], persistId, id });
      }
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

/** Types of records: a shape, and that it is a placeholder; and of the texts in it. */
const [SHAPE, PLACEHOLDER, WIDE_TEXT, NARROW_TEXT] = [0xf004, 0x0bc3, 0x0fa0, 0x0fa8];

/** The texts of shapes that are no placeholders on the master of the slide at an offset. Source: [MS-PPT] 2.5.10 (SlideAtom). */
function sharedTexts(
  content: Buffer,
  masters: readonly Entry[],
  places: ReadonlyMap<number, number>,
): (slide: number) => readonly string[] {
  const known = new Map<number, readonly string[]>();
  const textsOn = (place: number): readonly string[] => {
    const lines: string[] = [];
    let end = 0;
    for (const record of deckRecords(content, place, endOf(content, place))) {
      if (record.type === SHAPE) end = record.end;
      if (record.type === PLACEHOLDER) end = 0;
      if (record.at > end || (record.type !== WIDE_TEXT && record.type !== NARROW_TEXT)) continue;
      const text = content.toString(record.type === WIDE_TEXT ? 'utf16le' : 'latin1', record.at, record.end);
      lines.push(...margin('layout', text.replace(/\s+/g, ' ').trim()));
    }
    return lines;
  };
  const above = (slide: number): number | undefined => {
    if (slide + 38 > content.length || content.readUInt16LE(slide + 10) !== SLIDE_ATOM) return undefined;
    const id = content.readUInt32LE(slide + 28);
    if (id === 0 || (content.readUInt16LE(slide + 36) & 1) === 0) return undefined;
    return places.get(masters.find((entry) => entry.id === id)?.persistId ?? -1);
  };
  const of = (place: number): readonly string[] => {
    const texts = known.get(place) ?? textsOn(place);
    known.set(place, texts);
    return texts;
  };
  return (slide) => {
    const master = above(slide);
    // Only the master of a title has a master.
    const main = master === undefined ? undefined : above(master);
    return [master, main].flatMap((place) => (place === undefined ? [] : of(place)));
  };
}

const endOf = (content: Buffer, start: number): number =>
  start + 8 <= content.length ? Math.min(content.length, start + 8 + content.readUInt32LE(start + 4)) : start;

/** Types of records of objects and links. */
const [OLE_OBJECT, OLE_LINK, CONTROL, OLE_ATOM] = [0x0fcc, 0x0fce, 0x0fee, 0x0fc3];
const [LINK_ATOM, LINK_USE, OBJECT_USE] = [0x0fd3, 0x0ff3, 0x0bc1];
/** What is said about a slide: whether it is hidden, a comment, and what is at its edges. */
const [SHOW, COMMENT, MARGINS, MARGINS_ATOM] = [0x03f9, 0x2ee0, 0x0fd9, 0x0fda];
/** What is at the edges, in the order of their texts, and the flags that it is shown. Source: [MS-PPT] 2.4.15.2. */
const EDGES = [
  // Shown, and not that of today.
  ['date', 1 | 4],
  ['header', 16],
  ['footer', 32],
] as const;

function marginsIn(content: Buffer, from: number, to: number): string[] {
  const lines: string[] = [];
  let flags = 0;
  for (const { type, at, end, instance } of deckRecords(content, from, to)) {
    if (type === MARGINS_ATOM && at + 4 <= end) flags = content.readUInt16LE(at + 2);
    const [kind, shown] = EDGES[instance] ?? ['', NaN];
    const said = type === STRING && (flags & shown) === shown ? content.toString('utf16le', at, end) : '';
    if (said.trim() !== '') lines.push(...margin(kind, said.replace(/\s+/g, ' ').trim()));
  }
  return lines;
}

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
  /** What is at the edges of all slides that say nothing else, and of all notes. */
  readonly margins: { readonly slides: readonly string[]; readonly notes: readonly string[] };
}

function objectsOf(content: Buffer): DeckObjects {
  const programs = new Map<number, string>();
  const links = new Map<number, string>();
  const margins: Record<'slides' | 'notes', string[]> = { slides: [], notes: [] };
  let [kind, id, hasNumbers] = ['', 0, false];
  for (const { type, at, end, instance } of deckRecords(content, 0, content.length)) {
    if (type === OLE_OBJECT || type === OLE_LINK) kind = 'object';
    else if (type === CONTROL) kind = 'control';
    else if (type === OLE_ATOM && at + 12 <= end) programs.set((id = content.readUInt32LE(at + 8)), kind);
    else if (type === LINK_ATOM && at + 4 <= end) [id, kind] = [content.readUInt32LE(at), 'link'];
    else if (type === STRING && kind === 'link' && instance === 1)
      links.set(id, content.toString('utf16le', at, end));
    else if (type === STRING && kind === 'object' && instance === 2)
      programs.set(id, content.toString('utf16le', at, end));
    else if (type === NUMBERS) hasNumbers ||= isNumbered(content, at, end);
    else if (type === SLIDE_LIST && instance === 0) break;
    else if (type === SLIDE_LIST) kind = '';
    else if (type === MARGINS && (instance === 3 || instance === 4))
      margins[instance === 3 ? 'slides' : 'notes'] = marginsIn(content, at, end);
  }
  return { programs, links, hasNumbers, margins };
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
function asideOf(
  content: Buffer,
  start: number,
  { programs, links }: DeckObjects,
): Omit<SlideAside, 'margins'> & { readonly margins: readonly string[] | undefined } {
  const end = endOf(content, start);
  const comments: { by: string; text: string }[] = [];
  const used: string[] = [];
  const texts = new Set(shapeTexts(content.subarray(start, end)).map((text) => text.replace(/^\w+: /, '')));
  let margins: readonly string[] | undefined;
  let isHidden = false;
  let [tables, commentEnd, hasNumbers] = [0, 0, false];
  for (const { type, at, end: to, instance } of deckRecords(content, start, end)) {
    if (type === SHOW && at + 12 <= to) isHidden = (content.readUInt16LE(at + 10) & 4) !== 0;
    if (type === NUMBERS) hasNumbers ||= isNumbered(content, at, to);
    if (type === GROUP_PROPERTIES && at + 2 <= to && (content.readUInt16LE(at) & 0x3fff) === TABLE)
      tables += 1;
    if (type === OBJECT_USE && at + 4 <= to) used.push(programs.get(content.readUInt32LE(at)) ?? '');
    const target = type === LINK_USE && at + 8 <= to ? links.get(content.readUInt32LE(at + 4)) : undefined;
    if (target !== undefined && /^(?:https?|mailto|ftp):/i.test(target)) texts.add(`<${target}>`);
    if (type === COMMENT) [commentEnd] = [to, comments.push({ by: '', text: '' })];
    if (type === MARGINS) margins = marginsIn(content, at, to);
    const said = type === STRING ? content.toString('utf16le', at, to).replace(/\s+/g, ' ').trim() : '';
    const comment = comments.at(-1);
    if (said !== '' && at < commentEnd && comment && instance < 2)
      comment[instance === 0 ? 'by' : 'text'] = said;
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
