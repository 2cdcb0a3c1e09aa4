/** Converts PDF to Markdown, page by page. Two readers are compared on every page, because each fails on different pages. */

import { type DocumentFacts, DocumentRefusal, type OutlineEntry, PAGES_AT_ONCE } from '../protocol.ts';
import { type ConvertedText, markOf, unmarked } from './markdown.ts';
import { codeBlocks, type PdfFonts, withCode } from './pdf-code.ts';
import {
  annotationTexts,
  unshownAnnotations,
  withoutFields,
  hiddenLayers,
  type PageItem,
  type PdfAnnotation,
  type PdfLayers,
  type ShownItems,
  shownItems,
  withoutCopies,
} from './pdf-layers.ts';
import {
  bareText,
  groupPdfRows,
  hasLostRows,
  itemsText,
  type PdfRow,
  rowsText,
  upright,
  withoutCaptions,
  withoutGluedCells,
  withoutPlainHeadings,
} from './pdf-layout.ts';

type Pdfjs = typeof import('unpdf');
type PdfDocument = Awaited<ReturnType<Pdfjs['getDocumentProxy']>>;

/** The inspector runs for documents of up to this many pages, because it always reads all of them. */
const MAX_INSPECTED_PAGES = 2_000;

/** Pages `from` to `to`, 1-based and inclusive; without `to` as many as fit into one text. Throws Refused. */
export async function convertPdf(
  bytes: Buffer,
  { from, to }: { readonly from: number; readonly to?: number | undefined },
  password: string | undefined,
): Promise<ConvertedText> {
  const isCut = isCutShort(bytes);
  const document = await openPdf(bytes, password);
  try {
    const count = document.numPages;
    if (count === 0) throw new DocumentRefusal('damaged', 'it has no pages');
    if (from > count) throw new DocumentRefusal('absent', undefined, { of: 'page', count });
    const last = Math.min(to ?? count, from + PAGES_AT_ONCE - 1, count);
    const numbers = Array.from({ length: last - from + 1 }, (_, i) => from + i);
    const library = await inspector();
    const isInspected = password === undefined && count <= MAX_INSPECTED_PAGES;
    const inspected = isInspected && library ? inspectStructure(library, bytes) : undefined;
    const plain: PlainPage[] = [];
    const layers = await hiddenLayers(document, await pdfjs());
    for (const number of numbers) plain.push(await plainPage(document, number, layers));
    const textless = numbers.filter((_, i) => plain[i]?.text === '' && !plain[i]?.isDamaged);
    const blank = await blankPages(bytes, textless, password).catch(() => undefined);
    const rich = await inspected;
    const scanned: number[] = [];
    const links = new Set<string>();
    const texts = numbers.map((number, i) => {
      const page = plain[i] ?? EMPTY;
      const all = pageText(rich?.get(number) ?? '', page).trim();
      const drawn = withoutFields(all, page.annotations, page.text);
      const beside = annotationTexts(page.annotations, drawn, links);
      const text = [drawn, ...beside.texts].filter((part) => part !== '').join('\n\n');
      const none = page.isDamaged ? DAMAGED_PAGE : blank?.has(number) ? BLANK_PAGE : NO_TEXT;
      if (text === '' && none === NO_TEXT) scanned.push(number);
      const guess = hasGuessedColumns(drawn) ? GUESSED_COLUMNS : '';
      const parts = [text === '' ? none : unmarked(text), ...beside.notes, guess, page.note ?? ''];
      return `${markOf('page', number)}${parts.filter((part) => part !== '').join('\n\n')}\n\n`;
    });
    const facts = await factsOf(document);
    const onPages = unshownAnnotations(plain.flatMap((one) => one.annotations));
    const unshown = [...(facts.unshown ?? []), ...onPages];
    const head = from === 1 && to === undefined ? unmarked(metadataLine(facts)) : '';
    const isEnd = last === (to === undefined ? count : Math.min(to, count));
    return {
      text: head + texts.join(''),
      facts: {
        ...facts,
        unshown,
        ...(scanned.length > 0 && { scanned }),
        ...(isCut && { isCut }),
        // A list in a compressed object is not found.
        ...(bytes.includes('/EmbeddedFiles') && { hasAttachments: true as const }),
        ...(hasImages(bytes) && { hasImages: true as const }),
      },
      nextPage: !isEnd ? last + 1 : undefined,
      without: !library && isInspected ? INSPECTOR : undefined,
    };
  } finally {
    await document.destroy();
  }
}

const NO_TEXT = '(no text layer: the page is empty or scanned)';
const BLANK_PAGE = '(the page is empty)';
const DAMAGED_PAGE = '(the page is missing or damaged)';
const GUESSED_COLUMNS = '(the columns of blank cells are a guess: a PDF has only the positions of its texts)';

/** Whether a table of the Markdown text has blank cells: their text may belong to another column. */
function hasGuessedColumns(text: string): boolean {
  return text.split('\n').some((line) => line.startsWith('|') && /\| *\|/.test(line));
}

export function pdfjs(): Promise<Pdfjs> {
  completeArrayBuffer();
  return import('unpdf').catch(() => {
    throw new DocumentRefusal('missing', 'unpdf');
  });
}

export async function openPdf(
  bytes: Buffer,
  password: string | undefined,
  settings?: { readonly maxImageSize: number },
): Promise<PdfDocument> {
  const { getDocumentProxy } = await pdfjs();
  // pdf.js reads an object without its end not at all.
  const whole = isCutShort(bytes) ? Buffer.concat([bytes, OBJECT_END]) : bytes;
  try {
    return await getDocumentProxy(new Uint8Array(whole), {
      isEvalSupported: false,
      useSystemFonts: false,
      disableFontFace: true,
      useWorkerFetch: false,
      enableXfa: false,
      verbosity: 0,
      password,
      ...settings,
    });
  } catch (error) {
    const { name = '' } = error instanceof Error ? error : {};
    if (name === 'PasswordException')
      throw new DocumentRefusal(password === undefined ? 'encrypted' : 'password');
    throw new DocumentRefusal('damaged');
  }
}

const OBJECT_END = Buffer.from('\nendstream\nendobj\n');

/** Whether objects follow the last end mark, as in a file that was cut. */
function isCutShort(bytes: Buffer): boolean {
  const end = bytes.lastIndexOf('%%EOF');
  return end === -1 || / obj\b/.test(bytes.toString('latin1', end, end + MAX_END_BYTES));
}

const MAX_END_BYTES = 64 << 10;

/** Whether a document has images, by a quick search: the dictionary of an image is never compressed. */
function hasImages(bytes: Buffer): boolean {
  return bytes.includes('/Subtype/Image') || bytes.includes('/Subtype /Image');
}

interface PlainPage {
  readonly text: string;
  readonly rows: readonly PdfRow[];
  /** The blocks of code. */
  readonly code: readonly string[];
  /** Set if texts of layers that are off are left out. */
  readonly isReduced?: boolean;
  /** The texts that are drawn twice, which `text` has once. */
  readonly copies?: ReadonlySet<string>;
  readonly isDamaged?: true;
  readonly annotations: readonly PdfAnnotation[];
  /** A sentence about layers that are switched off. */
  readonly note?: string | undefined;
}

const EMPTY: PlainPage = { text: '', rows: [], code: [], annotations: [] };

function pageText(all: string, { text, rows, code, isReduced = false, copies }: PlainPage): string {
  // The structured reading has all texts.
  const structured = isReduced ? '' : withoutPlainHeadings(withoutTexts(all, copies, text), rows);
  const better = betterOf(structured, text);
  const kept = withoutCaptions(hasLostRows(better, rows) ? rowsText(rows) : better, rows);
  return withCode(withoutGluedCells(kept, rows), code);
}

/** The most texts that are drawn twice on a page whose structure is kept. */
const MAX_COPIES = 300;

/** `structured` with each of the copies once; empty if it then has other letters than `plain`. */
function withoutTexts(structured: string, copies: ReadonlySet<string> = new Set(), plain: string): string {
  if (copies.size === 0) return structured;
  if (copies.size > MAX_COPIES) return '';
  let once = structured;
  for (const copy of copies) {
    const text = copy.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    once = once.replace(new RegExp(`${text}[\\s*]*${text}`, 'g'), () => copy);
  }
  return bareText(once).length === bareText(plain).length ? once : '';
}

/** The plain reading of a page; empty for a damaged page. */
async function plainPage(
  document: PdfDocument,
  number: number,
  layers: PdfLayers | undefined,
): Promise<PlainPage> {
  try {
    const page = await document.getPage(number);
    const content = await page.getTextContent({ includeMarkedContent: layers !== undefined });
    const drawn = content.items as readonly PageItem[];
    const shown: ShownItems = layers ? await shownItems(page, drawn, layers) : { items: drawn };
    const all = (await page.getAnnotations().catch(() => [])) as readonly PdfAnnotation[];
    const annotations = all.filter(({ id }) => shown.unseen?.has(id) !== true);
    page.cleanup();
    const { items, copies } = withoutCopies(upright(shown.items));
    const isReduced = shown.note !== undefined;
    const code = codeBlocks(items, content.styles as PdfFonts);
    const text = itemsText(items);
    return { text, rows: groupPdfRows(items), code, isReduced, copies, annotations, note: shown.note };
  } catch {
    return { ...EMPTY, isDamaged: true };
  }
}

/** Those of the pages without text that certainly have no images, and no shapes, which may be drawn letters. */
async function blankPages(
  bytes: Buffer,
  numbers: readonly number[],
  password: string | undefined,
): Promise<ReadonlySet<number>> {
  const blank = new Set<number>();
  if (numbers.length === 0) return blank;
  const { OPS } = await (await pdfjs()).getResolvedPDFJS();
  // Images are left out, because to decode them takes long. What is left of one is that it is enlarged to its size.
  const document = await openPdf(bytes, password, { maxImageSize: 0 });
  for (const number of numbers) {
    const page = await document.getPage(number);
    const { fnArray, argsArray } = await page.getOperatorList();
    const isDrawn = (of: number, i: number): boolean => {
      const [first, ...more] = (argsArray[i] ?? []) as readonly unknown[];
      if (of === OPS.transform)
        return [first, ...more.slice(0, 3)].some((scale) => Math.abs(Number(scale)) > 1);
      if (of === OPS.showText)
        return (first as readonly unknown[]).some(
          (glyph) => (glyph as { isSpace?: boolean }).isSpace === false,
        );
      if (of === OPS.constructPath) return first !== OPS.endPath;
      return of === OPS.shadingFill || of === OPS.paintFormXObjectBegin;
    };
    if (!fnArray.some(isDrawn)) blank.add(number);
  }
  await document.destroy();
  return blank;
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
    title: title !== '' ? title : undefined,
    author: author !== '' && author !== '(anonymous)' ? author : undefined,
    created: created ? created.slice(1).join('-') : undefined,
    outline: outline.length > 0 ? outline : undefined,
    unshown:
      info['IsXFAPresent'] === true && info['IsAcroFormPresent'] !== true
        ? [{ what: 'XFA form', count: 1 }]
        : undefined,
    bookmarks: outline.length < bookmarks ? bookmarks : undefined,
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
const MAX_BOOKMARKS = 2_000;
const MAX_BOOKMARK_TITLE_CHARACTERS = 300;
const MAX_BOOKMARK_LEVELS = 10;

interface Bookmark {
  readonly title: string;
  readonly dest: string | readonly unknown[] | null;
  readonly items: readonly Bookmark[];
}

async function outlineOf(document: PdfDocument): Promise<{ outline: OutlineEntry[]; bookmarks: number }> {
  const outline: OutlineEntry[] = [];
  const visit = async (items: readonly Bookmark[], level: number): Promise<void> => {
    for (const { title, dest, items: below } of items) {
      if (outline.length >= MAX_BOOKMARKS || level > MAX_BOOKMARK_LEVELS) return;
      const page = await pageOf(document, dest);
      const name = String(title);
      const shown =
        name.length > MAX_BOOKMARK_TITLE_CHARACTERS
          ? `${name.slice(0, MAX_BOOKMARK_TITLE_CHARACTERS).toWellFormed()}…`
          : name;
      outline.push({ title: shown, level, page });
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

// Chooses between two readings of a page: the structured one, unless it has lost letters or numbers, glued or scattered
// words, reversed a script, or is garbled, and the plain one is not. The structured reader does not detect this itself.

export function betterOf(structured: string, plain: string): string {
  return isBroken(structured, plain) ? plain : mended(structured, plain);
}

function isBroken(structured: string, plain: string): boolean {
  const one = measure(structured);
  const other = measure(plain);
  if (one.letters === 0) return true;
  if (other.letters === 0) return false;
  if (one.garbled > 0.05 * one.letters && one.garbled > 2 * other.garbled) return true;
  if (other.garbled > 0.05 * other.letters && other.garbled > 2 * one.garbled) return false;
  if (other.rightToLeft > 0.1 * other.letters) return true;
  if (one.letters < 0.9 * other.letters || hasLostNumbers(structured, plain)) return true;
  // Words are not compared for scripts without spaces.
  if (other.dense < 0.3 * other.letters && other.words > 10) {
    if (one.words < 0.9 * other.words || one.words > 1.35 * other.words) return true;
    if (one.long > other.long + 1 && one.long > 0.02 * one.words) return true;
  }
  return false;
}

/**
 * Whether numbers are missing: lost cells of a table are few letters of a page. Allowed to be missing are numbers in the first
 * and last line (headers and footers), numbers of one digit (list items), and footnote signs.
 */
function hasLostNumbers(structured: string, plain: string): boolean {
  const lines = plain.split('\n').filter((line) => line.trim() !== '');
  const between = lines.slice(1, -1).join('\n');
  const left = new Map<string, number>();
  for (const [number] of structured.matchAll(NUMBER)) left.set(number, (left.get(number) ?? 0) + 1);
  for (const { 0: number, index } of between.matchAll(NUMBER)) {
    const count = left.get(number) ?? 0;
    if (count > 0) left.set(number, count - 1);
    else if (!endsAsNote(number, between.slice(Math.max(0, index - 24), index), structured)) return true;
  }
  return false;
}

const NUMBER = /\d{2,}/g;

/** A shorter text in front may occur by chance. */
const MIN_FRONT_CHARACTERS = 3;

/** Whether the last digits may be a footnote sign: the word before them occurs in the other reading without them. */
function endsAsNote(number: string, before: string, structured: string): boolean {
  const word = /\S*$/.exec(before)?.[0] ?? '';
  return [1, 2, 3].some((digits) => {
    const front = word + number.slice(0, -digits);
    const at = digits > number.length || front.length < MIN_FRONT_CHARACTERS ? -1 : structured.indexOf(front);
    return at !== -1 && !/\d/.test(structured[at + front.length] ?? '');
  });
}

/** Joins words that were hyphenated at the end of a line and divides glued words, if the plain reading shows how. */
function mended(structured: string, plain: string): string {
  const glued = gluedWords(structured, plain);
  const known = new Set(plain.match(WORD));
  return structured
    .replace(/(\p{L}+)- (\p{Ll}+)/gu, (whole, front: string, back: string) => {
      if (!plain.includes(`${front}-\n${back}`) || SUSPENDED.has(back)) return whole;
      if (known.has(front + back)) return front + back;
      const isCompound = plain.includes(`${front}-${back}`) || (known.has(back) && isWord(back, plain));
      return isCompound ? `${front}-${back}` : front + back;
    })
    .replace(WORD, (word) => glued.get(word) ?? word);
}

/** Words after a suspended hyphen, which must be kept: "pre- and post-war", "Ein- und Ausgaben". */
const SUSPENDED = new Set(
  'and or to und oder bzw sowie bis noch statt et ou y e o en of och eller og tai ja i lub a nebo'.split(' '),
);

/** The least characters of a second half that is recognised as a word of its own. */
const MIN_WORD_CHARACTERS = 4;

/** Whether `back` also occurs as a separate word, not only as the second half of a hyphenated one. */
function isWord(back: string, plain: string): boolean {
  return (
    back.length >= MIN_WORD_CHARACTERS && new RegExp(`(?<![-\\p{L}]|-\\n)${back}(?!\\p{L})`, 'u').test(plain)
  );
}

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** The least characters of a glued word; shorter ones are usually real words. */
const MIN_GLUED_CHARACTERS = 5;

/** Words of the structured reading that are two adjacent words in the plain one, with the text of these. */
function gluedWords(structured: string, plain: string): Map<string, string> {
  const words = plain.match(WORD) ?? [];
  const known = new Set(words);
  const unknown = new Set(
    (structured.match(WORD) ?? []).filter((word) => word.length >= MIN_GLUED_CHARACTERS && !known.has(word)),
  );
  const glued = new Map<string, string>();
  if (unknown.size === 0) return glued;
  for (const [i, word] of words.entries()) {
    const next = words[i + 1];
    if (next === undefined || !unknown.has(word + next)) continue;
    if (plain.includes(`${word} ${next}`)) glued.set(word + next, `${word} ${next}`);
  }
  return glued;
}

interface Measure {
  readonly letters: number;
  readonly words: number;
  /** The number of words that are too long for any language, so they are glued. */
  readonly long: number;
  readonly rightToLeft: number;
  /** The number of letters of scripts without spaces. */
  readonly dense: number;
  readonly garbled: number;
}

const MARKUP = /\]\([^)\n]*\)|<!--[^]*?-->|<\/?\w+[^>\n]*>|[*_`~|#>\\-]+/g;

function measure(text: string): Measure {
  const bare = text.replace(MARKUP, ' ');
  const words = bare.match(WORD) ?? [];
  return {
    letters: words.reduce((sum, word) => sum + word.length, 0),
    words: words.length,
    long: words.filter((word) => word.length > 24).length,
    rightToLeft: count(bare, /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/g),
    dense: count(bare, /[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\u0e00-\u0e7f]/g),
    garbled: count(bare, /[\ufffd\ue000-\uf8ff\0-\x08\x0e-\x1f]/g),
  };
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

// The structured reading of a PDF by pdf-inspector. It always reads all pages, so it runs once per document.

type Inspector = typeof import('@firecrawl/pdf-inspector');

const INSPECTOR = '@firecrawl/pdf-inspector';

/** Undefined if it is not installed, or not for this platform. */
function inspector(): Promise<Inspector | undefined> {
  return import('@firecrawl/pdf-inspector').catch(() => undefined);
}

/** Markdown by page number (1-based). A page depends on the others: headings by size, footers by repetition. */
type Structure = ReadonlyMap<number, string>;

/** The structure of all pages. Empty if the inspector fails. */
async function inspectStructure(library: Inspector, bytes: Buffer): Promise<Structure> {
  const found = new Map<number, string>();
  try {
    const { pages } = await library.extractPagesMarkdownAsync(bytes);
    for (const { page, markdown } of pages) found.set(page + 1, markdown);
  } catch {
    // The plain reader gives the text.
  }
  return found;
}

// A polyfill for ArrayBuffer methods that pdf.js uses and Node 20 lacks. Without it pages lose their fonts,
// and everything drawn after them.

interface Transferable {
  transferToFixedLength?(length?: number): ArrayBuffer;
}

/** Source: ECMAScript 2024, ArrayBuffer.prototype.transferToFixedLength. */
function completeArrayBuffer(): void {
  const prototype: Transferable = ArrayBuffer.prototype;
  prototype.transferToFixedLength ??= function (this: ArrayBuffer, length = this.byteLength): ArrayBuffer {
    const moved = structuredClone(this, { transfer: [this] });
    if (length === moved.byteLength) return moved;
    const target = new ArrayBuffer(length);
    new Uint8Array(target).set(new Uint8Array(moved, 0, Math.min(length, moved.byteLength)));
    return target;
  };
}
