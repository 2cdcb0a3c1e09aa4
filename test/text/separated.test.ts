import { expect, test } from 'vitest';
import { isHeader, NUMBER_CELL, separatedRows, separatorOf } from '../../src/text/separated.ts';

test.each<[string, readonly (readonly (string | null)[])[]]>([
  ['', []],
  [
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a,b\r\n1,2\r',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['a', [['a']]],
  // Nothing between separators is no text, and quotes around nothing are an empty one.
  ['a,,""\n', [['a', null, '']]],
  ['a,', [['a', null]]],
  [',\n\nb', [[null, null], [null], ['b']]],
  ['"a,b","c\nd","e""f"\n"g"', [['a,b', 'c\nd', 'e"f'], ['g']]],
  ['"a"b,"c" \n', [['ab', 'c ']]],
  ['"a""",""""', [['a"', '"']]],
  // A quote that is not closed, or not at the start, is a character.
  ['"a,b\n1', [['"a', 'b'], ['1']]],
  ['a"b",c', [['a"b"', 'c']]],
])('%j', (text, rows) => {
  expect(separatedRows(text, ',')).toEqual(rows);
});

test('rows begin where they are said to', () => {
  expect(separatedRows('sep=;\n1;2\n', ';', 6)).toEqual([['1', '2']]);
});

test.each([
  ['sep=;\na,b,c\n', ';', 6],
  ['SEP=|\r\na', '|', 7],
  ['xsep=;\na,b,c', ',', 0],
  ['sep=;;\n', ';', 0],
  ['a,b\tc\td\n', '\t', 0],
  ['a;b;c,d', ';', 0],
  ['a|b', '|', 0],
  ['a;b,c', ',', 0],
  // What is in quotes does not count, nor what comes late.
  ['"a,b,c";d', ';', 0],
  [`a;b${' '.repeat(1_000)},,,`, ';', 0],
  ['', ',', 0],
])('the separator of %j is %j', (text, separator, start) => {
  expect(separatorOf(text)).toEqual({ separator, start });
});

test.each<[(string | null)[], boolean]>([
  [['name', 'age'], true],
  [[null, 'age'], true],
  [['', ' age '], true],
  [[null], false],
  [['name', null], false],
  [['name', ' '], false],
  [['name', 'name '], false],
  [['name', '3'], false],
])('%j is a head: %j', (row, head) => {
  expect(isHeader(row)).toBe(head);
});

test('numbers have signs, points, powers and percent', () => {
  const numbers = ['1', '-1.', '+1,000.5', '1_000', '.5', '1e9', '1.5E-3', '50%', '-.5e+2%'];
  const others = ['', 'a', '1a', 'a1', '.', '-', '1.2.3', '1e', '1 2', '%', ',1', '1%%'];
  expect(numbers.filter((cell) => !NUMBER_CELL.test(cell))).toEqual([]);
  expect(others.filter((cell) => NUMBER_CELL.test(cell))).toEqual([]);
});
