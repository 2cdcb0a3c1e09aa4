/** The feed of a page that has no text of its own, at its own origin. */

import { alternatesOf, visibleLength } from '../head-links.ts';
import { type Step } from '../page.ts';
import { feedOf } from './feed.ts';
import { jsonStep } from './json.ts';

const LEAST = 200;

export const feedAlternateStep: Step = async (page, visit) => {
  const html = await page.text();
  const { origin } = new URL(page.url);
  const feeds = alternatesOf(html, page.url).filter(
    ({ type, url }) => /(?:rss|atom|rdf)\+xml$|feed\+json$/.test(type) && new URL(url).origin === origin,
  );
  if (feeds.length === 0 || visibleLength(html) >= LEAST) return undefined;
  for (const { url } of feeds.slice(0, 2)) {
    const found = await visit.probe(url);
    const feed =
      found && ((await jsonStep(found, visit)) ?? (await feedOf(found, await found.text(), visit)));
    if (feed?.is === 'text') return { ...feed, method: 'feed-alternate' };
  }
  return undefined;
};
