/** The bookmarks of a document as its outline. */

import type { DocumentFacts } from './document-protocol.ts';

/** Undefined if it has none: its headings are the outline then. */
export function bookmarksText({ outline = [] }: DocumentFacts, front: string): string | undefined {
  if (outline.length === 0) return undefined;
  const lines = outline.map(({ title, level, page }) => {
    const at = page === undefined ? '' : ` (${front}:p${page})`;
    return `${'  '.repeat(level)}${title.replace(/\s+/g, ' ').trim()}${at}\n`;
  });
  return lines.join('');
}

/** How many bookmarks are not among the facts, and a page from which they may be. */
export function bookmarksLeft({ outline = [], bookmarks = 0 }: DocumentFacts): {
  left: number;
  from: number;
} {
  const from = outline.findLast(({ page }) => page !== undefined)?.page ?? 1;
  return { left: Math.max(0, bookmarks - outline.length), from };
}
