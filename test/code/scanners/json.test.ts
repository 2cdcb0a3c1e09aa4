import { expect, test } from 'vitest';
import { scanJsonText } from '../../../src/code/scanners/data.ts';
import { scan } from '../../support/scan.ts';

test('two levels of keys, with the lines of their values', () => {
  expect(scan(scanJsonText, '{\n "a": {\n  "b": [\n   1\n  ],\n  "c": {"d": 1}\n },\n "e": 2\n}\n')).toEqual([
    '2-7 a',
    '3-5 b',
    '6-6 c',
    '8-8 e',
  ]);
});

test('brackets and quotes in strings and comments are text', () => {
  expect(
    scan(scanJsonText, '{\n // "x": {\n "a": "} \\" {", /* "y": [ */ "b": 1,\n /*\n "z": 1 */\n "c": 2\n}\n'),
  ).toEqual(['3-3 a', '3-3 b', '6-6 c']);
});

test('items of a list at the top by their number', () => {
  expect(scan(scanJsonText, '[\n {\n  "a": 1\n },\n 5,\n [1]\n]\n')).toEqual(['2-4 0', '3-3 a', '6-6 2']);
});

test('bare keys and single quotes of JSON5', () => {
  expect(scan(scanJsonText, "{\n a: 1,\n 'b c': 2,\n}\n")).toEqual(['2-2 a', '3-3 b c']);
});

test('text that is no JSON yields nothing and no error', () => {
  for (const text of ['', '}', ']]]', '{', '[[[', '"', ',:,', 'a: b'])
    expect(scan(scanJsonText, text)).toEqual([]);
});
