/**
 * Rewrites XML packages (.docx, .odt, .epub) before conversion, so that the converter does not lose comments, glosses,
 * equations and hyphens, and extracts headers and footers, which are in separate parts.
 */

import { zipSync } from 'fflate';
import { shownOpen } from './hidden-open.ts';
import { shownWord, wordStyles } from './hidden-word.ts';
import { contents, each } from './xml-elements.ts';
import { attribute, Parts, plainText } from './zip-parts.ts';
import { comment, HEADS_AND_FEET, type Section } from './restore-texts.ts';

export interface Mended {
  readonly bytes: Buffer;
  readonly sections: readonly Section[];
}

/** The most bytes of XML in a document that is rewritten. */
const MOST_XML = 64 << 20;

/**
 * The package with the parts as `mend` returns them, and with replacements (`lost`) for missing or damaged parts. Media are
 * left out, because text does not need them.
 */
export function rewritten(
  bytes: Buffer,
  parts: Parts,
  mend: (name: string, xml: string) => string,
  lost: ReadonlyMap<string, string> = new Map(),
): Buffer {
  const members: Record<string, Buffer> = Object.create(null) as Record<string, Buffer>;
  const absent = new Set(lost.keys());
  let [isChanged, size] = [false, 0];
  for (const name of parts.names) {
    if (!/(?:^mimetype|\.(?:xml|rels|opf|ncx|x?html?))$/i.test(name) && !lost.has(name)) continue;
    const part = parts.read(name);
    if (!part) continue;
    size += part.length;
    if (size > MOST_XML) return bytes;
    absent.delete(name);
    const xml = textOf(part);
    const mended = mend(name, xml);
    isChanged ||= mended !== xml;
    members[name] = mended === xml ? part : Buffer.from(mended);
  }
  for (const name of absent) {
    members[name] = Buffer.from(lost.get(name) ?? '');
    isChanged = true;
  }
  return isChanged ? Buffer.from(zipSync(members, { level: 0 })) : bytes;
}

/** Decodes a part by its byte order mark or XML declaration. A declaration of another encoding than UTF-8 is removed. */
function textOf(part: Buffer): string {
  const order = part.length < 2 ? 0 : part.readUInt16BE(0);
  const declared = /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(
    part.toString('latin1', 0, 200),
  )?.[1];
  const name = order === 0xfffe ? 'utf-16le' : order === 0xfeff ? 'utf-16be' : (declared ?? 'utf-8');
  if (/^utf-?8$/i.test(name)) return part.toString('utf8');
  try {
    return new TextDecoder(name).decode(part).replace(/^<\?xml[^>]*\?>/, '');
  } catch {
    return part.toString('utf8');
  }
}

export const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => (sign === '&' ? '&amp;' : sign === '<' ? '&lt;' : '&gt;'));

/** The visible text of runs, still escaped as in the XML. */
function wordText(xml: string): string {
  return [
    ...xml.matchAll(
      /<(?:\w+:)?t(?:\s[^>]*)?>([^<]*)<|<\/(?:\w+:)?p>|<(?:\w+:)?(?:tab|br|cr)\s*\/>|<((?:\w+:)?noBreakHyphen)\s*\/>/g,
    ),
  ]
    .map(([, text, hyphen]) => text ?? (hyphen ? '-' : ' '))
    .join('')
    .trim();
}

const W = '(?:\\w+:)?';

export function mendedWord(bytes: Buffer): Mended {
  const parts = Parts.of(bytes);
  if (!parts) return { bytes, sections: [] };
  const styles = wordStyles(parts.text('word/styles.xml') ?? '');
  const shown = (xml = ''): string => shownWord(xml, styles);
  const comments = new Map<string, string>();
  each(shown(parts.text('word/comments.xml')), `${W}comment`, (content, tag) => {
    const by = attribute(tag, '(?:\\w+:)?author') ?? '';
    comments.set(attribute(tag, '(?:\\w+:)?id') ?? '', comment(escaped(by), wordText(content)));
    return '';
  });
  const copy = rewritten(bytes, parts, (name, xml) =>
    /^word\/(?:document\d*|footnotes|endnotes)\.xml$/.test(name) ? mendedPart(shown(xml), comments) : xml,
  );
  const lines = parts.names.flatMap((name) => {
    const kind = /^word\/(header|footer)\d*\.xml$/.exec(name)?.[1];
    return kind
      ? margin(kind, plainText(wordText(each(shown(parts.text(name)), `${W}Fallback`, () => ''))))
      : [];
  });
  return { bytes: copy, sections: [{ title: HEADS_AND_FEET, lines }] };
}

/** A header or footer as a line; nothing if it is only a page number. */
const margin = (kind: string, text: string): string[] => (/\p{L}/u.test(text) ? [`${kind}: ${text}`] : []);

function mendedPart(xml: string, comments: ReadonlyMap<string, string>): string {
  const w = /<((?:\w+:)?)(?:document|footnotes|endnotes)(?=[\s>])/.exec(xml)?.[1] ?? 'w:';
  const text = (words: string): string => `<${w}t xml:space="preserve">${words}</${w}t>`;
  let mended = xml.replace(new RegExp(`<${w}noBreakHyphen\\s*/>`, 'g'), text('-'));
  mended = mended.replace(new RegExp(`<${w}commentReference(?=\\s)[^>]*/>`, 'g'), (tag) =>
    text(comments.get(attribute(tag, '(?:\\w+:)?id') ?? '') ?? ''),
  );
  mended = each(mended, `${w}ruby`, (ruby) => {
    const [base, gloss] = [`${w}rubyBase`, `${w}rt`].map((name) => wordText(contents(ruby, name).join('')));
    return text(`${base}(${gloss})`);
  });
  mended = each(mended, '\\w+:oMath', (math) => `<${w}r>${text(mathText(math))}</${w}r>`);
  return mended.replace(/<\/?\w+:oMathPara(?=[\s>])[^>]*>/g, '');
}

/** The text before and after the content of a math element. */
const MATH: Readonly<Record<string, readonly [string, string]>> = {
  sup: ['^(', ')'],
  sub: ['_(', ')'],
  num: ['(', ')'],
  den: ['/(', ')'],
  rad: ['√(', ')'],
};

function mathText(math: string): string {
  return math
    .replace(/<(\/?)\w+:(sup|sub|num|den|rad)>/g, (_, end, name) => MATH[String(name)]?.[end ? 1 : 0] ?? '')
    .replace(/<[^>]*>/g, '')
    .replace(/\((\w)\)/g, '$1');
}

export function mendedOpen(bytes: Buffer): Mended {
  const parts = Parts.of(bytes);
  if (!parts) return { bytes, sections: [] };
  const styles = parts.text('styles.xml') ?? '';
  const copy = rewritten(bytes, parts, (name, xml) =>
    name === 'content.xml' ? mendedContent(shownOpen(xml, styles)) : xml,
  );
  const margins = shownOpen(styles, styles);
  const lines = ['header', 'footer'].flatMap((kind) =>
    contents(margins, `style:${kind}(?:-left|-first)?`).flatMap((content) =>
      margin(kind, plainText(content)),
    ),
  );
  return { bytes: copy, sections: [{ title: HEADS_AND_FEET, lines }] };
}

function mendedContent(xml: string): string {
  const ends = new Map<string, string>();
  const named = new Set(
    [...xml.matchAll(/<office:annotation-end\s[^>]*>/g)].map(([tag]) => attribute(tag, 'office:name')),
  );
  const withComments = each(xml, 'office:annotation', (content, tag) => {
    const by = contents(content, 'dc:creator')[0] ?? '';
    const words = each(content, '(?:dc|meta|loext):[\\w-]+', () => '')
      .replace(/<\/text:p>/g, ' ')
      .replace(/<[^>]*>/g, '');
    const said = comment(by, words.trim());
    const name = attribute(tag, 'office:name');
    if (name === undefined || !named.has(name)) return said;
    ends.set(name, said);
    return '';
  });
  return each(
    withComments.replace(
      /<office:annotation-end\s[^>]*>/g,
      (tag) => ends.get(attribute(tag, 'office:name') ?? '') ?? '',
    ),
    'text:ruby',
    (ruby) => `${contents(ruby, 'text:ruby-base').join('')}(${contents(ruby, 'text:ruby-text').join('')})`,
  );
}
