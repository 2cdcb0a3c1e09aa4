/** Pages with rotated text, such as landscape pages: their tables are those of upright pages. */

import { expect, test } from 'vitest';
import { pdfPages, pdfStream } from '../../support/documents.ts';
import { unhurried, workspace } from '../../support/workspace.ts';

const ROWS = [
  ['Region', 'Units', 'Share'],
  ...[1, 2, 3, 4, 5, 6].map((i) => [`Area ${i}`, `${i}11`, `${i}22`]),
];

/** The text matrices of a quarter of a turn more each, and where a point of an upright page lies then. */
const TURNS = [
  { matrix: '1 0 0 1', place: (x: number, y: number) => [x, y] },
  { matrix: '0 1 -1 0', place: (x: number, y: number) => [612 - y, x] },
  { matrix: '-1 0 0 -1', place: (x: number, y: number) => [612 - x, 792 - y] },
  { matrix: '0 -1 1 0', place: (x: number, y: number) => [y, 792 - x] },
];

test.each([0, 1, 2, 3])('a table on a page rotated %i times by 90°', async (turns) => {
  const { matrix, place } = TURNS[turns] as (typeof TURNS)[number];
  const drawn = ROWS.flatMap((cells, row) =>
    cells.map((cell, column) => {
      const [x = 0, y = 0] = place(80 + 150 * column, 560 - 20 * row);
      return `BT /F1 12 Tf ${matrix} ${x} ${y} Tm (${cell}) Tj ET`;
    }),
  );
  const { write, text } = workspace(unhurried);
  const page = pdfPages([pdfStream(drawn.join('\n'))]).toString('latin1');
  const shown = page.replace('/MediaBox', `/Rotate ${turns * 90}/MediaBox`);
  write('t.pdf', Buffer.from(shown, 'latin1'));
  expect(await text('t.pdf:raw')).toBe(
    `PDF, 1 page\n\n--- page 1 ---\n\n${ROWS.map((cells) => `${cells.join(' ')}\n`).join('')}\n`,
  );
});
