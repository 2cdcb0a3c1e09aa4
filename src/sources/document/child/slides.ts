/**
 * Presentations, slide by slide. The converter joins all slides into one text, so it is given a copy of the file that
 * lists one slide only, for each of them.
 */

import { zipSync } from 'fflate';
import { type Format, Refused } from '../protocol.ts';
import { Compound } from './compound.ts';
import { toMarkdown } from './office.ts';
import { markOf, unmarked } from './marks.ts';
import { attribute, Parts, relations, relationsOf } from './parts.ts';

export interface Deck {
  readonly count: number;
  /** The Markdown of slide `number`, 1-based. */
  slide(number: number): Promise<string>;
}

/** Undefined where the slides cannot be told apart. */
export function deckOf(bytes: Buffer, format: Format): Deck | undefined {
  if (format === 'ppt') return binaryDeck(bytes);
  const parts = Parts.of(bytes);
  return parts && (format === 'odp' ? openDeck(parts) : packageDeck(parts));
}

const MOST_SLIDES = 5_000;

/** Bytes of all parts that one slide is converted from. */
const MOST_COPIED = 48 << 20;

function packageDeck(parts: Parts): Deck | undefined {
  const main = parts.names.find((name) => /^ppt\/presentation[^/]*\.xml$/i.test(name));
  const xml = main === undefined ? undefined : parts.text(main);
  const list = xml && /<((?:\w+:)?)sldIdLst\b[^>]*>([\s\S]*?)<\/\1sldIdLst>/.exec(xml);
  if (!main || !xml || !list) return undefined;
  const ids = [...(list[2] ?? '').matchAll(/<(?:\w+:)?sldId\b[^>]*>/g)].map(([tag]) => tag);
  if (ids.length === 0 || ids.length > MOST_SLIDES) return undefined;
  const targets = relations(parts, main);
  const shared = copyOf(
    parts,
    (name) => !/^ppt\/(?:slides|notesSlides|charts|diagrams|media|embeddings)\//i.test(name),
  );
  return {
    count: ids.length,
    slide(number) {
      const tag = ids[number - 1] ?? '';
      const slide = targets.get(attribute(tag, 'r:id') ?? attribute(tag, '\\w+:id') ?? '');
      if (slide === undefined) throw new Refused('damaged', `slide ${number} is missing`);
      const start = list.index + list[0].indexOf('>') + 1;
      const only =
        xml.slice(0, start) +
        tag +
        (tag.endsWith('/>') ? '' : '</p:sldId>') +
        xml.slice(start + (list[2] ?? '').length);
      const own = reachedFrom(parts, slide);
      const copy = { ...shared, ...copyOf(parts, (name) => own.has(name)), [main]: Buffer.from(only) };
      return toMarkdown(zipSync(copy, { level: 0 }), 'pptx');
    },
  };
}

/** Reads the chosen parts; media are not needed for text. */
function copyOf(parts: Parts, isWanted: (name: string) => boolean): Record<string, Uint8Array> {
  const copy: Record<string, Uint8Array> = Object.create(null) as Record<string, Uint8Array>;
  let bytes = 0;
  for (const name of parts.names) {
    if (!/\.(?:xml|rels)$/i.test(name) || !isWanted(name)) continue;
    const content = parts.read(name);
    if (!content) continue;
    bytes += content.length;
    if (bytes > MOST_COPIED)
      throw new Refused('limit', `its parts unfold to more than ${MOST_COPIED >> 20} MiB`);
    copy[name] = content;
  }
  return copy;
}

/** What a slide refers to, at any depth, and the parts that state that. Layouts are shared. */
function reachedFrom(parts: Parts, slide: string): Set<string> {
  const found = new Set<string>();
  const visit = (name: string): void => {
    if (found.has(name) || !parts.has(name)) return;
    found.add(name);
    found.add(relationsOf(name));
    for (const target of relations(parts, name).values())
      if (!/slides\/slide\d+\.xml$/i.test(target)) visit(target);
  };
  visit(slide);
  return found;
}

function openDeck(parts: Parts): Deck | undefined {
  const xml = parts.text('content.xml');
  if (xml === undefined) return undefined;
  const pages = [...xml.matchAll(/<draw:page(?=[\s>])[^>]*?(?:\/>|>[\s\S]*?<\/draw:page>)/g)];
  const first = pages[0];
  const last = pages.at(-1);
  if (!first || !last || pages.length > MOST_SLIDES) return undefined;
  const front = xml.slice(0, first.index);
  const back = xml.slice(last.index + last[0].length);
  const shared = copyOf(parts, (name) => name !== 'content.xml');
  const mimetype = parts.read('mimetype');
  return {
    count: pages.length,
    slide: (number) =>
      toMarkdown(
        zipSync(
          {
            ...(mimetype && { mimetype }),
            ...shared,
            'content.xml': Buffer.from(front + (pages[number - 1]?.[0] ?? '') + back),
          },
          { level: 0 },
        ),
        'odp',
      ),
  };
}

/** Types of records. Source: [MS-PPT] 2.13.24. */
const SLIDE_LIST = 0x0ff0;
const SLIDE_ENTRY = 0x03f3;
const UNKNOWN = 0x0faa;

/**
 * In the binary format the entries of all slides but one get a type that readers skip, and so do the notes, which
 * readers put behind the slides that they belong to. So each slide is looked for in the text of all.
 */
function binaryDeck(bytes: Buffer): Deck | undefined {
  const compound = Compound.of(bytes);
  const stream = compound?.find('PowerPoint Document');
  if (!compound || !stream) return undefined;
  const sectors = compound.sectors(stream);
  const content = compound.read(stream);
  const lists = recordLists(content, 0);
  const notes = recordLists(content, 2);
  const count = Math.max(0, ...lists.map(({ entries }) => entries.length));
  if (count === 0 || count > MOST_SLIDES) return undefined;
  const spoil = (copy: Buffer, at: number): void => patch(copy, sectors, compound.sectorBytes, at + 2);
  const bodyOf = (number: number): Promise<string> => {
    const copy = Buffer.from(bytes);
    for (const { at } of notes) spoil(copy, at);
    for (const { entries } of lists)
      for (const [i, at] of entries.entries()) if (i !== number - 1) spoil(copy, at);
    return toMarkdown(copy, 'ppt');
  };
  let texts: Promise<string[]> | undefined;
  const split = async (): Promise<string[]> => {
    const whole = await toMarkdown(bytes, 'ppt');
    const starts: number[] = [];
    for (let number = 1; number <= count; number += 1) {
      const body = (await bodyOf(number)).trim();
      const from = starts.at(-1) ?? 0;
      const at = body === '' ? -1 : whole.indexOf(body, from);
      starts.push(at === -1 ? from : at);
    }
    return starts.map((start, i) => whole.slice(i === 0 ? 0 : start, starts[i + 1] ?? whole.length));
  };
  return { count, slide: async (number) => (await (texts ??= split()))[number - 1] ?? '' };
}

interface RecordList {
  readonly at: number;
  /** Offsets of the entries. */
  readonly entries: readonly number[];
}

/** The lists of slides (instance 0) or of notes (2). */
function recordLists(content: Buffer, instance: number): RecordList[] {
  const lists: RecordList[] = [];
  const header = Buffer.from([(instance << 4) | 0x0f, 0x00, SLIDE_LIST & 255, SLIDE_LIST >> 8]);
  for (let at = content.indexOf(header); at !== -1; at = content.indexOf(header, at + 1)) {
    if (at + 8 > content.length) break;
    const end = Math.min(content.length, at + 8 + content.readUInt32LE(at + 4));
    const entries: number[] = [];
    for (let record = at + 8; record + 8 <= end; record += 8 + content.readUInt32LE(record + 4))
      if (content.readUInt16LE(record + 2) === SLIDE_ENTRY) entries.push(record);
    lists.push({ at, entries });
  }
  return lists;
}

function patch(bytes: Buffer, sectors: readonly number[], sectorBytes: number, at: number): void {
  for (const [i, value] of [UNKNOWN & 255, UNKNOWN >> 8].entries()) {
    const sector = sectors[Math.floor((at + i) / sectorBytes)];
    if (sector !== undefined) bytes[sector + ((at + i) % sectorBytes)] = value;
  }
}

/** The text of a slide with its number above it, and its notes called what they are. */
export function slideText(number: number, markdown: string): string {
  const body = markdown.trim();
  const notes = /(?:^|\n\n)((?:>[^\n]*(?:\n|$))+)$/.exec(body);
  const shown = notes ? `${body.slice(0, notes.index)}\n\nSpeaker notes:\n\n${notes[1] ?? ''}`.trim() : body;
  return `${markOf('slide', number)}${shown === '' ? '(no text)' : unmarked(shown)}\n\n`;
}

/** In the place of a slide that is missing, or that its converter refuses. */
export function lostSlide(number: number): string {
  return `${markOf('slide', number)}(the slide is missing or damaged)\n\n`;
}
