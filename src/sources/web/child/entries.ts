/** How much of a feed is shown, whatever its format. */

import { fragment } from './extract.ts';

export const MOST_ENTRIES = 1_000;

/** Files of an entry that are named. */
export const MOST_ATTACHED = 10;

/** Characters of one text, and of the HTML that is converted for it. */
const MOST_TEXT = 2_000;
const MOST_HTML = 256 << 10;

/** HTML of a feed as Markdown, up to the length that is shown. */
export function shortText(html: string, base: string, link?: string): string {
  return shortened(fragment(html.slice(0, MOST_HTML), base), link);
}

/** `link`: where all of it can be read. */
export function shortened(text: string, link?: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= MOST_TEXT) return trimmed;
  const where = link === undefined ? '' : `: ${link}`;
  return `${trimmed.slice(0, MOST_TEXT).toWellFormed()}… (longer${where})`;
}

/** A file that comes with an entry: a podcast's sound. */
export function attachment(url: string, type: string | null): string {
  return `Attached: ${url}${type === null ? '' : ` (${type})`}`;
}
