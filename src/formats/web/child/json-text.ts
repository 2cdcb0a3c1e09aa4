/** Formats JSON as text: a JSON Feed as a list of entries, anything else indented. */

import { layOutJson } from '../../data/json-layout.ts';
import { jsonFeed } from './feeds.ts';

const MAX_JSON_TEXT_CHARACTERS = 24 << 20;

/** Numbers of indented levels to try, fewer if the text would be too long. */
const DEPTHS = [32, 6, 1, 0];

/** Undefined for invalid JSON. `cut`: the text is truncated; `feed`: it declares itself a JSON Feed. */
export function formatJsonText(
  content: string,
  url: string,
  { cut, feed: isFeed }: { readonly cut: boolean; readonly feed: boolean },
): { readonly how: 'json' | 'feed'; readonly text: string } | undefined {
  const feed = isFeed && !cut ? jsonFeed(content, url) : undefined;
  if (feed !== undefined) return { how: 'feed', text: feed };
  for (const depth of DEPTHS) {
    const text = layOutJson(content, { depth, most: MAX_JSON_TEXT_CHARACTERS, cut });
    if (text !== 'tooLong') return text === undefined ? undefined : { how: 'json', text };
  }
  return undefined;
}
