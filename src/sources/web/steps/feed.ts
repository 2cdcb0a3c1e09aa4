/** RSS, Atom and RDF as a list of their entries. */

import { convertFor } from '../convert-page.ts';
import { type Fetched, type Rendering, type Step, text, type Visit } from '../page-step.ts';

export const feedStep: Step = async (page, visit) => {
  const content = await page.text();
  const named = /(?:rss|atom|rdf)\+xml$/.test(page.type);
  // Any text may speak of feeds.
  return named || beginsAsFeed(content) ? feedOf(page, content, visit) : undefined;
};

/** Characters in which the root of a feed is. */
const MOST_FRONT = 4_100;

/** Whether the first element is that of a feed, after declarations and comments. */
function beginsAsFeed(content: string): boolean {
  const front = /^\ufeff?(?:\s+|<\?[^>]*\?>|<!--(?:(?!-->)[^])*-->|<!doctype[^>]*>)*/i;
  return /^<(?:rss|feed|atom:feed|rdf:RDF)[\s>]/i.test(content.slice(0, MOST_FRONT).replace(front, ''));
}

export async function feedOf(page: Fetched, content: string, visit: Visit): Promise<Rendering | undefined> {
  const converted = await convertFor(visit, { is: 'feed', url: page.url }, content);
  return converted?.reply.is === 'text' ? text('feed', converted.body, page) : undefined;
}
