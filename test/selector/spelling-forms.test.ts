/** Every form of a selector that is accepted besides ours, with numbers of two digits, and what is no such form any more. */

import { describe, expect, test } from 'vitest';
import { otherSpelling, withoutThousands } from '../../src/selector/parse-window.ts';

const FORMS: readonly [typed: string, ours: string][] = [
  ['10,20p', '10..20'],
  ["'10,20p'", '10..20'],
  ['"10,20p"', '10..20'],
  ['10p', '10..10'],
  ['10-20p', '10..20'],
  ["'10p'", '10..10'],
  ["'10-20p'", '10..20'],
  ['10~20', '10-20'],
  ['10 ~ 20', '10-20'],
  ['l10~l20', '10-20'],
  ['10 ~ l20', '10-20'],
  ['10)', '10'],
  ['10-20)', '10-20'],
  ['10.', '10'],
  ['everything', '1..'],
  ['whole', '1..'],
  ['entire', '1..'],
  ['bottom 20', '-20'],
  ['last 20 lines', '-20'],
  ['last 20 line', '-20'],
  ['top 20', '1..20'],
  ['first=20', '1..20'],
  ['first: 20', '1..20'],
  ['head-20', '1..20'],
  ['first 20 line', '1..20'],
  ['bytes 10-29', '@10+20'],
  ['bytes=10-29', '@10+20'],
  ['bytes 10-10', '@10+1'],
  ['@64k', '@65536'],
  ['@10m', '@10485760'],
  ['@64k+64kb', '@65536+64K'],
  ['@10+20kib', '@10+20K'],
  ['@10+20m', '@10+20M'],
  ['@10+20b', '@10+20'],
  ['ln 10-20', '10-20'],
  ['lines10', '10'],
  ['line 10', '10'],
  ['start=10,end=20', '10-20'],
  ['start_line=10&end_line=20', '10-20'],
  ['startline=10 endline=20', '10-20'],
  ['from 10 to 20', '10-20'],
  ['start 10, end 20', '10-20'],
  ['from=10:to=20', '10-20'],
  ['between 10 and 20', '10-20'],
  ['l10:l20', '10-20'],
  ['offset=10,limit=20', '10+20'],
  ['offset=10&limit=20', '10+20'],
  ['offset=10:limit=20', '10+20'],
  ['offset=0,limit=20', '1+20'],
  ['10,+20', '10..30'],
  ['10,+20p', '10..30'],
  ['10 col 20', '10:1'],
  ['10, column 20', '10:1'],
  ['line 10 col20', '10:1'],
  ['l=10 col 20', '10:1'],
  ['lines10 col 20', '10:1'],
  ['line10, col 20', '10:1'],
  ['l=10', '10'],
  ['10:25 - 30', '10:1'],
  ['[10, 20]', '10-20'],
  ['[10,20]', '10-20'],
  ['[10,-1]', '10-'],
  ['(10,25)-(12,20)', '10-12'],
  ['[10-20]', '10-20'],
  ['(10-20)', '10-20'],
  ['[10..20, 30]', '10..20,30'],
  ['-10-', '-10'],
  ['-10..', '-10'],
  ['-10:', '-10'],
  ['-10,', '-10'],
  ['-10:-1', '-10'],
  ['-10 - end', '-10'],
  ['-10..$', '-10'],
  ['-10..eof', '-10'],
  ['10-end', '10-'],
  ['10+', '10-'],
  ['10 +', '10-'],
  ['10 to last', '10-'],
  ['l10..eof', '10..'],
  ['10..$', '10..'],
  ['10, end', '10-'],
  ['10 - 20', '10-20'],
  ['10 .. 20', '10..20'],
  ['10 + 20', '10+20'],
  ['10 until 20', '10-20'],
  ['10 through 20', '10-20'],
  ['10,20;30', '10,20,30'],
  ['10 & 20', '10,20'],
  ['10 and 20', '10,20'],
  ['10 20', '10,20'],
  ['10,,20', '10,20'],
  [',10', '10'],
  ['l10c3', '10:1'],
  ['l10', '10'],
  ['10:25', '10:1'],
  ['10:25-30', '10:1'],
  ['l10c25-30', '10:1'],
  ['l10c25-l20c30', '10-20'],
  ['10.25-20.30', '10-20'],
  ['10:25-20:30', '10-20'],
  ['10:25..20', '10..20'],
  ['l10-', '10-'],
  ['raw 10', 'raw:10'],
  ['raw, 10', 'raw:10'],
  ['raw  10', 'raw:10'],
  ['10 raw', '10:raw'],
  ['10, raw', '10:raw'],
  ['10,  raw', '10:raw'],
  ['raw:10:raw', 'raw:10'],
  ['Raw', 'raw'],
  ['RAW:', 'raw'],
  ['::raw', 'raw'],
  ['conflicts:', 'conflicts'],
  ['Outline', 'outline'],
  ['META', 'meta'],
  ['outputs:', 'outputs'],
  ['10::', '10'],
  ['::10', '10'],
  ['10\u201320', '10-20'],
  ['10\u221220', '10-20'],
  ['10\u2026', '10..'],
  ['10...20', '10..20'],
  ['10..=20', '10..20'],
  ['10\uff1a20', '10:1'],
  ['10\uff0c20', '10,20'],
  ['10\u300120', '10,20'],
  ['  10 - 20 ', '10-20'],
];

/** The text behind the number is of any kind. */
const MESSAGES: readonly [typed: string, ours: string][] = [
  ['10: text', '10:1'],
  ['10:25: error', '10:1'],
  ['10:25 - error', '10:1'],
];

test.each([...FORMS, ...MESSAGES])('%j is %j', (typed, ours) => {
  expect(otherSpelling(typed)).toBe(ours);
});

describe('another letter at an end makes a name of it', () => {
  test.each(FORMS)('%j', (typed) => {
    expect([otherSpelling(`x${typed}`), otherSpelling(`${typed}x`)]).toEqual([undefined, undefined]);
  });

  test.each(MESSAGES)('%j', (typed) => {
    expect(otherSpelling(`x${typed}`)).toBeUndefined();
  });
});

test.each([
  'bytes 29-10',
  '@10',
  '@10+20',
  'offset=10,limit=0',
  '-10',
  '10..20',
  '10-',
  'l10+l20',
  '10+l20',
  'raw:10',
  '10:raw',
  '10:20:30',
  '1e3',
  'x',
])('%j is ours, or a name', (typed) => {
  expect(otherSpelling(typed)).toBeUndefined();
});

test('a text longer than any selector is part of the name', () => {
  expect(otherSpelling(`lines 5${' '.repeat(505)}`)).toBe('5');
  expect(otherSpelling(`lines 5${' '.repeat(506)}`)).toBeUndefined();
});

test.each([
  ['1,000', '1000'],
  ['1,000-1,010', '1000-1010'],
  ['1_000', '1000'],
  ["1'000..1'010", '1000..1010'],
  ['1\u2019000', '1000'],
  ['12,345,678', '12345678'],
  ['1,000-10', '1000-10'],
  ['1,000..2,000,000', '1000..2000000'],
])('%j with separators of thousands is %j', (typed, plain) => {
  expect(withoutThousands(typed)).toBe(plain);
});

test.each(['1234,000', '1,00', '1,0000', '1,000-', '1,000-1,01', 'x1,000', '1,000x', '1000', '100'])(
  '%j has no separators of thousands',
  (typed) => {
    expect(withoutThousands(typed)).toBeUndefined();
  },
);
