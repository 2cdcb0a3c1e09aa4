import { expect, test } from 'vitest';
import { withoutLag } from '../support/lag.ts';
import { otherSpelling } from '../../src/selector/parse-window.ts';
import { parseBehind, parseSelection } from '../../src/selector/selection.ts';

test.each([
  // Words.
  ['lines 5-10', '5-10'],
  ['line 5', '5'],
  ['Lines=5-10', '5-10'],
  ['lines:5-10', '5-10'],
  ['line#5', '5'],
  ['lines L5-L10', '5-10'],
  ['lines [5-10]', '5-10'],
  ['5 to 10', '5-10'],
  ['5to10', '5-10'],
  ['L5toL10', '5-10'],
  ['..5', '1..5'],
  ['...L5', '1..5'],
  ['..5,9', '1..5,9'],
  ['5 through 10', '5-10'],
  ['5-10 and 20-30', '5-10,20-30'],
  ['all', '1..'],
  ['full', '1..'],
  ['*', '1..'],
  ['head 20', '1..20'],
  ['first 20 lines', '1..20'],
  ['tail=20', '-20'],
  ['tail:-20', '-20'],
  ['last 20', '-20'],
  // Columns.
  ['L5C3', '5:1'],
  ['L5C3-L7', '5-7'],
  ['L5C3-L7C2', '5-7'],
  ['10-20:30', '10-20'],
  ['10:5-20:3', '10-20'],
  ['10.5-20.3', '10-20'],
  ['(10,5)-(12,20)', '10-12'],
  // Columns of one line.
  ['10:20-30', '10:1'],
  // Up to the end, and from it.
  ['95-$', '95-'],
  ['95,$', '95-'],
  ['95..$', '95..'],
  ['95-end', '95-'],
  ['95..EOF', '95..'],
  ['95--1', '95-'],
  ['95:-1', '95-'],
  ['95 to end', '95-'],
  ['95+', '95-'],
  ['$', '-1'],
  ['-5..', '-5'],
  ['-5-', '-5'],
  ['-5:', '-5'],
  ['-5..-1', '-5'],
  ['-5:-1', '-5'],
  // Characters.
  ['5\u201310', '5-10'],
  ['5\u201410', '5-10'],
  ['5\u221210', '5-10'],
  ['\uff1a5\uff0d10', '5-10'],
  ['5\u202610', '5..10'],
  ['5...10', '5..10'],
  ['5-10\uff0c20', '5-10,20'],
  // Blanks, commas, colons and brackets too many.
  ['5 - 10', '5-10'],
  ['5 .. 10', '5..10'],
  ['5-10,', '5-10'],
  [',5-10', '5-10'],
  ['5-10,,20-30', '5-10,20-30'],
  ['5-10;20-30', '5-10,20-30'],
  ['5-10 20-30', '5-10,20-30'],
  [':5', '5'],
  ['[5,10]', '5-10'],
  ['[5, -1]', '5-'],
  ['[5-10]', '5-10'],
  ['(5-10)', '5-10'],
  ['lines 5-10:raw', '5-10:raw'],
  ['raw:5 - 10', 'raw:5-10'],
  // Bytes.
  ['@0+1KB', '@0+1K'],
  ['@64K+64KiB', '@65536+64K'],
  ['@1M', '@1048576'],
])('%j is %j', (typed, selector) => {
  expect(parseSelection(typed)).toBeUndefined();
  expect(otherSpelling(typed)).toBe(selector);
  expect(parseBehind('a.ts', typed)).toEqual(parseSelection(selector));
});

test.each([
  '',
  'lines',
  'line',
  'head',
  'tail',
  'end',
  'bogus',
  'dir/x.ts',
  '+5',
  '-10--5',
  '5-10-20',
  '1e3',
  '1_000',
  '1.5',
  '\uff15',
  'raw:1:2',
  'raw:raw',
  '@10-20',
  '@-100',
  '0x10',
  'x5',
  'all lines',
  '?lines=5',
  'v5',
  '~120',
  '-5-1',
  `${'5,'.repeat(300)}`,
])('%j is left as it is', (typed) => {
  expect(otherSpelling(typed)).toBeUndefined();
});

test("a selector in oriel's syntax has no other spelling", () => {
  for (const typed of [
    '5',
    '5-10',
    '5..10',
    '5-',
    '5..',
    '5+3',
    '5,9',
    '-20',
    '@0+64K',
    'raw:5-10',
    '5-10:raw',
  ]) {
    expect(otherSpelling(typed)).toBeUndefined();
  }
});

test.each(['5', '5 ', '5-', ',', ' ', '.', ':', '[', '-1 ', 'to ', 'l5c3-'])(
  'a spelling is looked at in linear time: %j',
  async (piece) => {
    await withoutLag(async () => {
      for (let i = 0; i < 20; i += 1) otherSpelling(piece.repeat(500 / piece.length));
    });
  },
);

test.each([
  ['\uff1a@99999999999999999999999', '@9007199254740991'],
  ['bytes=0-99999999999999999999999', '@0+9007199254740991'],
  ['offset=99999999999999999999999,limit=5', '9007199254740991+5'],
  ['5,+99999999999999999999999', '5..9007199254740991'],
])('%s has its numbers in digits', (typed, written) => {
  expect(otherSpelling(typed)).toBe(written);
  expect(parseBehind('a', typed)?.window).toBeDefined();
});
