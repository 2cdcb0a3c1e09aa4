/** The steps of reading a page, one for each form in which a page has its text. `pipeline.ts` has their order. */

import { Identity } from '../../identity.ts';
import { detectEncoding } from '../../text/encoding.ts';
import { withoutTrailingSlashes } from '../../text/visible.ts';
import { layOutJson } from '../data/json-layout.ts';
import { sources } from '../table.ts';
import { isBinary } from '../text/open.ts';
import {
  baseOf,
  type HtmlElement,
  type HtmlNode,
  isElement,
  parseHtml,
  walkHtml,
} from './child/html-tree.ts';
import { type ConvertedPage, convertedText, convertFor, pageJob } from './convert.ts';
import {
  cutOf,
  type FetchedPage,
  isHtml,
  type LinkedDocument,
  nameOf,
  type PageRendering,
  type PageStep,
  type PageVisit,
  subjectOf,
  textRendering,
} from './page-step.ts';

// The main text of a page, `llms.txt` if there is none, and pages with little text.

export const readableStep: PageStep = async (page, visit) => {
  const converted = await convertedPage(page, visit);
  if (!converted || isThin(converted)) return undefined;
  const { how, words } = converted.reply;
  if (words) {
    visit.notes.push(
      `its main text, as it was found, has ${words.shown} of its ${words.all} words; :raw has all of them`,
    );
  }
  return textRendering(how, converted.body, page);
};

export const llmsStep: PageStep = async (page, visit) => {
  // Without scripts the little text is all that there is.
  if (!(await hasScripts(page))) return undefined;
  const little = await readThinPage(page, visit);
  const found = little && (await llmsText(page.url, visit));
  if (!little || !found) return undefined;
  const what = 'the llms.txt of its site';
  return withOwnWords(
    little,
    textRendering('llms.txt', await found.text(), found),
    { what, url: found.url },
    visit,
  );
};

/** The step for a page with little text and no alternative. */
export const thinStep: PageStep = async (page, visit): Promise<PageRendering | undefined> => {
  const little = await readThinPage(page, visit);
  if (!little || little.markdown === '') return undefined;
  if (await hasScripts(page)) visit.notes.push('it has hardly any text: scripts may draw it');
  return textRendering(little.method, little.markdown, page);
};

async function hasScripts(page: FetchedPage): Promise<boolean> {
  return /<script\b/i.test(await page.text());
}

async function llmsText(url: string, visit: PageVisit): Promise<FetchedPage | undefined> {
  const found = await visit.probe(new URL('/llms.txt', url).href, { accept: 'text/plain, text/markdown' });
  if (!found || !/^text\/(?:plain|markdown)$/.test(found.type)) return undefined;
  return /^\s*#/.test(await found.text()) ? found : undefined;
}

// The conversion of an HTML page to Markdown, shared by all steps that need it.

/** The least characters of a text that counts as content. */
const MIN_CONTENT_CHARACTERS = 80;

interface ReadablePage extends ConvertedPage {
  readonly reply: Extract<ConvertedPage['reply'], { kind: 'text' }>;
}

const conversions = new WeakMap<FetchedPage, Promise<ReadablePage | undefined>>();

/** Undefined for a page without text, or one that could not be converted (then a note is added). */
function convertedPage(page: FetchedPage, visit: PageVisit): Promise<ReadablePage | undefined> {
  let made = conversions.get(page);
  if (!made) conversions.set(page, (made = converted(page, visit)));
  return made;
}

async function converted(page: FetchedPage, visit: PageVisit): Promise<ReadablePage | undefined> {
  const found = await convertFor(visit, pageJob(page), await page.text());
  if (!found) visit.notes.push('the page could not be converted within its limits');
  return found?.reply.kind === 'text' && found.body.length > 0 ? (found as ReadablePage) : undefined;
}

/** A longer Markdown text has enough words, whatever its links. */
const MAX_THIN_CHARACTERS = 8_000;

/** Whether the page has only a title and a few words, so that its content is probably elsewhere. */
function isThin({ body }: ReadablePage): boolean {
  if (body.length > MAX_THIN_CHARACTERS) return false;
  const markdown = new TextDecoder().decode(body);
  const words = markdown.replace(/^# .*\n/, '').replace(/\]\([^)]*\)/g, ']');
  return words.trim().length < MIN_CONTENT_CHARACTERS;
}

type ThinPage = LinkedDocument['page'];

/** The short text of a page that has no more; undefined for a page that has, or may have, more. */
async function readThinPage(page: FetchedPage, visit: PageVisit): Promise<ThinPage | undefined> {
  const found = await convertedPage(page, visit);
  if (found) return isThin(found) ? { method: found.reply.how, markdown: convertedText(found) } : undefined;
  return visibleLength(await startOf(page)) < MIN_CONTENT_CHARACTERS
    ? { method: 'page', markdown: '' }
    : undefined;
}

/** The short text of the page followed by `other`, which was read from `url`; `what` describes it. */
function withOwnWords(
  { markdown }: ThinPage,
  other: PageRendering,
  { what, url }: { readonly what: string; readonly url: string },
  visit: PageVisit,
): PageRendering {
  const hasNone = markdown.trim() === '';
  visit.notes.push(
    hasNone
      ? `it has no text: this is ${what}, ${url}`
      : `it has hardly any text: below it is ${what}, ${url}`,
  );
  if (hasNone) return other;
  const bytes = Buffer.concat([Buffer.from(`${markdown.trimEnd()}\n\n---\n\n`), other.bytes]);
  return { ...other, bytes };
}

// Steps that read the page's own Markdown version: one that it links to, or `URL.md`.

/** The least characters of a text that can replace a page. */
const MIN_ALTERNATE_CHARACTERS = 60;

const MAX_ALTERNATES = 2;

export const alternateStep: PageStep = async (page, visit) => {
  const { origin } = new URL(page.url);
  const linked = alternatesOf(await startOf(page), page.url).filter(
    ({ type, url }) =>
      /^text\/(?:x-)?markdown$/.test(type) && new URL(url).origin === origin && !isOfSite(new URL(url)),
  );
  for (const { url } of linked.slice(0, MAX_ALTERNATES)) {
    const found = await visit.probe(url, { accept: 'text/markdown, text/plain' });
    const rendering = found && (await markdownOf(found, 'alternate-markdown', page));
    if (!found || !rendering) continue;
    visit.notes.push(`this is its Markdown, ${found.url}`);
    return rendering;
  }
  return undefined;
};

/** Whether the URL describes the whole site, and so is not a version of one page. */
function isOfSite({ pathname }: URL): boolean {
  return pathname === '/' || /\/llms(?:-[\w-]+)?\.(?:txt|md)$/i.test(pathname);
}

export const suffixStep: PageStep = async (page, visit) => {
  const url = new URL(page.url);
  const path = withoutTrailingSlashes(url.pathname);
  if (path === '' || /\.(?!html?$)[a-z]\w{0,4}$/i.test(path)) return undefined;
  url.pathname = `${path}.md`;
  const found = await visit.probe(url.href, { accept: 'text/markdown, text/plain' });
  // Rejects servers that redirect, or answer any URL with the same page.
  if (!found || !/\.mdx?$/i.test(new URL(found.url).pathname)) return undefined;
  return markdownOf(found, 'md-suffix', page);
};

async function markdownOf(
  found: FetchedPage,
  method: string,
  page: FetchedPage,
): Promise<PageRendering | undefined> {
  if (!/^(?:text\/(?:x-)?markdown|text\/plain|application\/octet-stream|)$/.test(found.type))
    return undefined;
  const content = await found.text();
  const start = content.trimStart().slice(0, 400);
  if (
    content.trim().length < MIN_ALTERNATE_CHARACTERS ||
    content.includes('\0') ||
    /^<(?:!doctype|html|\?xml|head|body)/i.test(start)
  ) {
    return undefined;
  }
  // An error page is detected by comparing words, because it may be in any language.
  if (!sharesWords(content, await startOf(page))) return undefined;
  return content.length < 1_000 && /\b(?:404|not found|does(?: not|n't) exist)\b/i.test(start)
    ? undefined
    : textRendering(method, content, found);
}

export const feedAlternateStep: PageStep = async (page, visit) => {
  const { origin } = new URL(page.url);
  const feeds = alternatesOf(await startOf(page), page.url).filter(
    ({ type, url }) => /(?:rss|atom|rdf)\+xml$|feed\+json$/.test(type) && new URL(url).origin === origin,
  );
  if (feeds.length === 0) return undefined;
  const little = await readThinPage(page, visit);
  if (!little) return undefined;
  for (const { url } of feeds.slice(0, 2)) {
    const found = await visit.probe(url);
    if (!found) continue;
    const feed = (await jsonStep(found, visit)) ?? (await feedOf(found, await found.text(), visit));
    if (feed?.kind === 'text') {
      return withOwnWords(
        little,
        { ...feed, method: 'feed-alternate' },
        { what: 'its feed', url: found.url },
        visit,
      );
    }
  }
  return undefined;
};

// The step for landing pages: a page with little text and a link to a single document, which is shown instead.

const DOCUMENT = /\.(?:pdf|docx?|pptx?|xlsx?|odt|ods|odp|rtf|epub)$/i;

export const linkedDocumentStep: PageStep = async (page, visit) => {
  const little = await readThinPage(page, visit);
  if (!little) return undefined;
  const { origin } = new URL(page.url);
  const documents = linksOf(await startOf(page), page.url).filter((url) => {
    const link = new URL(url);
    return link.origin === origin && DOCUMENT.test(link.pathname);
  });
  const [only, ...others] = new Set(documents);
  // Only if there is exactly one; otherwise the caller must choose.
  if (only === undefined || others.length > 0) return undefined;
  const found = await visit.probe(only, { accept: '*/*' });
  const rendering = found && (await fileStep(found, visit));
  if (rendering?.kind !== 'file' || rendering.method !== 'document') return undefined;
  return { ...rendering, method: 'linked-document', linked: { url: only, page: little } };
};

// The step for feeds (RSS, Atom, RDF), shown as a list of entries.

export const feedStep: PageStep = async (page, visit) => {
  const content = await page.text();
  const named = /(?:rss|atom|rdf)\+xml$/.test(page.type);
  // Decided by the type or the root element, because any text may mention feeds.
  return named || beginsAsFeed(content) ? feedOf(page, content, visit) : undefined;
};

/** The root element of a feed must be within this many characters. */
const MAX_FEED_ROOT_CHARACTERS = 4_100;

/** Whether the first element (after declarations and comments) is the root of a feed. */
function beginsAsFeed(content: string): boolean {
  const front = /^\ufeff?(?:\s+|<\?[^>]*\?>|<!--(?:(?!-->)[^])*-->|<!doctype[^>]*>)*/i;
  return /^<(?:rss|feed|atom:feed|rdf:RDF)[\s>]/i.test(
    content.slice(0, MAX_FEED_ROOT_CHARACTERS).replace(front, ''),
  );
}

async function feedOf(
  page: FetchedPage,
  content: string,
  visit: PageVisit,
): Promise<PageRendering | undefined> {
  const converted = await convertFor(visit, { kind: 'feed', url: page.url }, content);
  return converted?.reply.kind === 'text' ? textRendering('feed', converted.body, page) : undefined;
}

// The step for JSON, which is indented, and for JSON Feed. Larger JSON is formatted in the child process.

/** The most characters that are formatted in this process, which takes 5 ms. */
const MAX_LOCAL_JSON_CHARACTERS = 32 << 10;
const DEPTH = 32;

const FEED = /"version"\s{0,20}:\s{0,20}"https?:\/\/jsonfeed\.org\/version\//;

export const jsonStep: PageStep = async (page, visit) => {
  // Many servers send JSON as HTML.
  if (!/[/+]json$|^(?:text\/html|application\/octet-stream)?$/.test(page.type)) return undefined;
  const content = await page.text();
  if (!/^\s*[[{]/.test(content)) return undefined;
  const feed = FEED.test(content.slice(0, 4_096));
  if (content.length <= MAX_LOCAL_JSON_CHARACTERS && !feed && !page.cut) {
    const laidOut = layOutJson(content, {
      depth: DEPTH,
      most: DEPTH * 4 * MAX_LOCAL_JSON_CHARACTERS,
      cut: false,
    });
    return laidOut === undefined || laidOut === 'tooLong' ? undefined : textRendering('json', laidOut, page);
  }
  const job = { kind: 'json', url: page.url, cut: page.cut, feed } as const;
  const converted = await convertFor(visit, job, content);
  return converted?.reply.kind === 'text'
    ? textRendering(converted.reply.how, converted.body, page)
    : undefined;
};

// The step for files that the source of their kind opens: an image, a document, an archive or a database.

export const fileStep: PageStep = (page) => {
  const name = nameOf(page.url) || 'page';
  // The identity does not matter here: only the name and the first bytes are examined.
  const subject = subjectOf(page.url, name, page.body, Identity.once('body'));
  // UTF-16 with a byte order mark contains zeros but is text.
  const binary = isBinary(subject.head) && detectEncoding(subject.head).bom === 0;
  // Not the HTML page of a site that shows a notebook under its file name.
  const isNotebook = name.endsWith('.ipynb') && !/^\s*</.test(Buffer.from(subject.head).toString('latin1'));
  const claimed = /^text\/|json$|xml$/.test(page.type) && !binary && !isNotebook;
  const source = claimed ? undefined : sources.find((one) => one.format !== 'file' && one.claims(subject));
  const method = source?.format ?? (binary ? 'binary' : undefined);
  return Promise.resolve(method && { kind: 'file', method, name, bytes: page.body, ...cutOf(page) });
};

// The step for text that needs no conversion: plain text, Markdown, code, XML.

const TEXT =
  /^text\/|[/+](?:xml|yaml|toml|javascript|x-sh|sql|x-ndjson|json)$|^(?:application\/octet-stream)?$|^image\/svg/;

export const textStep: PageStep = async (page) => {
  if (!TEXT.test(page.type)) return undefined;
  const content = await page.text();
  if (isHtml(page, content)) return undefined;
  // Markdown by content negotiation, unless the file itself is named as Markdown.
  const negotiated = page.type === 'text/markdown' && !/\.(?:md|mdx|markdown)$/i.test(nameOf(page.url));
  return textRendering(negotiated ? 'content-negotiation' : 'text', content, page);
};

export const rawStep: PageStep = async (page, visit) => {
  const content = await page.text();
  if (content.trim() === '' && page.body.length > 0) visit.notes.push('the body is blank');
  return textRendering(isHtml(page, content) ? 'raw-html' : 'raw', content, page);
};

// Finds alternates and links of a page, and its visible text, in the start of the page.

const MAX_SEARCHED_CHARACTERS = 256 * 1024;

const starts = new WeakMap<FetchedPage, HtmlElement>();

/** The start of a page. Comments, scripts and templates are not in it. */
async function startOf(page: FetchedPage): Promise<HtmlElement> {
  const known = starts.get(page) ?? parseStart(await page.text());
  starts.set(page, known);
  return known;
}

export function parseStart(html: string): HtmlElement {
  return parseHtml(html.slice(0, MAX_SEARCHED_CHARACTERS)).root;
}

interface AlternateLink {
  readonly type: string;
  readonly url: string;
}

export function alternatesOf(start: HtmlElement, url: string): AlternateLink[] {
  const elements = [...walkHtml(start)];
  const base = baseOf(start, url);
  const own = elements.find(({ name }) => name === 'html')?.attributes['lang'];
  return elements.flatMap(({ name, attributes: { rel = '', type = '', href = '', hreflang } }) => {
    const isAlternate = name === 'link' && /(?:^|\s)alternate(?:\s|$)/i.test(rel) && href !== '';
    if (!isAlternate || !URL.canParse(href, base) || isOtherLanguage(hreflang, own)) return [];
    return { type: type.toLowerCase().split(';')[0]?.trim() ?? '', url: new URL(href, base).href };
  });
}

function isOtherLanguage(language: string | undefined, own: string | undefined): boolean {
  if (!language || language === 'x-default' || own === undefined) return false;
  const main = (tag = ''): string => tag.toLowerCase().split('-')[0] ?? '';
  return main(language) !== main(own);
}

/** The absolute URLs of links (`<a href>`), without fragments, in the order of the page. */
export function linksOf(start: HtmlElement, url: string): string[] {
  const base = baseOf(start, url);
  return [...walkHtml(start)].flatMap(({ name, attributes: { href = '' } }) => {
    if (name !== 'a' || href === '' || !URL.canParse(href, base)) return [];
    const target = new URL(href, base);
    target.hash = '';
    return /^https?:$/.test(target.protocol) ? target.href : [];
  });
}

/** The approximate number of visible characters in the start of a page. */
export function visibleLength(start: HtmlElement): number {
  return textsOf(start).reduce((sum, text) => sum + text.replace(/\s+/g, ' ').trim().length, 0);
}

/** Significant words: five letters or more, or two characters of a script without spaces. */
const WORD = /\p{L}{5,}|[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}]{2}/gu;

/** A page with fewer significant words cannot be compared. */
const FEW = 30;

/** Whether a text shares a tenth of the visible words of a page. True for a page with too few words to compare. */
function sharesWords(text: string, start: HtmlElement): boolean {
  const wordsOf = (piece: string): readonly string[] => piece.toLowerCase().match(WORD) ?? [];
  const ofPage = new Set(textsOf(start).flatMap(wordsOf));
  const ofText = new Set(wordsOf(text.slice(0, MAX_SEARCHED_CHARACTERS)));
  const shared = [...ofPage].filter((word) => ofText.has(word)).length;
  return ofPage.size < FEW || shared >= Math.min(ofPage.size, 4 * ofText.size) / 10;
}

function textsOf(node: HtmlNode): string[] {
  if (!isElement(node)) return [node];
  return node.name === 'title' ? [] : node.children.flatMap(textsOf);
}
