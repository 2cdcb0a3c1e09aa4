/** Books (.epub): title, authors and description above the chapters, which are converted like pages of the web. */

import { decodeUri } from '../../../text/visible.ts';
import { clean } from '../../web/child/clean-tree.ts';
import { htmlToMarkdown } from '../../web/child/html-markdown.ts';
import { parseHtml } from '../../web/child/html-tree.ts';
import { type DocumentFacts, DocumentRefusal } from '../protocol.ts';
import { convertToMarkdown, knownFacts } from './markdown.ts';
import { escapeXml, textOfPart } from './rewrite.ts';
import { attribute, contents, each, plainText, resolve, ZipParts } from './zip-parts.ts';

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
  const texts = parts ? chapters.map((name) => chapterText(parts, name)) : [];
  const text =
    texts.length > 0
      ? `${[title && `# ${title}`, ...texts].filter((one) => one !== '').join('\n\n')}\n`
      : await convertToMarkdown(bytes, 'epub');
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

/** Elements that show what is in them where nothing is run or embedded. */
const FALLBACKS = /<\/?(?:noscript|iframe|object|canvas|button|textarea)(?=[\s/>])[^<>]*>/gi;
const FILLED =
  /<input(?=\s)(?![^<>]*\stype="(?:checkbox|radio|hidden|submit|reset|image)")[^<>]*?\svalue="([^"]*)"[^<>]*>/gi;
const NOTE =
  /(<a(?=\s)[^<>]*\sepub:type="[^"]*noteref[^<>]*>)\s*(?:<sup>)?([^<[\]]*)(?:<\/sup>)?\s*(?=<\/a>)/g;

/** The page with what pages of the web leave out: words of drawings, values of forms, fallbacks, and marks of notes. */
function withBookWords(html: string): string {
  const drawn = each(html, 'svg', (content, tag) => {
    const words = contents(content, '(?:title|desc|text)').map((one) => one.replace(/<[^>]*>/g, ' '));
    return `<span> ${[escapeXml(attribute(tag, 'aria-label') ?? ''), ...words].join(' ')} </span>`;
  });
  const chosen = each(drawn, 'select', (content) => {
    const from = /^[^]*(?=<option(?=\s)[^<>]*\sselected)/.exec(content)?.[0].length;
    return ` ${/<option[^<>]*>([^<]*)/.exec(content.slice(from))?.[1] ?? ''} `;
  });
  return chosen.replace(FALLBACKS, ' ').replace(FILLED, ' $1 ').replace(NOTE, '$1[$2]');
}

/** A chapter that is missing or damaged is replaced by a line that names it. */
function chapterText(parts: ZipParts, name: string): string {
  const part = parts.read(name);
  const xml = part ? textOfPart(part) : '\0';
  if (xml.includes('\0')) return `(the chapter ${name} is missing or damaged)`;
  // Without declarations of entities, and without prefixes of namespaces, as in `<m:math>`.
  const start = Math.max(0, xml.search(/<!DOCTYPE/i));
  const html = (
    xml.slice(0, start) + xml.slice(start).replace(/^<!DOCTYPE[^[>]*(?:\[[^\]]*\]\s*)?>/i, '')
  ).replace(/(<\/?)[a-z][\w-]*:(?=[a-z])/gi, '$1');
  const { root } = parseHtml(withBookWords(html), { asXml: true });
  clean(root);
  // Relative links lead to other chapters, so they are shown as their text.
  return htmlToMarkdown(root, 'about:blank').trim();
}
