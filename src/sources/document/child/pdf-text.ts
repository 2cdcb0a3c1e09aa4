/** Assembles the text of a page from its positioned pieces, in drawing order. */

export interface TextItem {
  readonly str: string;
  /** A matrix of six numbers: the last two are the position of the start, the first is the size if the text is upright. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly hasEOL: boolean;
}

/**
 * Rotates the pieces of a page so that most of its text is upright, because pages that are displayed rotated contain rotated
 * text. Pieces in other directions are kept.
 */
export function upright(items: readonly TextItem[]): readonly TextItem[] {
  const letters = [0, 0, 0, 0];
  for (const {
    str,
    transform: [a = 1, b = 0],
  } of items)
    letters[quarters(a, b)] = (letters[quarters(a, b)] as number) + (str?.length ?? 0);
  const turns = letters.indexOf(Math.max(...letters));
  if (turns === 0) return items;
  const [cos, sin] = (
    [
      [1, 0],
      [0, 1],
      [-1, 0],
      [0, -1],
    ] as const
  )[turns] as readonly [number, number];
  return items.map((item) => {
    if (item.str === undefined) return item;
    const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = item.transform;
    const turned = [a, b, c, d, x * cos + y * sin, y * cos - x * sin];
    return { ...item, transform: turned };
  });
}

/** The direction of a text in quarter turns, counterclockwise. */
function quarters(a: number, b: number): number {
  return (Math.round(Math.atan2(b, a) / (Math.PI / 2)) + 4) % 4;
}

/** A gap wider than this share of the text height separates words. */
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
  // A new line that the reader has not marked (`hasEOL`).
  if (Math.abs(nextY - y) > height * 0.7) return '\n';
  const gap = nextX >= x ? nextX - (x + last.width) : x - (nextX + next.width);
  return gap > height * WORD_GAP ? ' ' : '';
}
