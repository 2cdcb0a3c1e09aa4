/** Converts a JSON Feed to Markdown: its title, then its entries. Source: JSON Feed 1.1. */

import { attachment, MOST_ATTACHED, MOST_ENTRIES, shortened, shortText } from './feed-entries.ts';

interface Item {
  readonly id?: unknown;
  readonly title?: unknown;
  readonly url?: unknown;
  readonly external_url?: unknown;
  readonly date_published?: unknown;
  readonly content_text?: unknown;
  readonly summary?: unknown;
  readonly content_html?: unknown;
  readonly attachments?: unknown;
}

/** Undefined if it is not a JSON Feed. */
export function jsonFeed(content: string, url: string): string | undefined {
  let feed: {
    readonly version?: unknown;
    readonly title?: unknown;
    readonly description?: unknown;
    readonly items?: unknown;
  };
  try {
    // "null" is valid JSON.
    feed = (JSON.parse(content) as typeof feed | null) ?? {};
  } catch {
    return undefined;
  }
  if (!/^https?:\/\/jsonfeed\.org\/version\//.test(said(feed.version)) || !Array.isArray(feed.items))
    return undefined;
  const items = (feed.items as unknown[]).filter(
    (item): item is Item => typeof item === 'object' && item !== null,
  );
  const entries = items.slice(0, MOST_ENTRIES).map((item) => entry(item, url));
  const left = items.length - MOST_ENTRIES;
  const parts = [`# ${flat(said(feed.title)) || url}`, shortened(said(feed.description)), ...entries];
  if (left > 0) parts.push(`(${left} more entries)`);
  return `${parts.filter((part) => part).join('\n\n')}\n`;
}

function entry(item: Item, url: string): string {
  // The identifier of an entry may be its URL.
  const id = /^https?:\/\//.test(said(item.id)) ? item.id : undefined;
  const [link = ''] = [item.url, item.external_url, id].filter((one) => typeof one === 'string');
  const target = link === '' ? '' : absolute(link, url);
  const date = flat(said(item.date_published)).slice(0, 10);
  const plain = said(item.content_text);
  const html = said(item.content_html);
  const shown = plain
    ? shortened(plain, target || undefined)
    : html
      ? shortText(html, target || url, target || undefined)
      : shortened(said(item.summary), target || undefined);
  return [
    `## ${flat(said(item.title)) || target || '(no title)'}`,
    target,
    date,
    shown,
    ...attachmentsOf(item, url),
  ]
    .filter((part) => part)
    .join('\n\n');
}

function attachmentsOf({ attachments }: Item, url: string): string[] {
  const all = Array.isArray(attachments)
    ? (attachments as { readonly url?: unknown; readonly mime_type?: unknown }[])
    : [];
  return all
    .slice(0, MOST_ATTACHED)
    .filter((one) => said(one?.url) !== '')
    .map((one) => attachment(absolute(said(one.url), url), flat(said(one.mime_type)) || null));
}

const absolute = (link: string, url: string): string =>
  URL.canParse(link, url) ? new URL(link, url).href : flat(link);
const said = (value: unknown): string => (typeof value === 'string' ? value : '');
const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();
