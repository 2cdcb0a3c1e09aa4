/** Converts PDF to Markdown, page by page. Two readers are compared on every page, because each fails on different pages. */

import { type DocumentFacts, type OutlineEntry, PAGES_AT_ONCE, Refused } from '../document-protocol.ts';
import { completeArrayBuffer } from './array-buffer.ts';
import { betterOf } from './compare-texts.ts';
import { markOf, unmarked } from './page-marks.ts';
import { withoutCaptions } from './pdf-captions.ts';
import { hasLostRows, type Row, rowsOf, rowsText } from './pdf-rows.ts';
import { INSPECTOR, inspector, structureOf } from './pdf-structure.ts';
import { itemsText, type TextItem, upright } from './pdf-text.ts';
import { canvasLibrary, EDGE, type Picture, pictureOfPng } from './pixels.ts';

type Pdfjs = typeof import('unpdf');
type PdfDocument = Awaited<ReturnType<Pdfjs['getDocumentProxy']>>;

/** The inspector runs for documents of up to this many pages, because it always reads all of them. */
const MOST_INSPECTED = 2_000;

export interface ConvertedPdf {
  readonly text: string;
  readonly facts: DocumentFacts;
  readonly nextPage?: number;
  /** The name of an optional package that is not installed and might give a better text. */
  readonly without?: string;
}

/** Pages `from` to `to`, 1-based and inclusive; without `to` as many as fit into one text. Throws Refused. */
export async function convertPdf(
  bytes: Buffer,
  { from, to }: { readonly from: number; readonly to?: number },
  password: string | undefined,
): Promise<ConvertedPdf> {
  const document = await openPdf(bytes, password);
  try {
    const count = document.numPages;
    if (count === 0) throw new Refused('damaged', 'it has no pages');
    if (from > count) throw new Refused('absent', undefined, { of: 'page', count });
    const last = Math.min(to ?? count, from + PAGES_AT_ONCE - 1, count);
    const numbers = Array.from({ length: last - from + 1 }, (_, i) => from + i);
    const library = await inspector();
    const isInspected = password === undefined && count <= MOST_INSPECTED;
    const inspected = isInspected && library ? structureOf(library, bytes) : undefined;
    const plain: PlainPage[] = [];
    for (const number of numbers) plain.push(await plainPage(document, number));
    const rich = await inspected;
    const scanned: number[] = [];
    const texts = numbers.map((number, i) => {
      const text = pageText(rich?.get(number) ?? '', plain[i] ?? EMPTY).trim();
      if (text === '') scanned.push(number);
      return `${markOf('page', number)}${text === '' ? NO_TEXT : unmarked(text)}\n\n`;
    });
    const facts = await factsOf(document);
    const head = from === 1 && to === undefined ? unmarked(metadataLine(facts)) : '';
    const isEnd = last === (to === undefined ? count : Math.min(to, count));
    return {
      text: head + texts.join(''),
      facts: {
        ...facts,
        ...(scanned.length > 0 && { scanned }),
        ...(mayHaveAttachments(bytes) && { hasAttachments: true as const }),
        ...(hasImages(bytes) && { hasImages: true as const }),
      },
      ...(!isEnd && { nextPage: last + 1 }),
      ...(!library && isInspected && { without: INSPECTOR }),
    };
  } finally {
    await document.destroy();
  }
}

const NO_TEXT = '(no text layer: the page is empty or scanned)';

/** Renders a page as a picture, for pages without text. */
export async function pictureOf(
  bytes: Buffer,
  page: number,
  password: string | undefined,
): Promise<Picture & { readonly facts: DocumentFacts }> {
  const { renderPageAsImage } = await pdfjs();
  const document = await openPdf(bytes, password);
  try {
    if (page > document.numPages) {
      throw new Refused('absent', undefined, { of: 'page', count: document.numPages });
    }
    const view = (await document.getPage(page)).getViewport({ scale: 1 });
    const scale = EDGE / Math.max(view.width, view.height, 1);
    const png = await renderPageAsImage(document, page, { canvasImport: canvasLibrary, scale });
    const size = { width: Math.floor(scale * view.width), height: Math.floor(scale * view.height) };
    return { ...(await pictureOfPng(new Uint8Array(png), size)), facts: { pages: document.numPages } };
  } finally {
    await document.destroy();
  }
}

export function pdfjs(): Promise<Pdfjs> {
  completeArrayBuffer();
  return import('unpdf').catch(() => {
    throw new Refused('missing', 'unpdf');
  });
}

export async function openPdf(bytes: Buffer, password: string | undefined): Promise<PdfDocument> {
  const { getDocumentProxy } = await pdfjs();
  try {
    return await getDocumentProxy(new Uint8Array(bytes), {
      isEvalSupported: false,
      useSystemFonts: false,
      disableFontFace: true,
      useWorkerFetch: false,
      enableXfa: false,
      verbosity: 0,
      ...(password !== undefined && { password }),
    });
  } catch (error) {
    const { name = '' } = error instanceof Error ? error : {};
    if (name === 'PasswordException') throw new Refused(password === undefined ? 'encrypted' : 'password');
    throw new Refused('damaged');
  }
}

/** Whether a document may have attachments, by a quick search. A list in a compressed object is not found. */
function mayHaveAttachments(bytes: Buffer): boolean {
  return bytes.includes('/EmbeddedFiles');
}

/** Whether a document has images, by a quick search: the dictionary of an image is never compressed. */
function hasImages(bytes: Buffer): boolean {
  return bytes.includes('/Subtype/Image') || bytes.includes('/Subtype /Image');
}

interface PlainPage {
  readonly text: string;
  readonly rows: readonly Row[];
}

const EMPTY: PlainPage = { text: '', rows: [] };

function pageText(structured: string, { text, rows }: PlainPage): string {
  const better = betterOf(structured, text);
  return withoutCaptions(hasLostRows(better, rows) ? rowsText(rows) : better, rows);
}

/** The plain reading of a page; empty for a damaged page. */
async function plainPage(document: PdfDocument, number: number): Promise<PlainPage> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    page.cleanup();
    const pieces = upright(items as readonly TextItem[]);
    return { text: itemsText(pieces), rows: rowsOf(pieces) };
  } catch {
    return EMPTY;
  }
}

async function factsOf(document: PdfDocument): Promise<DocumentFacts> {
  const { info } = (await document.getMetadata().catch(() => ({ info: {} }))) as {
    info: Record<string, unknown>;
  };
  const said = (name: string): string =>
    typeof info[name] === 'string' ? info[name].trim().slice(0, 300) : '';
  const [title, author, date] = [said('Title'), said('Author'), said('CreationDate')];
  const created = /^D:(\d{4})(\d\d)(\d\d)/.exec(date);
  const { outline, bookmarks } = await outlineOf(document);
  return {
    pages: document.numPages,
    ...(title !== '' && { title }),
    ...(author !== '' && author !== '(anonymous)' && { author }),
    ...(created && { created: created.slice(1).join('-') }),
    ...(outline.length > 0 && { outline }),
    ...(outline.length < bookmarks && { bookmarks }),
  };
}

function metadataLine({ pages, title, author, created }: DocumentFacts): string {
  const facts = [
    `PDF, ${pages} ${pages === 1 ? 'page' : 'pages'}`,
    title && `title: ${title}`,
    author && `author: ${author}`,
    created && `created: ${created}`,
  ];
  return `${facts.filter(Boolean).join('; ').replace(/\s+/g, ' ')}\n\n`;
}

/** The most bookmarks that are listed, characters of a title, and levels. */
const MOST_ENTRIES = 2_000;
const MOST_TITLE = 300;
const MOST_LEVELS = 10;

interface Bookmark {
  readonly title: string;
  readonly dest: string | readonly unknown[] | null;
  readonly items: readonly Bookmark[];
}

async function outlineOf(document: PdfDocument): Promise<{ outline: OutlineEntry[]; bookmarks: number }> {
  const outline: OutlineEntry[] = [];
  const visit = async (items: readonly Bookmark[], level: number): Promise<void> => {
    for (const { title, dest, items: below } of items) {
      if (outline.length >= MOST_ENTRIES || level > MOST_LEVELS) return;
      const page = await pageOf(document, dest);
      const name = String(title);
      const shown = name.length > MOST_TITLE ? `${name.slice(0, MOST_TITLE).toWellFormed()}…` : name;
      outline.push({ title: shown, level, ...(page !== undefined && { page }) });
      await visit(below, level + 1);
    }
  };
  const all = ((await document.getOutline().catch(() => null)) ?? []) as readonly Bookmark[];
  await visit(all, 0);
  return { outline, bookmarks: countAll(all) };
}

/** Counts without recursion, because bookmarks may be nested deeper than the call stack allows. */
function countAll(items: readonly Bookmark[]): number {
  let count = 0;
  const waiting = [items];
  for (let some = waiting.pop(); some; some = waiting.pop()) {
    count += some.length;
    for (const { items: below } of some) if (below.length > 0) waiting.push(below);
  }
  return count;
}

async function pageOf(document: PdfDocument, dest: Bookmark['dest']): Promise<number | undefined> {
  try {
    const target = typeof dest === 'string' ? await document.getDestination(dest) : dest;
    const [reference] = (target ?? []) as readonly unknown[];
    if (typeof reference === 'number') return reference + 1;
    return reference ? (await document.getPageIndex(reference as never)) + 1 : undefined;
  } catch {
    return undefined;
  }
}
