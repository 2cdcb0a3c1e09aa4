/** Formats JSON as text: a JSON Feed as a list of entries, anything else indented. */

import { jsonFeed } from './json-feed.ts';
import { layOut } from './json-lines.ts';

/** The most characters of formatted JSON. */
const MOST_LAID_OUT = 24 << 20;

/** Numbers of indented levels to try, fewer if the text would be too long. */
const DEPTHS = [32, 6, 1, 0];

/** Undefined for invalid JSON. `cut`: the text is truncated; `feed`: it declares itself a JSON Feed. */
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
