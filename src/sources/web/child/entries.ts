/** How much of a feed is shown, whatever its format. */

import { fragment } from './extract.ts';

export const MOST_ENTRIES = 1_000;

/** Characters of one text, and of the HTML that is converted for it. */
const MOST_TEXT = 2_000;
const MOST_HTML = 256 << 10;

/** HTML of a feed as Markdown, up to the length that is shown. */
export function shortText(html: string, url: string): string {
  return shortened(fragment(html.slice(0, MOST_HTML), url));
}

export function shortened(text: string): string {
  const trimmed = text.trim();
  return trimmed.length <= MOST_TEXT ? trimmed : `${trimmed.slice(0, MOST_TEXT).toWellFormed()}…`;
}
