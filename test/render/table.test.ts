import { describe, expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { fit, markdownCell, tableLine, tableRule, valueText } from '../../src/render/table.ts';

test.each([
  ['plain words', 'plain words'],
  ['', ''],
  ['null', 'null'],
  ['C:\\new\\table', 'C:\\new\\table'],
  ['say "hi" to <b>', 'say "hi" to <b>'],
  ['NULL', '"NULL"'],
  ['is NULL', 'is NULL'],
  ['NULLs', 'NULLs'],
  ['"NULL"', String.raw`"\"NULL\""`],
  ['<BLOB 5 bytes>', '"<BLOB 5 bytes>"'],
  ['<TEXT 9000000 bytes>', '"<TEXT 9000000 bytes>"'],
  ['a|b', String.raw`"a\|b"`],
  [String.raw`a\|b`, String.raw`"a\\\|b"`],
  ['two\nlines', String.raw`"two\nlines"`],
  [String.raw`two\nlines`, String.raw`two\nlines`],
  ['tab\t\\', String.raw`"tab\t\\"`],
  ['hid\u202eden', String.raw`"hid\u202eden"`],
  ['padded ', '"padded "'],
  ['to be continued…', '"to be continued…"'],
])('the text %j is shown as %s', (text, shown) => {
  expect(valueText(text)).toBe(shown);
});

/** Texts of what makes a table, a quotation or an escape. */
const nasty = fc
  .array(fc.constantFrom('|', '\\', '"', 'n', '\n', 'NULL', 'a', ' ', '<BLOB 1 bytes>', '\u202e', '…', 'x1b'))
  .map((parts) => parts.join(''));

test('different texts are shown differently, each on one line', () => {
  fc.assert(
    fc.property(nasty, nasty, (one, other) => {
      expect(valueText(one)).not.toMatch(/[\n\u202e]/);
      if (one !== other) expect(valueText(one)).not.toBe(valueText(other));
    }),
    { numRuns: 2_000 },
  );
});

test('no cell adds a column, as value, Markdown or cut', () => {
  fc.assert(
    fc.property(
      fc.array(nasty, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 2, max: 9 }),
      (texts, most) => {
        const columns = (cells: string[]): number =>
          tableLine(cells).replace(/\\[^]/g, '').split('|').length - 2;
        expect(columns(texts.map((text) => valueText(text)))).toBe(texts.length);
        expect(columns(texts.map(markdownCell))).toBe(texts.length);
        expect(columns(texts.map((text) => fit(valueText(text), most).text))).toBe(texts.length);
      },
    ),
  );
});

describe('lines', () => {
  test('cells are padded to the widths of terminal columns', () => {
    const widths = [4, 6];
    expect(tableLine(['a', '表表'], widths)).toBe('| a    | 表表   |');
    expect(tableLine(['👩‍👩‍👧', 'e\u0301'], widths)).toBe(`| 👩‍👩‍👧 | e\u0301      |`);
    expect(tableRule(widths)).toBe('|------|--------|');
  });

  test('without widths nothing is padded', () => {
    expect(tableLine(['', 'a', 'long'])).toBe('|  | a | long |');
    expect(tableRule(3)).toBe('| --- | --- | --- |');
  });

  test('Markdown stays as it is except bars and line breaks', () => {
    expect(markdownCell(' **a** | `b\\|c`\n[d](e) ')).toBe(
      String.raw`**a** \| ` + '`b' + String.raw`\\\|c` + '` [d](e)',
    );
  });
});

describe('fitting', () => {
  test.each([
    ['short', 'short', false],
    ['exactly 10', 'exactly 10', false],
    ['more than 10', 'more than…', true],
    ['表表表表表表', '表表表表…', true],
  ])('%s in ten columns', (text, shown, cut) => {
    expect(fit(text, 10)).toEqual({ text: shown, cut });
  });
});
