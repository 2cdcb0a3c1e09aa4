/** The text of a page from its positioned pieces, in the order in which they are drawn. */

export interface TextItem {
  readonly str: string;
  /** The last two are the position of its start, the first is its size where it is upright. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
}

/** A gap wider than this part of the height separates words. */
const WORD_GAP = 0.2;

export function itemsText(items: readonly TextItem[]): string {
  let text = '';
  let last: TextItem | undefined;
  for (const item of items) {
    if (item.str === undefined) continue;
    if (last && item.str !== '') text += between(last, item, text);
    text += item.str;
    if (item.hasEOL) text += '\n';
    if (item.str !== '' || item.hasEOL) last = item;
  }
  return text
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function between(last: TextItem, next: TextItem, text: string): string {
  if (text === '' || /\s$/.test(text) || /^\s/.test(next.str)) return '';
  const [, , , , x = 0, y = 0] = last.transform;
  const [, , , , nextX = 0, nextY = 0] = next.transform;
  const height = Math.max(last.height, next.height, 1);
  // Another line that the reader has not marked as one.
  if (Math.abs(nextY - y) > height * 0.7) return '\n';
  const gap = nextX >= x ? nextX - (x + last.width) : x - (nextX + next.width);
  return gap > height * WORD_GAP ? ' ' : '';
}
