/** Limits for showing feeds of any format: the most entries, and texts. */

import { fragment } from './extract.ts';

export const MOST_ENTRIES = 1_000;

/** The most attached files that are named per entry. */
export const MOST_ATTACHED = 10;

/** The most characters of one text, and of the HTML that is converted for it. */
const MOST_TEXT = 2_000;
const MOST_HTML = 256 << 10;

/** Converts HTML of a feed to Markdown, truncated to the shown length. */
export function shortText(html: string, base: string, link?: string): string {
  return shortened(fragment(html.slice(0, MOST_HTML), base), link);
}

/** Truncates a text; `link` is where the complete text can be read. */
export function shortened(text: string, link?: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= MOST_TEXT) return trimmed;
  const where = link === undefined ? '' : `: ${link}`;
  return `${trimmed.slice(0, MOST_TEXT).toWellFormed()}… (longer${where})`;
}

/** The line for an attached file, such as the audio of a podcast. */
export function attachment(url: string, type: string | null): string {
  return `Attached: ${url}${type === null ? '' : ` (${type})`}`;
}
