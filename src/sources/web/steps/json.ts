/** JSON with its lines laid out, and JSON Feed as a feed. */

import { layOut } from '../json-text.ts';
import { type Step, text } from '../page.ts';

export const jsonStep: Step = async (page) => {
  if (!/[/+]json$/.test(page.type) && page.type !== '' && page.type !== 'application/octet-stream')
    return undefined;
  const content = await page.text();
  if (!/^\s*[[{]/.test(content)) return undefined;
  const feed = /"version"\s*:\s*"https?:\/\/jsonfeed\.org\/version\//.test(content.slice(0, 4_096))
    ? jsonFeed(content, page.url)
    : undefined;
  if (feed !== undefined) return text('feed', feed);
  const laidOut = layOut(content);
  return laidOut === undefined ? undefined : text('json', laidOut);
};

interface Item {
  readonly title?: unknown;
  readonly url?: unknown;
  readonly external_url?: unknown;
  readonly date_published?: unknown;
  readonly content_text?: unknown;
  readonly summary?: unknown;
  readonly content_html?: unknown;
}

/** Source: JSON Feed 1.1. */
function jsonFeed(content: string, url: string): string | undefined {
  let feed: { readonly title?: unknown; readonly description?: unknown; readonly items?: unknown };
  try {
    feed = JSON.parse(content) as typeof feed;
  } catch {
    return undefined;
  }
  if (!Array.isArray(feed.items)) return undefined;
  const entries = (feed.items as Item[]).map((item) => {
    const [link] = [item.url, item.external_url].filter((one) => typeof one === 'string');
    const target = link !== undefined && URL.canParse(link, url) ? new URL(link, url).href : link;
    const body =
      said(item.summary) || said(item.content_text) || said(item.content_html).replace(/<[^>]*>/g, ' ');
    const date = said(item.date_published).slice(0, 10);
    return [`## ${said(item.title) || target || '(no title)'}`, target, date, body.trim().slice(0, 2_000)]
      .filter((part) => part)
      .join('\n\n');
  });
  return `${[`# ${said(feed.title) || url}`, said(feed.description), ...entries].filter((part) => part).join('\n\n')}\n`;
}

const said = (value: unknown): string => (typeof value === 'string' ? value : '');
