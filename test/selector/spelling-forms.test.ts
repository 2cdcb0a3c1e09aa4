/** The forms of a selector that are accepted besides ours, and what is no such form. */

import { expect, test } from 'vitest';
import { isSpelledSelector, otherSpelling } from '../../src/selector/selection.ts';

const FORMS: readonly [typed: string, ours: string][] = [
  ['lines 10-20', '10-20'],
  ['line 10', '10'],
  ['ln 10-20', '10-20'],
  ['10 to 20', '10-20'],
  ['L10 to L20', '10-20'],
  ['10 - 20', '10-20'],
  ['10 .. 20', '10..20'],
  ['10-  20', '10-20'],
  ['10  -20', '10-20'],
  ['10\u201320', '10-20'],
  ['10\u221220', '10-20'],
  ['[10, 20]', '10-20'],
  ['[10,-1]', '10-'],
  ['l10:l20', '10-20'],
  ['L10C25-L20C30', '10-20'],
  ['10:25-20:30', '10-20'],
  ['10-20:30', '10-20'],
  ['10:25-30', '10:1'],
  ['L10C3', '10:1'],
  ['10-end', '10-'],
  ['10..$', '10-'],
  ['head 20', '1..20'],
  ['tail 20', '-20'],
  ['all', '1..'],
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

test.each(FORMS)('another letter at an end of %j makes a name', (typed) => {
  expect([otherSpelling(`x${typed}`), otherSpelling(`${typed}x`)]).toEqual([undefined, undefined]);
});

test.each(['10', '-10', '10..20', '10-', 'l10+l20', 'raw:10', '10:raw', '1e3', 'x', '10-20-30'])(
  '%j is ours, or a name',
  (typed) => {
    expect(otherSpelling(typed)).toBeUndefined();
    expect(isSpelledSelector(typed)).toBe(!/[ex]|20-30/.test(typed));
  },
);

test('a text longer than any selector is a name', () => {
  expect(otherSpelling(`lines 5${' '.repeat(505)}`)).toBe('5');
  expect(otherSpelling(`lines 5${' '.repeat(506)}`)).toBeUndefined();
});
