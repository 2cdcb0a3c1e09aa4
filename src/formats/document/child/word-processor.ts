/**
 * Converts texts of word processors: rewrites them first where the converter would fail, and restores marked text after. Pages
 * in them, and the chapters of books, are converted like pages of the web.
 */

import { decodeUri } from '../../../text/visible.ts';
import {
  type DocumentFacts,
  type DocumentFormat,
  DocumentRefusal,
  isStoredPage,
  type UnshownFacts,
} from '../protocol.ts';
import { clean } from '../../web/child/clean-tree.ts';
import { htmlToMarkdown } from '../../web/child/html-markdown.ts';
import { parseHtml } from '../../web/child/html-tree.ts';
import {
  drawingsOf,
  names,
  openWord,
  OWNERS,
  textOf,
  type VisibleWord,
  withoutRuns,
} from './repairs/anydoc-binary-word.ts';
import { restoreRaised } from './repairs/anydoc-raised-text.ts';
import { withUnicode } from './repairs/anydoc-rtf-code-pages.ts';
import { unlessDamaged } from './compound.ts';
import { convertToMarkdown, HEADS_AND_FEET, knownFacts, restoreTexts } from './markdown.ts';
import {
  chunkMark,
  decode,
  objectFacts,
  rewriteOpenDocument,
  rewriteWord,
  type RewrittenPackage,
  textOfPart,
  visibleRtf,
} from './rewrite.ts';
import { attribute, contents, each, escapeXml, plainText, resolve, ZipParts } from './zip-parts.ts';

export async function wordProcessorText(
  stored: Buffer,
  format: DocumentFormat,
  isWithin = false,
): Promise<{ text: string; unshown: readonly UnshownFacts[] }> {
  if (format === 'doc' && isStoredPage(stored)) return chunkText(stored);
  const { bytes, sections, unshown = [], chunks = [], standIns } = await rewriteDocument(stored, format);
  let text = restoreTexts(await convertToMarkdown(bytes, format), sections);
  if (standIns) text = restoreRaised(standIns.restore(text));
  const all = [...unshown];
  for (const [i, chunk] of chunks.entries()) {
    // A document in a document is shown, one in that is not.
    const inner = isWithin ? undefined : await chunkText(chunk);
    all.push(...(inner?.unshown ?? [{ what: 'unread part', count: 1 }]));
    text = text.replace(chunkMark(i), () => inner?.text.trim() ?? '');
  }
  return { text, unshown: all };
}

/** The text of a document in a .docx: a web page, one with its files (MHT), rich text, another .docx, or plain text. */
async function chunkText(chunk: Buffer): ReturnType<typeof wordProcessorText> {
  const start = chunk.toString('latin1', 0, 1000);
  if (start.startsWith('{\\rtf')) return wordProcessorText(chunk, 'rtf', true);
  if (start.startsWith('PK')) return wordProcessorText(chunk, 'docx', true);
  const pages = /^(?:MIME-Version|Content-Type):/im.test(start)
    ? pagesOfMail(chunk.toString('latin1'))
    : [{ bytes: chunk, type: '' }];
  return { text: pages.map(pageText).join('\n\n'), unshown: [] };
}

function pageText({ bytes, type }: { readonly bytes: Buffer; readonly type: string }): string {
  const declared = /charset\s{0,9}=\s{0,9}["']?([\w-]+)/i.exec(
    `${type}\n${bytes.toString('latin1', 0, 1000)}`,
  )?.[1];
  const isPlain =
    declared === undefined
      ? !bytes.toString('utf8').includes('\ufffd') ||
        bytes.toString('latin1', 0, 5) === '<?xml' ||
        (bytes[0] ?? 0) >= 0xfe
      : /^utf-?8$/i.test(declared);
  const text = isPlain ? textOfPart(bytes) : decoded(bytes, declared ?? 'windows-1252');
  if (!/^\s*<[!?a-z]/i.test(text)) return text.replace(/[\\`*_[\]<#|]/g, '\\$&');
  return markdownOf(text, false);
}

/** The text of a page. Relative links lead to other parts of a document, so they are shown as their text. */
function markdownOf(html: string, asXml: boolean): string {
  const { root } = parseHtml(html, { asXml });
  clean(root);
  return htmlToMarkdown(root, 'about:blank').trim();
}

function decoded(bytes: Buffer, encoding: string): string {
  try {
    return decode(bytes, encoding);
  } catch {
    return bytes.toString('utf8');
  }
}

/** The pages in a text of MIME parts, and their types. */
function pagesOfMail(mail: string): { bytes: Buffer; type: string }[] {
  const boundary = /boundary="?([^"\r\n;]+)/i.exec(mail)?.[1];
  const parts = boundary === undefined ? [mail] : mail.split(`--${boundary}`);
  const pages = parts.filter((part) => /^Content-Type:\s*text\/html/im.test(part.slice(0, 2000)));
  return (pages.length > 0 ? pages : [mail]).map(partOfMail);
}

function partOfMail(page: string): { bytes: Buffer; type: string } {
  const at = /\r?\n\r?\n/.exec(page.trimStart());
  const head = page.trimStart().slice(0, at?.index);
  const body = page.trimStart().slice((at?.index ?? 0) + (at?.[0].length ?? 0));
  const type = /^Content-Type:(.*(?:\r?\n[ \t].*)*)/im.exec(head)?.[1]?.replace(/\s+/g, ' ') ?? '';
  const encoding = /^Content-Transfer-Encoding:\s*(\S+)/im.exec(head)?.[1]?.toLowerCase();
  if (encoding === 'base64') return { bytes: Buffer.from(body, 'base64'), type };
  const decoded = body
    .replace(/=\r?\n/g, '')
    .replace(/=([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return { bytes: Buffer.from(encoding === 'quoted-printable' ? decoded : body, 'latin1'), type };
}

async function rewriteDocument(bytes: Buffer, format: DocumentFormat): Promise<RewrittenPackage> {
  switch (format) {
    case 'docx':
      return rewriteWord(bytes);
    case 'odt':
      return rewriteOpenDocument(bytes);
    case 'rtf':
      return visibleRtf(await withUnicode(bytes));
    case 'doc':
      return wordText(bytes);
    default:
      return { bytes, sections: [] };
  }
}

function wordText(stored: Buffer): RewrittenPackage {
  // A damaged document is passed on; the converter rejects it.
  const visible = unlessDamaged<VisibleWord>(() => withoutRuns(stored), { bytes: stored, leftOut: [] });
  const { bytes, leftOut, standIns } = visible;
  const { sections, unshown = [] } = unlessDamaged<WordAsides>(() => asidesOf(bytes), { sections: [] });
  return { bytes, sections, unshown: [...unshown, ...leftOut], standIns };
}

// Reads the texts of a binary Word document that its converter ignores: comments, text boxes, headers and footers. They are
// stored one after the other. Source of all offsets: [MS-DOC] 2.5 (Fib), 2.8.5 (PlcfandRef), 2.8.22 (PlcfHdd).

/** The offset in the Fib of the character counts of the texts, in the order of `TEXTS`. */
const LENGTHS = 76;
const TEXTS = 'body footnotes headers macros comments endnotes boxes headerBoxes'.split(' ');

const COMMENTS = 0xba;
const COMMENT_TEXTS = 0xc2;
const HEADERS = 0xf2;

/** The bytes of a comment's record, and the offset of its author in it. */
const COMMENT_BYTES = 30;
const OWNER = 20;

type WordAsides = Pick<RewrittenPackage, 'sections' | 'unshown'>;

function asidesOf(bytes: Buffer): WordAsides {
  const word = openWord(bytes);
  if (!word) return { sections: [] };
  const { content, part } = word;
  const all = textOf(word);
  const texts: Record<string, string> = {};
  let from = 0;
  for (const [i, name] of TEXTS.entries()) {
    const to = from + content.readUInt32LE(LENGTHS + 4 * i);
    texts[name] = all.slice(from, to);
    from = to;
  }
  const owners = names(part(OWNERS));
  const marks = part(COMMENTS);
  const count = Math.floor((marks.length - 4) / (4 + COMMENT_BYTES));
  const comments = stories(texts['comments'] ?? '', part(COMMENT_TEXTS))
    .slice(0, Math.max(0, count))
    .map((text, i) => {
      const owner = owners[marks.readUInt16LE(4 * (count + 1) + COMMENT_BYTES * i + OWNER)];
      return `comment${owner ? ` by ${owner}` : ''}: ${plain(text)}`;
    });
  const margins = stories(texts['headers'] ?? '', part(HEADERS))
    // The first six are separators of notes; then there are six per section.
    .slice(6)
    .map((text, i) => [[0, 1, 4].includes(i % 6) ? 'header' : 'footer', plain(text)] as const)
    .filter(([, text]) => /\p{L}/u.test(text))
    .map(([kind, text]) => `${kind}: ${text}`);
  const boxes = `${texts['boxes']}\r${texts['headerBoxes']}`.split('\r').map(plain);
  const objects = Array.from(
    all.matchAll(/\x13\s*(EQ(?!\s*\\\*\s*jc)|EMBED\s+\S+)/g),
    ([, program = '']) => program,
  );
  return {
    sections: [
      { title: 'Comments', lines: comments },
      { title: 'Drawings', lines: drawingsOf(word) },
      { title: 'Text boxes', lines: boxes.filter((text) => text !== '') },
      { title: HEADS_AND_FEET, lines: margins.toSorted((a, b) => Number(a < b) - Number(a > b)) },
    ],
    unshown: objectFacts(objects),
  };
}

/** Splits a text at the positions in `places`. */
function stories(text: string, places: Buffer): string[] {
  const count = Math.floor(places.length / 4);
  const at = Array.from({ length: count }, (_, i) => places.readUInt32LE(4 * i));
  return at.slice(1).map((end, i) => text.slice(at[i], end));
}

/** Plain text: without field codes and special characters. */
function plain(text: string): string {
  return text
    .replace(/\x13[^\x13-\x15]*[\x14\x15]/g, '')
    .replace(/\x1e/g, '-')
    .replace(/\x1f/g, '')
    .replace(/[\0-\x1f]+/g, ' ')
    .trim();
}

// Books (.epub): title, authors and description above the chapters, which are converted like pages of the web.

export async function bookText(bytes: Buffer): Promise<{ text: string; facts: DocumentFacts }> {
  const parts = ZipParts.of(bytes);
  const container = parts?.text('META-INF/container.xml') ?? '';
  const path = /full-path\s*=\s*["']([^"']+)["']/.exec(container)?.[1];
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
  const { chapters, others } = path === undefined ? { chapters: [], others: [] } : chaptersOf(opf, path);
  if (parts) refuseProtected(parts, chapters);
  const texts = parts ? chapters.map((name) => chapterText(parts, name)) : [];
  const text =
    texts.length > 0
      ? `${[title && `# ${title}`, ...texts].filter((one) => one !== '').join('\n\n')}\n`
      : await convertToMarkdown(bytes, 'epub');
  const unshown = others.map((part) => ({ what: 'unread part', count: 1, part }));
  const facts = knownFacts(Object.entries({ title, author }));
  return { text: head + text, facts: { ...facts, unshown } };
}

/** The names of the parts with text, in reading order, and those beside them; a list of contents is none. */
function chaptersOf(opf: string, path: string): { chapters: string[]; others: string[] } {
  const items = new Map<string, string>();
  let contentsId: string | undefined;
  for (const [tag] of opf.matchAll(/<(?:\w+:)?item(?=\s)[^>]*>/g)) {
    const [id, href] = [attribute(tag, 'id'), attribute(tag, 'href')];
    if (/\snav(?=\s)/.test(` ${attribute(tag, 'properties') ?? ''} `)) contentsId = id;
    if (id !== undefined && href !== undefined && /html/.test(attribute(tag, 'media-type') ?? 'html'))
      items.set(id, resolve(path, decodeUri(href)));
  }
  const named = [...opf.matchAll(/<(?:\w+:)?itemref(?=\s)[^>]*>/g)].map(
    ([tag]) => items.get(attribute(tag, 'idref') ?? '') ?? '',
  );
  const chapters = [...new Set(named)].filter((name) => name !== '');
  items.delete(contentsId ?? '');
  return { chapters, others: [...items.values()].filter((name) => !named.includes(name)) };
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
  return markdownOf(withBookWords(html), true);
}
