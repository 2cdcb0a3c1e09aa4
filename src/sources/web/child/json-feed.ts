/** A JSON Feed as Markdown: its title, then its entries. Source: JSON Feed 1.1. */

import { MOST_ENTRIES, shortened, shortText } from './entries.ts';

interface Item {
  readonly title?: unknown;
  readonly url?: unknown;
  readonly external_url?: unknown;
  readonly date_published?: unknown;
  readonly content_text?: unknown;
  readonly summary?: unknown;
  readonly content_html?: unknown;
}

/** Undefined for what is no feed. */
export function jsonFeed(content: string, url: string): string | undefined {
  let feed: { readonly title?: unknown; readonly description?: unknown; readonly items?: unknown };
  try {
    feed = JSON.parse(content) as typeof feed;
  } catch {
    return undefined;
  }
  if (!Array.isArray(feed.items)) return undefined;
  const items = (feed.items as unknown[]).filter(
    (item): item is Item => typeof item === 'object' && item !== null,
  );
  const entries = items.slice(0, MOST_ENTRIES).map((item) => entry(item, url));
  const left = items.length - MOST_ENTRIES;
  const parts = [`# ${flat(said(feed.title)) || url}`, said(feed.description), ...entries];
  if (left > 0) parts.push(`(${left} more entries)`);
  return `${parts.filter((part) => part).join('\n\n')}\n`;
}

function entry(item: Item, url: string): string {
  const [link] = [item.url, item.external_url].filter((one) => typeof one === 'string');
  const target = link !== undefined && URL.canParse(link, url) ? new URL(link, url).href : flat(link ?? '');
  const date = flat(said(item.date_published)).slice(0, 10);
  const plain = said(item.summary) || said(item.content_text);
  const shown = plain ? shortened(plain) : shortText(said(item.content_html), target || url);
  return [`## ${flat(said(item.title)) || target || '(no title)'}`, target, date, shown]
    .filter((part) => part)
    .join('\n\n');
}

const said = (value: unknown): string => (typeof value === 'string' ? value : '');
const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();
