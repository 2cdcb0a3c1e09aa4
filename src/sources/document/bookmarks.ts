/** The bookmarks of a document as its outline. */

import type { DocumentFacts } from './document-protocol.ts';

/** Undefined if there are no bookmarks; then the headings are the outline. */
export function bookmarksText({ outline = [] }: DocumentFacts, front: string): string | undefined {
  if (outline.length === 0) return undefined;
  const lines = outline.map(({ title, level, page }) => {
    const at = page === undefined ? '' : ` (${front}:p${page})`;
    return `${'  '.repeat(level)}${title.replace(/\s+/g, ' ').trim()}${at}\n`;
  });
  return lines.join('');
}

/** The number of bookmarks that are not in the facts, and the page from which these continue. */
export function bookmarksLeft({ outline = [], bookmarks = 0 }: DocumentFacts): {
  left: number;
  from: number;
} {
  const from = outline.findLast(({ page }) => page !== undefined)?.page ?? 1;
  return { left: Math.max(0, bookmarks - outline.length), from };
}
