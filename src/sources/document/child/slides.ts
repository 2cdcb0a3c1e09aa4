/**
 * Presentations, slide by slide. The converter joins all slides into one text, so for each slide it gets a copy of the file
 * that contains only that slide.
 */

import { zipSync } from 'fflate';
import { type Format, Refused } from '../document-protocol.ts';
import { type Aside, type Deck, MOST_SLIDES } from './deck.ts';
import { toMarkdown } from './office.ts';
import { markOf, unmarked } from './page-marks.ts';
import { attribute, Parts, relations, relationsOf } from './zip-parts.ts';
import { openAside, packageAside } from './slide-comments.ts';

/** Undefined if the slides cannot be separated. */
export async function deckOf(bytes: Buffer, format: Format): Promise<Deck | undefined> {
  if (format === 'ppt') return (await import('./binary-deck.ts')).binaryDeck(bytes);
  const parts = Parts.of(bytes);
  return parts && (format === 'odp' ? openDeck(parts) : packageDeck(parts));
}

/** The most bytes of the parts from which one slide is converted. */
const MOST_COPIED = 48 << 20;

function packageDeck(parts: Parts): Deck | undefined {
  const main = parts.names.find((name) => /^ppt\/presentation[^/]*\.xml$/i.test(name));
  const xml = main === undefined ? undefined : parts.text(main);
  const list = xml && /<((?:\w+:)?)sldIdLst\b[^>]*>([\s\S]*?)<\/\1sldIdLst>/.exec(xml);
  if (!main || !xml || !list) return undefined;
  const ids = [...(list[2] ?? '').matchAll(/<(?:\w+:)?sldId\b[^>]*>/g)].map(([tag]) => tag);
  if (ids.length === 0 || ids.length > MOST_SLIDES) return undefined;
  const targets = relations(parts, main);
  const slideOf = (number: number): string | undefined => {
    const tag = ids[number - 1] ?? '';
    return targets.get(attribute(tag, 'r:id') ?? attribute(tag, '\\w+:id') ?? '');
  };
  const shared = copyOf(
    parts,
    (name) => !/^ppt\/(?:slides|notesSlides|charts|diagrams|media|embeddings)\//i.test(name),
  );
  return {
    count: ids.length,
    slide(number) {
      const tag = ids[number - 1] ?? '';
      const slide = slideOf(number);
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
    aside: (number) => packageAside(parts, slideOf(number) ?? ''),
  };
}

/** Reads the wanted parts except media, which are not needed for text. */
function copyOf(parts: Parts, isWanted: (name: string) => boolean): Record<string, Uint8Array> {
  const copy: Record<string, Uint8Array> = Object.create(null) as Record<string, Uint8Array>;
  let bytes = 0;
  for (const name of parts.names) {
    if (!/\.(?:xml|rels)$/i.test(name) || !isWanted(name)) continue;
    const content = parts.read(name);
    if (!content) continue;
    bytes += content.length;
    if (bytes > MOST_COPIED)
      throw new Refused('limit', `its parts unpack to more than ${MOST_COPIED >> 20} MiB`);
    copy[name] = content;
  }
  return copy;
}

/** The parts that a slide refers to, directly or indirectly, and their relation parts. Layouts are shared. */
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
    aside: (number) => openAside(front, pages[number - 1]?.[0] ?? ''),
  };
}

const NOTHING: Aside = { isHidden: false, comments: [] };

/** The text of a slide below its mark, with labels for speaker notes and comments. */
export function slideText(number: number, markdown: string, { isHidden, comments }: Aside = NOTHING): string {
  const body = markdown.trim();
  const notes = /(?:^|\n\n)((?:>[^\n]*(?:\n|$))+)$/.exec(body);
  const shown = notes ? `${body.slice(0, notes.index)}\n\nSpeaker notes:\n\n${notes[1] ?? ''}`.trim() : body;
  const said = comments.map(({ by, text }) => `[comment${by === '' ? '' : ` by ${by}`}: ${text}]\n\n`);
  const hidden = isHidden ? '(hidden)\n\n' : '';
  return `${markOf('slide', number)}${hidden}${shown === '' ? '(no text)' : unmarked(shown)}\n\n${unmarked(said.join(''))}`;
}

/** The text in place of a slide that is missing or that the converter rejects. */
export function lostSlide(number: number): string {
  return `${markOf('slide', number)}(the slide is missing or damaged)\n\n`;
}
