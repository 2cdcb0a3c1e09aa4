import { expect, test } from 'vitest';
import {
  hasLostRows,
  groupPdfRows,
  rowsText,
  type TextItem,
} from '../../../src/formats/document/child/pdf-layout.ts';

/** Lines of a page from the top: each piece has a column 60 points wide and is at its left (0), middle or right (1), blank ones are not drawn. */
function page(lines: readonly string[], aligned = 0): TextItem[] {
  return lines.flatMap((pieces, line) =>
    pieces.split('|').map((str, i): TextItem => {
      const x = 50 + 100 * i + aligned * (60 - 5 * str.length);
      const transform = [10, 0, 0, 10, x, 700 - 15 * line];
      return { str, transform, width: 5 * str.length, height: 10, hasEOL: false };
    }),
  );
}

const LINES = [
  'Sales of the year',
  'Region|Q1|Q2|Note',
  'North|1200||ok',
  'South|250|12|',
  'East|7||long',
  'West||99|',
  'Mid|1|3|y',
  'That is all.',
];
const ITEMS = page(LINES);

test.each([0, 0.5, 1])('a table with blank cells keeps values in their columns: %d', (aligned) => {
  expect(rowsText(groupPdfRows(page(LINES, aligned)))).toBe(
    'Sales of the year\n\n| Region | Q1 | Q2 | Note |\n| --- | --- | --- | --- |\n| North | 1200 |  | ok |\n| South | 250 | 12 |  |\n| East | 7 |  | long |\n| West |  | 99 |  |\n| Mid | 1 | 3 | y |\n\nThat is all.',
  );
});

test('columns found in later rows apply to earlier ones too', () => {
  const rows = groupPdfRows(page(['a||c', 'd||f', 'g|h|i', 'j|k|l', 'm||o', 'p|q|r']));
  expect(rowsText(rows).trim().split('\n')[0]).toBe('| a |  | c |');
});

test('a table with blank cells read as two loses rows', () => {
  const halves =
    '|Region|Q1|\n|North|1200|\n|South|250|\n|East|7|\n|West||\n|Mid|1|\n\n|Q2|Note|\n||ok|\n|12||\n||long|\n|99||\n|3|y|';
  expect(hasLostRows(halves, groupPdfRows(ITEMS))).toBe(true);
  expect(hasLostRows(rowsText(groupPdfRows(ITEMS)), groupPdfRows(ITEMS))).toBe(false);
});

const FULL = page(['Region|Q1|Q2', 'North|1200|7', 'South|250|12', 'East|7|9', 'West|30|31']);

test('rows of numbers merged into one count as lost', () => {
  const folded = '|Region|Q1|Q2|\n|North South|1200 250|7 12|\n|East|7|9|\n|West|30|31|';
  expect(hasLostRows(folded, groupPdfRows(FULL))).toBe(true);
  const whole = '|Region|Q1|Q2|\n|North|1200|7|\n|South|250|12|\n|East|7|9|\n|West|30|31|';
  expect(hasLostRows(whole, groupPdfRows(FULL))).toBe(false);
});

test('a row with wrapped text is one row', () => {
  const rows = groupPdfRows(
    page([
      'Region|Manager|Sum',
      'North and|Anna Maria|12',
      'other parts|Smith|net',
      'South and|Peter Paul|13',
      'others|Jones|net',
    ]),
  );
  const wrapped =
    '|Region|Manager|Sum|\n|North and other parts|Anna Maria Smith|12 net|\n|South and others|Peter Paul Jones|13 net|';
  expect(hasLostRows(wrapped, rows)).toBe(false);
});

/** The last line of a page that begins with two rows of a table. */
const lastLine = (...lines: string[]): string | undefined =>
  rowsText(groupPdfRows(page(['a|b|c|d', 'e||g|h', ...lines])))
    .trim()
    .split('\n')
    .at(-1);

test.each([
  ['in all', 88, ''],
  ['in one cell', 90, 'k'],
])('a row with too many characters %s is not of a table', (_, most, third) => {
  const lines = [most, most + 1].map((length) => lastLine(`i|j|${third}|${'x'.repeat(length)}`));
  expect(lines.map((line) => line?.startsWith('| i | j |'))).toEqual([true, false]);
});

test('a row with a cell below no column ends the table', () => {
  expect(lastLine('i|j||l', 'm||||n|o')).toBe('m  n  o');
});

test('equal rows are counted by their lines', () => {
  const rows = groupPdfRows(page(Array.from({ length: 4 }, () => 'x|1|2')));
  expect(hasLostRows('|x|1|2|\n'.repeat(4), rows)).toBe(false);
  expect(hasLostRows('|x|1|2|\n'.repeat(3), rows)).toBe(true);
});

test('two columns of prose are not a table', () => {
  const words = 'many words of one column, side by side';
  const prose = Array.from({ length: 12 }, (_, i) =>
    [0, 1].map((column): TextItem => {
      const transform = [10, 0, 0, 10, 50 + 250 * column, 700 - 12 * i];
      return { str: words, transform, width: 190, height: 10, hasEOL: false };
    }),
  ).flat();
  expect(hasLostRows('other text', groupPdfRows(prose))).toBe(false);
});
