/** JSON as text: JSON Feed as a list of its entries, all else with its lines laid out. */

import { jsonFeed } from './json-feed.ts';
import { isJson, layOut, wholeBeginning } from './json-lines.ts';

/** Characters of what JSON is laid out to. */
const MOST_LAID_OUT = 24 << 20;

/** Levels that get lines of their own: fewer where the text would be too long. */
const DEPTHS = [32, 6, 1];

/** Undefined for what is no JSON. `cut`: its end is missing. */
export function jsonText(
  content: string,
  url: string,
  cut: boolean,
): { readonly how: 'json' | 'feed'; readonly text: string } | undefined {
  const head = content.slice(0, 4_096);
  const isFeed = /"version"\s{0,20}:\s{0,20}"https?:\/\/jsonfeed\.org\/version\//.test(head);
  const feed = isFeed && !cut ? jsonFeed(content, url) : undefined;
  if (feed !== undefined) return { how: 'feed', text: feed };
  const whole = cut ? wholeBeginning(content) : isJson(content) ? content : undefined;
  if (whole === undefined) return undefined;
  for (const depth of DEPTHS) {
    const text = layOut(whole, depth, MOST_LAID_OUT);
    if (text !== undefined) return { how: 'json', text };
  }
  return { how: 'json', text: whole };
}
