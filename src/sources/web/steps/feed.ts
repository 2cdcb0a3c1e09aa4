/** RSS, Atom and RDF as a list of their entries. */

import { convertFor } from '../convert.ts';
import { type Fetched, type Rendering, type Step, text, type Visit } from '../page.ts';

export const feedStep: Step = async (page, visit) => {
  const content = await page.text();
  const named = /(?:rss|atom|rdf)\+xml$/.test(page.type);
  if (!named && !ROOT.test(content.slice(0, MOST_FRONT))) return undefined;
  // A page of HTML may speak of feeds.
  if (page.type === 'text/html' && !beginsAsFeed(content)) return undefined;
  return feedOf(page, content, visit);
};

/** Characters in which the root of a feed stands. */
const MOST_FRONT = 4_100;
const ROOT = /<(?:rss|feed|rdf:RDF|channel)[\s>]/i;

/** Whether the first element is that of a feed, behind an XML declaration and comments. */
function beginsAsFeed(content: string): boolean {
  let rest = content.slice(0, MOST_FRONT).trimStart();
  for (const [open, close] of [
    ['<?xml', '?>'],
    ['<!--', '-->'],
  ] as const) {
    while (rest.startsWith(open)) {
      const end = rest.indexOf(close);
      if (end === -1) return false;
      rest = rest.slice(end + close.length).trimStart();
    }
  }
  return /^<(?:rss|feed|rdf:RDF)[\s>]/i.test(rest);
}

export async function feedOf(page: Fetched, content: string, visit: Visit): Promise<Rendering | undefined> {
  const converted = await convertFor(visit, { is: 'feed', url: page.url }, content);
  return converted?.reply.is === 'text' ? text('feed', converted.body, page) : undefined;
}
