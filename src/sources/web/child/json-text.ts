/** JSON as text: JSON Feed as a list of its entries, all else with its lines laid out. */

import { jsonFeed } from './json-feed.ts';
import { layOut } from './json-lines.ts';

/** Characters of what JSON is laid out to. */
const MOST_LAID_OUT = 24 << 20;

/** Levels that get their own lines: fewer where the text would be too long. */
const DEPTHS = [32, 6, 1, 0];

/** Undefined for what is no JSON. `cut`: its end is missing; `feed`: it says that it is one. */
export function jsonText(
  content: string,
  url: string,
  { cut, feed: isFeed }: { readonly cut: boolean; readonly feed: boolean },
): { readonly how: 'json' | 'feed'; readonly text: string } | undefined {
  const feed = isFeed && !cut ? jsonFeed(content, url) : undefined;
  if (feed !== undefined) return { how: 'feed', text: feed };
  for (const depth of DEPTHS) {
    const text = layOut(content, { depth, most: MOST_LAID_OUT, cut });
    if (text !== 'tooLong') return text === undefined ? undefined : { how: 'json', text };
  }
  return undefined;
}
