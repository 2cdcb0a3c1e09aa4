import { expect, test } from 'vitest';
import { fc } from '../../support/properties.ts';
import { widthOf } from '../../../src/render/table.ts';
import { showCell, wholeRow } from '../../../src/formats/sqlite/layout.ts';
import type { SqliteCell } from '../../../src/formats/sqlite/protocol.ts';

const text = (value: string, clipped = false): SqliteCell => ({
  kind: 'text',
  text: value,
  bytes: value.length,
  clipped,
});

test.each<[SqliteCell, string, boolean]>([
  [null, 'NULL', false],
  [-9223372036854775808n, '-9223372036854775808', false],
  [1, '1.0', false],
  [0.1, '0.1', false],
  [-0, '-0.0', false],
  [1e21, '1e+21', false],
  [Number.POSITIVE_INFINITY, 'Inf', false],
  [Number.NEGATIVE_INFINITY, '-Inf', false],
  [{ kind: 'blob', bytes: 5 }, '<BLOB 5 bytes>', false],
  [text('short'), 'short', false],
  [text('NULL'), '"NULL"', false],
  [text('more than 10'), 'more than…', true],
  [text('a\nb\tc'), String.raw`"a\nb\tc"`, false],
  [text('head', true), 'head…', true],
  [text('exactly 10', true), 'exactly …', true],
  [text('not utf8 \udcff'), '"not utf8…', true],
  [text('\udcff'), String.raw`"\xff"`, false],
  [{ kind: 'text', text: '', bytes: 99, clipped: true }, '<TEXT 99 bytes>', false],
])('in ten columns, case %#', (cell, shown, cut) => {
  expect(showCell(cell, 10)).toEqual({ text: shown, cut });
});

test('the shown text never exceeds its width', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', '表', 'e\u0301', '👩‍👩‍👧', '\n', '\u202e', '\0', '\udcff', '|') }),
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

test('a text of sixteen megabytes is not processed whole', () => {
  expect(showCell(text('é'.repeat(1 << 23)), 10).text).toBe('ééééééééé…');
});

test('text like the mark of another value is a block', () => {
  const row = [null, text('NULL'), { kind: 'blob', bytes: 2 }, text('<BLOB 2 bytes>'), text('a\nb')] as const;
  expect(wholeRow(['a', 'b', 'c', 'd', 'e'], row)).toBe(
    'a: NULL\nb:\n  NULL\nc: <BLOB 2 bytes>\nd:\n  <BLOB 2 bytes>\ne:\n  a\n  b\n',
  );
});
