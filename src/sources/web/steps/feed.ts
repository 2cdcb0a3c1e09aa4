/** The step for feeds (RSS, Atom, RDF), shown as a list of entries. */

import { convertFor } from '../convert-page.ts';
import { type Fetched, type Rendering, type Step, text, type Visit } from '../page-step.ts';

export const feedStep: Step = async (page, visit) => {
  const content = await page.text();
  const named = /(?:rss|atom|rdf)\+xml$/.test(page.type);
  // Decided by the type or the root element, because any text may mention feeds.
  return named || beginsAsFeed(content) ? feedOf(page, content, visit) : undefined;
};

/** The root element of a feed must be within this many characters. */
const MOST_FRONT = 4_100;

/** Whether the first element (after declarations and comments) is the root of a feed. */
function beginsAsFeed(content: string): boolean {
  const front = /^\ufeff?(?:\s+|<\?[^>]*\?>|<!--(?:(?!-->)[^])*-->|<!doctype[^>]*>)*/i;
  return /^<(?:rss|feed|atom:feed|rdf:RDF)[\s>]/i.test(content.slice(0, MOST_FRONT).replace(front, ''));
}

export async function feedOf(page: Fetched, content: string, visit: Visit): Promise<Rendering | undefined> {
  const converted = await convertFor(visit, { is: 'feed', url: page.url }, content);
  return converted?.reply.is === 'text' ? text('feed', converted.body, page) : undefined;
}
