/** The step that reads the feed of a page without text, at the same origin. */

import { alternatesOf } from '../head-links.ts';
import { type Step } from '../page-step.ts';
import { littleOf, withOwnWords } from './converted-page.ts';
import { feedOf } from './feed.ts';
import { jsonStep } from './json.ts';

export const feedAlternateStep: Step = async (page, visit) => {
  const { origin } = new URL(page.url);
  const feeds = alternatesOf(await page.text(), page.url).filter(
    ({ type, url }) => /(?:rss|atom|rdf)\+xml$|feed\+json$/.test(type) && new URL(url).origin === origin,
  );
  if (feeds.length === 0) return undefined;
  const little = await littleOf(page, visit);
  if (!little) return undefined;
  for (const { url } of feeds.slice(0, 2)) {
    const found = await visit.probe(url);
    if (!found) continue;
    const feed = (await jsonStep(found, visit)) ?? (await feedOf(found, await found.text(), visit));
    if (feed?.is === 'text') {
      return withOwnWords(
        little,
        { ...feed, method: 'feed-alternate' },
        { what: 'its feed', url: found.url },
        visit,
      );
    }
  }
  return undefined;
};
