import { expect, test } from 'vitest';
import {
  withoutCaptions,
  type PdfRow,
  groupPdfRows,
} from '../../../src/formats/document/child/pdf-layout.ts';

/** Rows at these distances from the top; pieces stand at multiples of 100 points. */
function rows(lines: readonly (readonly [number, ...string[]])[]): PdfRow[] {
  return groupPdfRows(
    lines.flatMap(([top, ...pieces]) =>
      pieces.map((str, i) => {
        const transform = [10, 0, 0, 10, 50 + 100 * i, 700 - top];
        return { str, transform, width: 5 * str.length, height: 10, hasEOL: false };
      }),
    ),
  );
}

const HEADER = ['Region', 'Q1', 'Q2'] as const;
const TABLE = '|Region|Q1|Q2|\n|---|---|---|\n|North|1|2|\n|South|3|4|';
const TAKEN = '|Report 7||Page 1|\n|---|---|---|\n|Region|Q1|Q2|\n|North|1|2|\n|South|3|4|';

test('a caption taken for the header moves above the table', () => {
  const page = rows([
    [0, 'Report 7', '', 'Page 1'],
    [30, ...HEADER],
    [45, 'North', '1', '2'],
    [60, 'South', '3', '4'],
  ]);
  expect(withoutCaptions(`Text\n\n${TAKEN}\n\nEnd`, page)).toBe(
    `Text\n\nReport 7  Page 1\n\n${TABLE}\n\nEnd`,
  );
});

test('a close first row with blank cells stays the header', () => {
  const page = rows([
    [0, 'Report 7', '', 'Page 1'],
    [15, ...HEADER],
    [30, 'North', '1', '2'],
    [45, 'South', '3', '4'],
  ]);
  expect(withoutCaptions(TAKEN, page)).toBe(TAKEN);
});

test('a complete first row is the header at any distance', () => {
  const page = rows([
    [0, ...HEADER],
    [40, 'North', '1', '2'],
    [55, 'South', '3', '4'],
  ]);
  expect(withoutCaptions(TABLE, page)).toBe(TABLE);
});

test('rows that are not found on the page are kept', () => {
  expect(withoutCaptions(TAKEN, [])).toBe(TAKEN);
  expect(withoutCaptions('|a|\n|---|', rows([[0, 'a']]))).toBe('|a|\n|---|');
});
