/**
 * The slides of a presentation in the binary format (.ppt). For each slide a copy of the file is made in which the entries of
 * all other slides and their notes get a record type that readers skip, so that only the text of that slide is left.
 */

import { CFB } from '@e965/xlsx';
import { CompoundFile } from './compound.ts';
import { convertToMarkdown, MAX_SLIDES, type SlideDeck } from './markdown.ts';

/** Types of records. Source: [MS-PPT] 2.13.24. */
const SLIDE_LIST = 0x0ff0;
const SLIDE_ENTRY = 0x03f3;
const SLIDE_ATOM = 0x03ef;
const PERSIST_DIRECTORY = 0x1772;
const UNKNOWN = 0x0faa;

const DOCUMENT = 'PowerPoint Document';
const CURRENT_USER = 'Current User';

export function binaryDeck(stored: Buffer): SlideDeck | undefined {
  const bytes = withoutPictures(stored);
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
  return {
    count,
    slide(number) {
      const copy = Buffer.from(bytes);
      const spoil = (entry: Entry): void => patch(copy, sectors, compound.sectorBytes, entry.at + 2);
      const own = slides.map((list) => list[number - 1]);
      for (const list of slides) for (const [i, entry] of list.entries()) if (i !== number - 1) spoil(entry);
      const notesOf = new Set(own.map((entry) => entry && notesIdOf(content, places.get(entry.persistId))));
      for (const entry of notes.flat()) if (!notesOf.has(entry.id)) spoil(entry);
      return convertToMarkdown(copy, 'ppt');
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

function patch(bytes: Buffer, sectors: readonly number[], sectorBytes: number, at: number): void {
  for (const [i, value] of [UNKNOWN & 255, UNKNOWN >> 8].entries()) {
    const sector = sectors[Math.floor((at + i) / sectorBytes)];
    if (sector !== undefined) bytes[sector + ((at + i) % sectorBytes)] = value;
  }
}
