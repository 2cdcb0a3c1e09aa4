import { expect, test } from 'vitest';
import { fc } from '../../support/properties.ts';
import { fit, pad, showCell, widthOf } from '../../../src/sources/sqlite/row-cells.ts';
import type { Cell } from '../../../src/sources/sqlite/sqlite-protocol.ts';

const text = (value: string, clipped = false): Cell => ({
  is: 'text',
  text: value,
  bytes: value.length,
  clipped,
});

test.each<[Cell, string, boolean]>([
  [null, 'NULL', false],
  [-9223372036854775808n, '-9223372036854775808', false],
  [1, '1.0', false],
  [0.1, '0.1', false],
  [1e21, '1e+21', false],
  [Number.POSITIVE_INFINITY, 'Inf', false],
  [{ is: 'blob', bytes: 5 }, '<BLOB 5 bytes>', false],
  [text('short'), 'short', false],
  [text('exactly 10'), 'exactly 10', false],
  [text('more than 10'), 'more than…', true],
  [text('a\nb\tc'), 'a\\nb\\tc', false],
  [text('head', true), 'head…', true],
  [{ is: 'text', text: '', bytes: 99, clipped: true }, '<TEXT 99 bytes>', false],
  [text('表表表表表表'), '表表表表…', true],
])('in ten columns, case %#', (cell, shown, cut) => {
  expect(showCell(cell, 10)).toEqual({ text: shown, cut });
});

test('the shown text never exceeds its width', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      fc.integer({ min: 2, max: 40 }),
      fc.boolean(),
      (value, most, clipped) => {
        const shown = showCell(text(value, clipped), most);
        expect(widthOf(shown.text)).toBeLessThanOrEqual(
          Math.max(most, `<TEXT ${value.length} bytes>`.length),
        );
        expect(shown.text).not.toMatch(/[\n\r\t\0]/);
      },
    ),
  );
});

test('padding makes columns equally wide', () => {
  for (const value of ['', 'a', 'é', '表', '👩‍👩‍👧', 'e\u0301']) expect(widthOf(pad(value, 12))).toBe(12);
});

test('a text of sixteen megabytes is not processed as a whole', () => {
  const long = 'é'.repeat(1 << 23);
  expect(fit(long.slice(0, 80), 10).text).toBe('ééééééééé…');
  expect(showCell(text(long), 10).text).toBe('ééééééééé…');
});
