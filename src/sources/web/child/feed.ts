/** Converts a feed (RSS, Atom, RDF) to Markdown: its title, then its entries with links, dates and texts. */

import { parseFeed } from '@rowanmanning/feed-parser';
import { attachment, MOST_ATTACHED, MOST_ENTRIES, shortText } from './feed-entries.ts';
import { fragment } from './extract.ts';
import { htmlOf, linkOf } from './feed-body.ts';
import { frontOf } from './truncate-feed.ts';

type Feed = ReturnType<typeof parseFeed>;
type Item = Feed['items'][number];

interface Parsed {
  readonly feed: Feed;
  /** The first entries. */
  readonly items: readonly Item[];
  /** The number of further entries. */
  readonly left: number;
}

/** Undefined if it is not a feed. */
export function feedText(xml: string, url: string): string | undefined {
  const found = parsed(xml, url);
  if (!found) return undefined;
  const { feed, items, left } = found;
  if (items.length === 0 && !feed.title && !feed.url) return undefined;
  const parts = [`# ${flat(feed.title ?? '') || url}`];
  if (feed.description) parts.push(shortText(feed.description, url));
  if (feed.url) parts.push(`<${absolute(feed.url, url)}>`);
  for (const item of items) parts.push(entry(item, '##', url, shortText));
  if (left > 0) parts.push(`(${left} more entries)`);
  return `${parts.join('\n\n')}\n`;
}

/** The first entry with its complete text, as a page of its own. Undefined if it is not a feed or has no entries. */
export function entryText(xml: string, url: string): string | undefined {
  const [item] = parsed(xml, url)?.items ?? [];
  if (!item) return undefined;
  const subjects = item.categories.map(({ label, term }) => flat(label || term)).join(', ');
  const text = entry(item, '#', url, (html, base) => fragment(html, base).trim());
  return `${text}${subjects === '' ? '' : `\n\nSubjects: ${subjects}`}\n`;
}

function parsed(xml: string, url: string): Parsed | undefined {
  const isAtom = /feed(?=[\s>])/i.test(ROOT.exec(xml)?.[0] ?? '');
  const front = frontOf(xml, isAtom ? 'entry' : 'item', MOST_ENTRIES);
  try {
    const feed = withFacts(parseFeed(withBase(front.xml, url)));
    const items = feed.items.slice(0, MOST_ENTRIES);
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
    const base = absolute((stated?.[1] ?? stated?.[2] ?? '').replaceAll('&amp;', '&'), url);
    const attribute = ` xml:base="${base.replaceAll('&', '&amp;').replaceAll('"', '%22')}"`;
    if (stated) return tag.replace(stated[0], () => attribute);
    return tag.replace(/(?=\s|\/?>)/, () => attribute);
  });
}

/** Converts the text of an entry; `link` is where the complete text can be read. */
type TextOf = (html: string, base: string, link?: string) => string;

function entry(item: Item, mark: '#' | '##', url: string, textOf: TextOf): string {
  const said = item.url ?? linkOf(item);
  const link = said === undefined ? undefined : absolute(said, url);
  const title = flat(item.title ?? '') || link || '(no title)';
  const date = item.published ?? item.updated;
  const by = item.authors.map(({ name }) => flat(name ?? '')).filter((name) => name !== '');
  const facts = [date && !Number.isNaN(date.getTime()) ? date.toISOString().slice(0, 10) : '', by.join(', ')];
  const text = htmlOf(item) ?? item.content ?? item.description;
  const attached = item.media
    .slice(0, MOST_ATTACHED)
    .map(({ url: file, mimeType }) => attachment(absolute(file, url), mimeType));
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
function baseOf({ element }: Item, url: string): string | undefined {
  const { baseUrl } = element.findElementWithName('content') ?? element;
  return baseUrl !== null && baseUrl !== absolute('', url) && URL.canParse(baseUrl) ? baseUrl : undefined;
}

function absolute(link: string, base: string): string {
  return URL.canParse(link, base) ? new URL(link, base).href : link;
}

function flat(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
