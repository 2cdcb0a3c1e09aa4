/** RSS, Atom and RDF as a list of their entries. */

import { convert } from '../convert.ts';
import { type Fetched, type Rendering, type Step, text, type Visit } from '../page.ts';

export const feedStep: Step = async (page, visit) => {
  const content = await page.text();
  const named = /(?:rss|atom|rdf)\+xml$/.test(page.type);
  if (!named && !/^[^]{0,4000}<(?:rss|feed|rdf:RDF|channel)[\s>]/i.test(content.slice(0, 4_100)))
    return undefined;
  if (
    page.type === 'text/html' &&
    !/^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*)*<(?:rss|feed|rdf:RDF)[\s>]/i.test(content)
  )
    return undefined;
  return feedOf(page, content, visit);
};

export async function feedOf(page: Fetched, content: string, visit: Visit): Promise<Rendering | undefined> {
  const converted = await convert({ is: 'feed', url: page.url }, content, visit.signal);
  return converted?.reply.is === 'text' ? text('feed', converted.text) : undefined;
}
