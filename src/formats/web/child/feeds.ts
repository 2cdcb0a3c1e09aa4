/** Converts a feed (RSS, Atom, RDF) to Markdown: its title, then its entries with links, dates and texts. */

import { parseFeed } from '@rowanmanning/feed-parser';
import { fragment } from './extract.ts';
import { type HtmlElement, type HtmlNode, writeHtml } from './html-tree.ts';

type Feed = ReturnType<typeof parseFeed>;
type FeedItem = Feed['items'][number];

/** Undefined if it is not a feed. */
export function feedText(xml: string, url: string): string | undefined {
  const found = parsed(xml, url);
  if (!found) return undefined;
  const { feed, items, left } = found;
  if (items.length === 0 && !feed.title && !feed.url) return undefined;
  const parts = [`# ${flattenSpaces(feed.title ?? '') || url}`];
  if (feed.description) parts.push(shortText(feed.description, url));
  if (feed.url) parts.push(`<${absoluteUrl(feed.url, url)}>`);
  for (const item of items) parts.push(feedEntry(item, '##', url, shortText));
  if (left > 0) parts.push(`(${left} more entries)`);
  return `${parts.join('\n\n')}\n`;
}

/** The first entry with its complete text, as a page of its own. Undefined if it is not a feed or has no entries. */
export function entryText(xml: string, url: string): string | undefined {
  const [item] = parsed(xml, url)?.items ?? [];
  if (!item) return undefined;
  const subjects = item.categories.map(({ label, term }) => flattenSpaces(label || term)).join(', ');
  const text = feedEntry(item, '#', url, (html, base) => fragment(html, base).trim());
  return `${text}${subjects === '' ? '' : `\n\nSubjects: ${subjects}`}\n`;
}

function parsed(xml: string, url: string) {
  const isAtom = /feed(?=[\s>])/i.test(ROOT.exec(xml)?.[0] ?? '');
  const front = cutFeed(xml, isAtom ? 'entry' : 'item', MAX_FEED_ENTRIES);
  try {
    const feed = withFacts(parseFeed(withBase(front.xml, url)));
    const items = feed.items.slice(0, MAX_FEED_ENTRIES);
    return { feed, items, left: Math.max(front.entries, feed.items.length) - items.length };
  } catch {
    return undefined;
  }
}

/** Caches properties of the feed that entries fall back to; the parser would search all elements for each entry. */
function withFacts(feed: Feed): Feed {
  for (const name of ['url', 'authors', 'categories'] as const) {
    Object.defineProperty(feed, name, { value: feed[name] });
  }
  return feed;
}

const ROOT = /<(?:[\w-]+:)?(?:feed|rss|rdf)(?=[\s>])[^<>]*>/i;

/**
 * Sets an absolute `xml:base` on the root if it has none or a relative one, because the parser resolves links by `xml:base`
 * but does not know the URL of the document.
 */
function withBase(xml: string, url: string): string {
  return xml.replace(ROOT, (tag) => {
    const stated = /\sxml:base\s*=\s*(?:"([^"]*)"|'([^']*)')/.exec(tag);
    const base = absoluteUrl((stated?.[1] ?? stated?.[2] ?? '').replaceAll('&amp;', '&'), url);
    const attribute = ` xml:base="${base.replaceAll('&', '&amp;').replaceAll('"', '%22')}"`;
    if (stated) return tag.replace(stated[0], () => attribute);
    return tag.replace(/(?=\s|\/?>)/, () => attribute);
  });
}

/** Converts the text of an entry; `link` is where the complete text can be read. */
type TextOf = (html: string, base: string, link?: string) => string;

function feedEntry(item: FeedItem, mark: '#' | '##', url: string, textOf: TextOf): string {
  const said = item.url ?? linkOf(item);
  const link = said === undefined ? undefined : absoluteUrl(said, url);
  const title = flattenSpaces(item.title ?? '') || link || '(no title)';
  const date = item.published ?? item.updated;
  const by = item.authors.map(({ name }) => flattenSpaces(name ?? '')).filter((name) => name !== '');
  const facts = [date && !Number.isNaN(date.getTime()) ? date.toISOString().slice(0, 10) : '', by.join(', ')];
  const text = htmlOf(item) ?? item.content ?? item.description;
  const attached = item.media
    .slice(0, MAX_ENTRY_ATTACHMENTS)
    .map(({ url: file, mimeType }) => attachment(absoluteUrl(file, url), mimeType));
  return [
    `${mark} ${title}`,
    link,
    facts.filter((fact) => fact !== '').join(' · '),
    text && textOf(text, baseOf(item, url) ?? link ?? url, link),
    attached.join('\n'),
  ]
    .filter((part) => part)
    .join('\n\n');
}

/** The base URL for links in an entry's text, if the feed states one. */
function baseOf({ element }: FeedItem, url: string): string | undefined {
  const { baseUrl } = element.findElementWithName('content') ?? element;
  return baseUrl !== null && baseUrl !== absoluteUrl('', url) && URL.canParse(baseUrl) ? baseUrl : undefined;
}

function absoluteUrl(link: string, base: string): string {
  return URL.canParse(link, base) ? new URL(link, base).href : link;
}

function flattenSpaces(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

const MAX_FEED_ENTRIES = 1_000;

const MAX_ENTRY_ATTACHMENTS = 10;

/** The most characters of one text, and of the HTML that is converted for it. */
const MAX_ENTRY_TEXT_CHARACTERS = 2_000;
const MAX_ENTRY_HTML_CHARACTERS = 256 << 10;

/** Converts HTML of a feed to Markdown, truncated to the shown length. */
function shortText(html: string, base: string, link?: string): string {
  return shortenEntry(fragment(html.slice(0, MAX_ENTRY_HTML_CHARACTERS), base), link);
}

/** Truncates a text; `link` is where the complete text can be read. */
function shortenEntry(text: string, link?: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= MAX_ENTRY_TEXT_CHARACTERS) return trimmed;
  const where = link === undefined ? '' : `: ${link}`;
  return `${trimmed.slice(0, MAX_ENTRY_TEXT_CHARACTERS).toWellFormed()}… (longer${where})`;
}

/** The line for an attached file, such as the audio of a podcast. */
function attachment(url: string, type: string | null): string {
  return `Attached: ${url}${type === null ? '' : ` (${type})`}`;
}

// The text of a feed entry as HTML, unescaped exactly as often as the feed escapes it. The parser unescapes once too often,
// so tags in code would be lost. Sources: RSS 2.0, RFC 4287 section 3.1.

type XmlElement = FeedItem['element'];

/** Undefined if none of the usual elements has the text. */
function htmlOf({ element }: FeedItem): string | undefined {
  const own = element.children.filter((child) => typeof child !== 'string').filter(isText);
  for (const name of ['encoded', 'content', 'summary', 'description']) {
    const found = own.find((child) => child.name === name);
    const html = found && (/^(?:content|summary)$/.test(name) ? htmlOfAtom(found) : found.textContent);
    if (html !== undefined && html.trim() !== '') return html;
  }
  return undefined;
}

/** The link of an RSS entry without `link`: a permalink in its `guid`. */
function linkOf({ element }: FeedItem): string | undefined {
  const guid = element.findElementWithName('guid');
  const text = guid?.textContent.trim() ?? '';
  return guid?.getAttribute('ispermalink') !== 'false' && /^https?:/i.test(text) ? text : undefined;
}

/** Whether an element is text of the entry; Media RSS and iTunes have elements with the same names. */
function isText({ name, namespace }: XmlElement): boolean {
  return name === 'encoded' ? namespace === 'content' : namespace !== 'media' && namespace !== 'itunes';
}

function htmlOfAtom(element: XmlElement): string {
  const type = element.getAttribute('type') ?? 'text';
  if (type === 'xhtml') return element.children.map((child) => writeHtml(nodeOf(child))).join('');
  return /html/i.test(type) ? element.textContent : writeHtml(element.textContent);
}

function nodeOf(child: XmlElement | string): HtmlNode {
  if (typeof child === 'string') return child;
  const { name, attributes, children } = child;
  return { name, attributes, children: children.map(nodeOf) } satisfies HtmlElement;
}

// Truncates the XML of a feed to the part that is shown, so that the parser does not process the rest.

/** The most tags that are parsed, which takes a second. */
const MAX_FEED_TAGS = 100_000;

/** Characters after the last entry that are parsed although entries are left out; metadata of the feed may be there. */
const MAX_FEED_TAIL_CHARACTERS = 64 << 10;

/** A comment or CDATA section (unclosed ones extend to the end), or a tag. `[^<>]` keeps the search linear. */
const TAG = /<!--(?:[^]*?-->|[^]*$)|<!\[CDATA\[(?:[^]*?\]\]>|[^]*$)|<(\/?)([^<>]*)>/g;

interface FeedStart {
  /** The XML without later entries and without a truncated tag or section. Truncated elements are not closed. */
  readonly xml: string;
  readonly entries: number;
}

/** `name` is the element name of an entry, which may have any prefix. */
function cutFeed(xml: string, name: 'item' | 'entry', mostEntries: number): FeedStart {
  const isEntry = new RegExp(`^(?:[\\w.-]{1,100}:)?${name}(?=[\\s/]|$)`, 'i');
  let [tags, entries, depth] = [0, 0, 0];
  let [cut, endOfLast] = [xml.length, 0];
  /** The offset up to which all markup is complete, and the end of the last tag. */
  let [whole, endOfTags] = [xml.length, 0];
  for (const { index, 0: tag, 1: slash, 2: inside } of xml.matchAll(TAG)) {
    endOfTags = index + tag.length;
    if (inside === undefined) {
      if (!tag.endsWith('-->') && !tag.endsWith(']]>')) whole = index;
      continue;
    }
    tags += 1;
    if (tags > MAX_FEED_TAGS) cut = Math.min(cut, index);
    if (!isEntry.test(inside)) continue;
    const opens = slash === '';
    if (opens && depth === 0) entries += 1;
    if (entries > mostEntries) cut = Math.min(cut, index);
    if (!inside.endsWith('/')) depth = Math.max(0, depth + (opens ? 1 : -1));
    if (depth === 0) endOfLast = index + tag.length;
  }
  const open = xml.indexOf('<', endOfTags);
  if (open !== -1) whole = open;
  const hasTail = entries > mostEntries && xml.length - endOfLast <= MAX_FEED_TAIL_CHARACTERS;
  return { xml: xml.slice(0, Math.min(cut, whole)) + (hasTail ? xml.slice(endOfLast, whole) : ''), entries };
}

// Converts a JSON Feed to Markdown: its title, then its entries. Source: JSON Feed 1.1.

type JsonFields = Readonly<Record<string, unknown>>;

/** Undefined if it is not a JSON Feed. */
export function jsonFeed(content: string, url: string): string | undefined {
  let feed: JsonFields;
  try {
    // "null" is valid JSON.
    feed = (JSON.parse(content) as JsonFields | null) ?? {};
  } catch {
    return undefined;
  }
  const { items: all } = feed;
  if (!/^https?:\/\/jsonfeed\.org\/version\//.test(wordsOf(feed, 'version')) || !Array.isArray(all))
    return undefined;
  const items = (all as unknown[]).filter(
    (item): item is JsonFields => typeof item === 'object' && item !== null,
  );
  const left = items.length - MAX_FEED_ENTRIES;
  const parts = [
    `# ${flattenSpaces(wordsOf(feed, 'title')) || url}`,
    shortenEntry(wordsOf(feed, 'description')),
    ...items.slice(0, MAX_FEED_ENTRIES).map((item) => jsonFeedEntry(item, url)),
    left > 0 ? `(${left} more entries)` : '',
  ];
  return `${parts.filter((part) => part).join('\n\n')}\n`;
}

function jsonFeedEntry(item: JsonFields, url: string): string {
  // The identifier of an entry may be its URL.
  const id = /^https?:\/\//.exec(wordsOf(item, 'id')) ? item['id'] : undefined;
  const [link] = [item['url'], item['external_url'], id].filter((one) => typeof one === 'string');
  const target = link === undefined || link === '' ? undefined : flattenSpaces(absoluteUrl(link, url));
  const html = wordsOf(item, 'content_html');
  const plain = wordsOf(item, 'content_text');
  const { attachments } = item;
  const attached = (Array.isArray(attachments) ? (attachments as (JsonFields | null)[]) : [])
    .slice(0, MAX_ENTRY_ATTACHMENTS)
    .filter((one) => wordsOf(one, 'url') !== '')
    .map((one) =>
      attachment(
        flattenSpaces(absoluteUrl(wordsOf(one, 'url'), url)),
        flattenSpaces(wordsOf(one, 'mime_type')) || null,
      ),
    );
  return [
    `## ${flattenSpaces(wordsOf(item, 'title')) || target || '(no title)'}`,
    target,
    flattenSpaces(wordsOf(item, 'date_published')).slice(0, 10),
    plain === '' && html !== ''
      ? shortText(html, target ?? url, target)
      : shortenEntry(plain || wordsOf(item, 'summary'), target),
    ...attached,
  ]
    .filter((part) => part)
    .join('\n\n');
}

/** Empty for what is not a string. */
function wordsOf(of: JsonFields | null, name: string): string {
  const value = of?.[name];
  return typeof value === 'string' ? value : '';
}
