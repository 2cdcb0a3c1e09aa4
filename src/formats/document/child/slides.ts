/**
 * Presentations, slide by slide. The converter joins all slides into one text, so for each slide it gets a copy of the file
 * that contains only that slide.
 */

import { type DocumentFormat, DocumentRefusal } from '../protocol.ts';
import {
  convertToMarkdown,
  markOf,
  MAX_SLIDES,
  type SlideAside,
  type SlideDeck,
  unmarked,
} from './markdown.ts';
import { mendedChart } from './repairs/anydoc-charts.ts';
import { withEquations } from './repairs/anydoc-equations.ts';
import { closedXml } from './repairs/anydoc-malformed-xml.ts';
import { shownDrawings } from './repairs/anydoc-open-drawings.ts';
import { raisedOpen, raisedSlide } from './repairs/anydoc-raised-text.ts';
import { shownSymbols } from './repairs/anydoc-symbol-fonts.ts';
import { margin, newCharts } from './rewrite.ts';
import {
  attribute,
  contents,
  each,
  elements,
  escapeXml,
  plainText,
  relations,
  relationsOf,
  zipped,
  ZipParts,
} from './zip-parts.ts';

/** Undefined if the slides cannot be separated. */
export async function deckOf(bytes: Buffer, format: DocumentFormat): Promise<SlideDeck | undefined> {
  if (format === 'ppt') return (await import('./binary-deck.ts')).binaryDeck(bytes);
  const parts = ZipParts.of(bytes);
  return parts && (format === 'odp' ? openDeck(parts) : packageDeck(parts));
}

/** The most bytes of the parts from which one slide is converted. */
const MAX_SLIDE_PARTS_BYTES = 48 << 20;

function packageDeck(parts: ZipParts): SlideDeck | undefined {
  const main = parts.names.find((name) => /^ppt\/presentation[^/]*\.xml$/i.test(name));
  const xml = main === undefined ? undefined : parts.text(main);
  const list = xml && /<((?:\w+:)?)sldIdLst\b[^>]*>([\s\S]*?)<\/\1sldIdLst>/.exec(xml);
  if (!main || !xml || !list) return undefined;
  const ids = [...(list[2] ?? '').matchAll(/<(?:\w+:)?sldId\b[^>]*>/g)].map(([tag]) => tag);
  if (ids.length === 0 || ids.length > MAX_SLIDES) return undefined;
  const targets = relations(parts, main);
  const slideOf = (number: number): string | undefined => {
    const tag = ids[number - 1] ?? '';
    return targets.get(attribute(tag, 'r:id') ?? attribute(tag, '\\w+:id') ?? '');
  };
  const shared = copyOf(
    parts,
    (name) => !/^ppt\/(?:slides|notesSlides|charts|diagrams|media|embeddings)\//i.test(name),
  );
  const known = new Map<string, readonly string[]>();
  return {
    count: ids.length,
    slide(number) {
      const tag = ids[number - 1] ?? '';
      const slide = slideOf(number);
      if (slide === undefined) throw new DocumentRefusal('damaged', `slide ${number} is missing`);
      const start = list.index + list[0].indexOf('>') + 1;
      const only =
        xml.slice(0, start) +
        tag +
        (tag.endsWith('/>') ? '' : '</p:sldId>') +
        xml.slice(start + (list[2] ?? '').length);
      const own = reachedFrom(parts, slide);
      const copy = { ...shared, ...copyOf(parts, (name) => own.has(name)), [main]: Buffer.from(only) };
      const mended = Object.entries(copy).map(([name, content]): [string, Uint8Array] => {
        const mend = SLIDE.test(name) ? mendedSlide : CHART.test(name) ? mendedChart : undefined;
        return [name, mend ? Buffer.from(mend(Buffer.from(content).toString('utf8'))) : content];
      });
      return convertToMarkdown(zipped(mended), 'pptx');
    },
    aside: (number) => packageAside(parts, slideOf(number) ?? '', known),
  };
}

const SLIDE = /\/(?:slides|notesSlides)\/[^/]+\.xml$/;
const CHART = /\/charts\/[^/]+\.xml$/;

/** The XML of a slide as anydoc shows all of it. */
function mendedSlide(xml: string): string {
  return raisedSlide(shownSymbols(withEquations(closedXml(xml))));
}

/** Reads the wanted parts except media, which are not needed for text. */
function copyOf(parts: ZipParts, isWanted: (name: string) => boolean): Record<string, Uint8Array> {
  const copy: Record<string, Uint8Array> = Object.create(null) as Record<string, Uint8Array>;
  let bytes = 0;
  for (const name of parts.names) {
    if (!/\.(?:xml|rels)$/i.test(name) || !isWanted(name)) continue;
    const content = parts.read(name);
    if (!content) continue;
    bytes += content.length;
    if (bytes > MAX_SLIDE_PARTS_BYTES)
      throw new DocumentRefusal('limit', `its parts unpack to more than ${MAX_SLIDE_PARTS_BYTES >> 20} MiB`);
    copy[name] = content;
  }
  return copy;
}

/** The parts that a slide refers to, directly or indirectly, and their relation parts. Layouts are shared. */
function reachedFrom(parts: ZipParts, slide: string): Set<string> {
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

function openDeck(parts: ZipParts): SlideDeck | undefined {
  const stored = parts.text('content.xml');
  if (stored === undefined) return undefined;
  const xml = raisedOpen(closedXml(stored), parts.text('styles.xml') ?? '');
  const pages = [...xml.matchAll(/<draw:page(?=[\s>])[^>]*?(?:\/>|>[\s\S]*?<\/draw:page>)/g)];
  const first = pages[0];
  const last = pages.at(-1);
  if (!first || !last || pages.length > MAX_SLIDES) return undefined;
  const front = xml.slice(0, first.index);
  const back = xml.slice(last.index + last[0].length);
  const shared = copyOf(parts, (name) => name !== 'content.xml');
  const mimetype = parts.read('mimetype');
  let latest: readonly [number, ReturnType<typeof shownDrawings>] | undefined;
  /** Asked for twice in a row. */
  const drawn = (number: number): ReturnType<typeof shownDrawings> => {
    if (latest?.[0] !== number) latest = [number, shownDrawings(pages[number - 1]?.[0] ?? '', parts, boxed)];
    return latest[1];
  };
  return {
    count: pages.length,
    slide(number) {
      const content = Buffer.from(front + drawn(number).xml + back);
      const members = [['mimetype', mimetype] as const, ...Object.entries(shared)];
      return convertToMarkdown(zipped([...members, ['content.xml', content]]), 'odp');
    },
    aside: (number) => ({
      ...openAside(front, pages[number - 1]?.[0] ?? ''),
      unshown: drawn(number).unshown,
    }),
  };
}

/** A text as a box on a slide. */
const boxed = (text: string): string =>
  `<draw:frame><draw:text-box><text:p>${escapeXml(text)}</text:p></draw:text-box></draw:frame>`;

const NOTHING: SlideAside = { isHidden: false, comments: [], margins: [], unshown: [] };

/** The text of a slide below its mark, with labels for speaker notes and comments. */
export function slideText(
  number: number,
  markdown: string,
  { isHidden, comments, texts = [] }: SlideAside = NOTHING,
): string {
  const body = markdown.trim();
  const notes = /(?:^|\n\n)((?:>[^\n]*(?:\n|$))+)$/.exec(body);
  const shown = notes ? `${body.slice(0, notes.index)}\n\nSpeaker notes:\n\n${notes[1] ?? ''}`.trim() : body;
  const said = [
    ...texts.map((text) => `${text}\n\n`),
    ...comments.map(({ by, text }) => `[comment${by === '' ? '' : ` by ${by}`}: ${text}]\n\n`),
  ];
  const hidden = isHidden ? '(hidden)\n\n' : '';
  return `${markOf('slide', number)}${hidden}${shown === '' ? '(no text)' : unmarked(shown)}\n\n${unmarked(said.join(''))}`;
}

// Reads what the converter of slides leaves out: whether a slide is hidden, and its comments.

/** The texts of shapes that are no placeholders on the layout of a slide, and on its master. */
function sharedTexts(
  parts: ZipParts,
  name: string,
  known: Map<string, readonly string[]>,
): readonly string[] {
  if (HIDES_MASTER.test(parts.text(name)?.slice(0, 2000) ?? '')) return [];
  const above = [...relations(parts, name).values()].find((one) => SHARED.test(one));
  if (above === undefined) return [];
  const texts = known.get(above) ?? [
    ...contents(parts.text(above) ?? '', 'p:sp').flatMap((shape) =>
      shape.includes('<p:ph') ? [] : margin('layout', plainText(contents(shape, 'a:t').join(' '))),
    ),
    ...(above.includes('/slideLayouts/') ? sharedTexts(parts, above, known) : []),
  ];
  known.set(above, texts);
  return texts;
}

const SHARED = /\/slide(?:Layouts|Masters)\/[^/]+$/;
const HIDES_MASTER = /<p:sld(?:Layout)?(?=\s)[^>]*\sshowMasterSp="(?:0|false)"/;

/** The target of a shape, which anydoc 0.1.9 does not show. */
const SHAPE_LINK = /<p:cNvPr(?=\s)[^>]*>\s*<a:hlinkClick(?=\s)[^>]*\sr:id="([^"]+)"/g;

/** For a slide of a .pptx. Comments are in separate parts, of two kinds since 2021. */
function packageAside(parts: ZipParts, slide: string, known: Map<string, readonly string[]>): SlideAside {
  const xml = parts.text(slide) ?? '';
  const root = /<(?:\w+:)?sld(?=\s)[^>]*>/.exec(xml)?.[0] ?? '';
  const targets = [...relations(parts, slide).values()];
  const notes = targets
    .filter((name) => /\/notesSlides\/[^/]+\.xml$/i.test(name))
    .map((name) => parts.text(name) ?? '');
  const outside = xml.includes('<a:hlinkClick') ? relations(parts, slide, true) : new Map<string, string>();
  const links = Array.from(xml.matchAll(SHAPE_LINK), ([, id = '']) => outside.get(id));
  // Tables in notes are left out.
  const rows = contents(notes.join(''), 'a:tr').map((row) =>
    contents(row, 'a:tc')
      .map((cell) => plainText(contents(cell, 'a:t').join(' ')))
      .join(' | '),
  );
  const said = targets
    .filter((name) => /\/comments\/[^/]+\.xml$/i.test(name))
    .map((name) => parts.text(name) ?? '');
  const names = said.length === 0 ? new Map<string, string>() : authors(parts);
  const comments = said
    .flatMap((xml) => elements(xml, '(?:\\w+:)?cm'))
    .flatMap(({ content, tag }) => {
      const own = each(content, '(?:\\w+:)?reply', () => '');
      return [{ content: own, tag }, ...elements(content, '(?:\\w+:)?reply')];
    })
    .map(({ content, tag }) => ({
      by: names.get(attribute(tag, 'authorId') ?? '') ?? '',
      text: plainText(contents(content, '(?:p:text|a:t|text)').join(' ')),
    }));
  return {
    isHidden: ['0', 'false'].includes(attribute(root, 'show') ?? ''),
    comments: comments.filter(({ text }) => text !== ''),
    margins: [...[xml, ...notes].flatMap(marginsOf), ...sharedTexts(parts, slide, known)],
    texts: [
      ...new Set(links.flatMap((link) => (link === undefined ? [] : `<${link}>`))),
      ...rows.map((row) => `Speaker notes: ${row}`),
    ],
    unshown: [newCharts(xml)].filter(({ count }) => count > 0),
  };
}

const MARGINS: Readonly<Record<string, string>> = { hdr: 'header', ftr: 'footer', dt: 'date' };

/** The texts in the placeholders of a header, a footer and a date. Numbers of slides and current dates are fields. */
function marginsOf(xml: string): string[] {
  if (!/\stype="(?:hdr|ftr|dt)"/.test(xml)) return [];
  return contents(xml, 'p:sp').flatMap((shape) => {
    const kind = MARGINS[attribute(/<p:ph(?=\s)[^>]*>/.exec(shape)?.[0] ?? '', 'type') ?? ''];
    const bare = each(shape, 'a:fld', () => '');
    const text = kind && plainText(contents(bare, 'a:t').join(''));
    return text ? [`${kind}: ${text}`] : [];
  });
}

function authors(parts: ZipParts): Map<string, string> {
  const xml = (parts.text('ppt/commentAuthors.xml') ?? '') + (parts.text('ppt/authors.xml') ?? '');
  const tags = [...xml.matchAll(/<(?:\w+:)?(?:cmAuthor|author)(?=\s)[^>]*>/g)];
  return new Map(tags.map(([tag]) => [attribute(tag, 'id') ?? '', attribute(tag, 'name') ?? '']));
}

/** For a slide of an .odp. `front` is the XML before the slides, which has their styles. */
function openAside(front: string, slide: string): Omit<SlideAside, 'unshown'> {
  const page = /^<[^>]*>/.exec(slide)?.[0] ?? '';
  const style = attribute(page, 'draw:style-name');
  const isHidden = elements(front, 'style:style').some(
    ({ content, tag }) =>
      style !== undefined &&
      attribute(tag, 'style:name') === style &&
      /\spresentation:visibility="hidden"/.test(content),
  );
  const comments = contents(slide, 'office(?:ooo)?:annotation').map((content) => ({
    by: plainText(contents(content, 'dc:creator').join(' ')),
    text: plainText(each(content, '(?:dc|meta|loext):[\\w-]+', () => '')),
  }));
  const margins = ['header', 'footer', 'date-time'].flatMap((kind) => {
    const name = attribute(page, `presentation:use-${kind}-name`);
    return elements(front, `presentation:${kind}-decl`)
      .filter(({ tag }) => name !== undefined && attribute(tag, 'presentation:name') === name)
      .map(({ content }) => plainText(content))
      .filter((text) => text !== '')
      .map((text) => `${kind === 'date-time' ? 'date' : kind}: ${text}`);
  });
  return { isHidden, comments: comments.filter(({ text }) => text !== ''), margins };
}
