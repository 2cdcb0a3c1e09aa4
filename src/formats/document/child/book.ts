/**
 * Books (.epub): title, authors and description above the text. A chapter that the converter would silently leave out is
 * passed to it as plain paragraphs; a missing or damaged chapter is replaced by a line that names it.
 */

import { decodeUri } from '../../../text/visible.ts';
import { type DocumentFacts, DocumentRefusal } from '../protocol.ts';
import { convertToMarkdown, knownFacts } from './markdown.ts';
import { escapeXml, rewritten } from './rewrite.ts';
import { attribute, each, plainText, resolve, ZipParts } from './zip-parts.ts';

export async function bookText(bytes: Buffer): Promise<{ text: string; facts: DocumentFacts }> {
  const parts = ZipParts.of(bytes);
  const path = parts && packagePath(parts);
  const opf = (path && parts?.text(path)) ?? '';
  const all = (tag: string): string =>
    [...opf.matchAll(new RegExp(`<(?:dc:)?${tag}\\b[^>]*>([\\s\\S]*?)</(?:dc:)?${tag}>`, 'gi'))]
      .map((match) => plainText(plainText(match[1] ?? '')))
      .filter((value) => value !== '')
      .join(', ');
  const [title, author, description] = [all('title'), all('creator'), all('description')];
  const lines = [
    title && `Title: ${title}`,
    author && `Author: ${author}`,
    description && `Description: ${description}`,
  ].filter((line) => line !== '');
  const head = lines.length === 0 ? '' : `${lines.join('\n')}\n\n`;
  const chapters = path === undefined ? [] : chaptersOf(opf, path);
  if (parts) refuseProtected(parts, chapters);
  const text = parts ? await chaptersText(bytes, parts, chapters) : await convertToMarkdown(bytes, 'epub');
  return { text: head + text, facts: knownFacts(Object.entries({ title, author })) };
}

function packagePath(parts: ZipParts): string | undefined {
  return /full-path\s*=\s*["']([^"']+)["']/.exec(parts.text('META-INF/container.xml') ?? '')?.[1];
}

/** The names of the parts with text, in reading order. */
function chaptersOf(opf: string, path: string): string[] {
  const items = new Map<string, string>();
  for (const [tag] of opf.matchAll(/<(?:\w+:)?item(?=\s)[^>]*>/g)) {
    const [id, href] = [attribute(tag, 'id'), attribute(tag, 'href')];
    if (id !== undefined && href !== undefined && /html/.test(attribute(tag, 'media-type') ?? 'html'))
      items.set(id, resolve(path, decodeUri(href)));
  }
  const named = [...opf.matchAll(/<(?:\w+:)?itemref(?=\s)[^>]*>/g)].map(
    ([tag]) => items.get(attribute(tag, 'idref') ?? '') ?? '',
  );
  return [...new Set(named)].filter((name) => name !== '');
}

/** Throws for encrypted chapters. Encrypted fonts are common and harmless. */
function refuseProtected(parts: ZipParts, chapters: readonly string[]): void {
  const list = parts.text('META-INF/encryption.xml') ?? '';
  const isProtected = [...list.matchAll(/<(?:\w+:)?CipherReference(?=\s)[^>]*>/g)].some(([tag]) =>
    chapters.includes(decodeUri(attribute(tag, 'URI') ?? '')),
  );
  if (isProtected) throw new DocumentRefusal('encrypted', 'digital rights management');
}

async function chaptersText(bytes: Buffer, parts: ZipParts, chapters: readonly string[]): Promise<string> {
  const withMarks = (plain: ReadonlySet<number>): Buffer =>
    rewritten(
      bytes,
      parts,
      (name, xml) => {
        const number = chapters.indexOf(name);
        if (number === -1) return xml;
        if (xml.includes('\0')) return lostChapter(name, number);
        return plain.has(number) ? asParagraphs(xml, number) : marked(xml, number);
      },
      new Map(chapters.map((name, i) => [name, lostChapter(name, i)])),
    );
  const book = withMarks(new Set());
  const text = await convertToMarkdown(book, 'epub');
  // No marks were inserted, because the book is too large to be rewritten.
  if (book === bytes) return text;
  const found = new Set(Array.from(text.matchAll(MARKS), ([, number]) => Number(number)));
  const lost = chapters.flatMap((_, i) => (found.has(i) ? [] : [i]));
  const whole = lost.length === 0 ? text : await convertToMarkdown(withMarks(new Set(lost)), 'epub');
  return whole.replace(MARKS, '');
}

/** A mark at the start of each chapter. If it is missing in the converted text, the chapter was left out. */
const mark = (number: number): string => `\ue0f1${number}\ue0f2`;
const MARKS = /\ue0f1(\d+)\ue0f2\n*/g;

const BODY = /<(?:\w+:)?body(?=[\s>])[^>]*(?<!\/)>/i;

function marked(xml: string, number: number): string {
  const glossed = xml.includes('</rt>') ? withGlosses(xml) : xml;
  return glossed.replace(BODY, (body) => `${body}<p>${mark(number)}</p>`);
}

function asParagraphs(xml: string, number: number): string {
  const body = BODY.exec(xml);
  return page(`<p>${mark(number)}</p>${blocks(body ? xml.slice(body.index) : xml)}`);
}

function lostChapter(name: string, number: number): string {
  return page(`<p>${mark(number)}</p><p>(the chapter ${escapeXml(name)} is missing or damaged)</p>`);
}

function page(body: string): string {
  return `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title></title></head><body>${body}</body></html>`;
}

/** The text of a chapter that is not well-formed XML: headings, and a paragraph for each other block. */
function blocks(html: string): string {
  return html
    .replace(/<(script|style)\b[^]*?<\/\1\s*>|<!--[^]*?-->|<[^<>]*$/gi, '')
    .replace(/&nbsp;/g, ' ')
    .split(/(?=<h[1-6]\b)|<\/?(?:p|div|h[1-6]|li|tr|br|blockquote|section|pre|td|th)\b[^>]*>/i)
    .map((block) => {
      const text = escapeXml(plainText(block));
      const level = /^<(h[1-6])\b/i.exec(block)?.[1]?.toLowerCase() ?? 'p';
      return text === '' ? '' : `<${level}>${text}</${level}>`;
    })
    .join('');
}

/** Puts each ruby gloss (`rt`) in parentheses, and removes the fallback parentheses (`rp`). */
function withGlosses(xml: string): string {
  return each(
    each(xml, 'rp', () => ''),
    'rt',
    (gloss) => `<rt>(${gloss})</rt>`,
  );
}
