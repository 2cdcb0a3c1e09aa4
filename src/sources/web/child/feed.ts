/** A feed (RSS, Atom, RDF) as Markdown: its title, then its entries with their links, dates and texts. */

import { parseFeed } from '@rowanmanning/feed-parser';
import { fragment } from './extract.ts';

type Feed = ReturnType<typeof parseFeed>;
type Item = Feed['items'][number];

/** Characters of one entry's text. */
const MOST_TEXT = 2_000;
const MOST_ENTRIES = 1_000;

/** Undefined for what is no feed. */
export function feedText(xml: string, url: string): string | undefined {
  const feed = parsed(xml, url);
  if (!feed) return undefined;
  const parts = [`# ${flat(feed.title ?? '') || url}`];
  if (feed.description) parts.push(shortened(fragment(feed.description, url)));
  if (feed.url) parts.push(`<${absolute(feed.url, url)}>`);
  for (const item of feed.items.slice(0, MOST_ENTRIES)) parts.push(entry(item, '##', url, shortened));
  const left = feed.items.length - MOST_ENTRIES;
  if (left > 0) parts.push(`(${left} more entries)`);
  return `${parts.join('\n\n')}\n`;
}

/** The first entry with all of its text, as a page of its own. Undefined for what is no feed, or has no entries. */
export function entryText(xml: string, url: string): string | undefined {
  const [item] = parsed(xml, url)?.items ?? [];
  if (!item) return undefined;
  const subjects = item.categories.map(({ label, term }) => flat(label || term)).join(', ');
  const text = entry(item, '#', url, (whole) => whole.trim());
  return `${text}${subjects === '' ? '' : `\n\nSubjects: ${subjects}`}\n`;
}

function parsed(xml: string, url: string): Feed | undefined {
  try {
    return parseFeed(withBase(xml, url));
  } catch {
    return undefined;
  }
}

const ROOT = /<(?:[\w-]+:)?(?:feed|rss|rdf)(?=[\s>])[^>]*>/i;

/**
 * The parser resolves links by `xml:base`, but knows no base of the document itself: a root whose base is relative, or
 * that has none, gets an absolute one.
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

function entry(item: Item, mark: '#' | '##', url: string, fit: (text: string) => string): string {
  const link = item.url === null ? undefined : absolute(item.url, url);
  const title = flat(item.title ?? '') || link || '(no title)';
  const date = item.published ?? item.updated;
  const by = item.authors.map(({ name }) => flat(name ?? '')).filter((name) => name !== '');
  const facts = [date && !Number.isNaN(date.getTime()) ? date.toISOString().slice(0, 10) : '', by.join(', ')];
  const text = item.content ?? item.description;
  return [
    `${mark} ${title}`,
    link,
    facts.filter((fact) => fact !== '').join(' · '),
    text && fit(fragment(text, baseOf(item, url) ?? link ?? url)),
  ]
    .filter((part) => part)
    .join('\n\n');
}

/** Against which the links in an entry's text are resolved, where the feed says so. */
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

function shortened(text: string): string {
  const trimmed = text.trim();
  return trimmed.length <= MOST_TEXT ? trimmed : `${trimmed.slice(0, MOST_TEXT).toWellFormed()}…`;
}
