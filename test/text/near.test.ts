import { expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { didYouMean, nearNames } from '../../src/text/near.ts';

const NAMES = ['README.md', 'app.ts', 'apply.ts', 'read-text.ts', 'read_file', 'server.ts', 'users', 'x'];

test.each([
  ['ap.ts', ['app.ts']],
  ['APP.ts', ['app.ts']],
  ['app.tsx', ['app.ts']],
  ['readtext.ts', ['read-text.ts']],
  ['readFile', ['read_file']],
  ['usres', ['users']],
  ['user', ['users']],
  ['readme', ['README.md']],
  ['sever.ts', ['server.ts']],
  ['nothing-like-it', []],
  ['', []],
  ['a'.repeat(300), []],
])('%s: %j', (typed, near) => {
  expect(nearNames(typed, NAMES)).toStrictEqual(near);
});

test('at most five, the nearest first, equally near ones sorted', () => {
  const names = ['name9', 'name1', 'name2', 'name3', 'name4', 'name5', 'nam'];
  expect(nearNames('name', names)).toStrictEqual(['nam', 'name1', 'name2', 'name3', 'name4']);
});

test.each([
  [[], ''],
  [['a'], ' Did you mean a?'],
  [['a', 'b'], ' Did you mean a or b?'],
  [['a', 'b', 'c'], ' Did you mean a, b or c?'],
])('%j: %j', (names, said) => {
  expect(didYouMean(names)).toBe(said);
});

test('of two letters one may differ', () => {
  expect(nearNames('ab', ['ac', 'cd'])).toStrictEqual(['ac']);
});

test('a name of one letter has no similar names', () => {
  expect(nearNames('a', ['g', 'b', 'A'])).toStrictEqual(['A']);
  expect(nearNames('-x', ['g'])).toStrictEqual([]);
});

/** Letters inserted, left out, replaced or swapped: the shortest way, tried out. */
function editsBetween(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const [x, y] = [a.slice(1), b.slice(1)];
  if (a[0] === b[0]) return editsBetween(x, y);
  const isSwapped = a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0];
  return (
    1 +
    Math.min(
      editsBetween(x, b),
      editsBetween(a, y),
      editsBetween(x, y),
      isSwapped ? editsBetween(a.slice(2), b.slice(2)) : Number.POSITIVE_INFINITY,
    )
  );
}

test('a name may differ in one letter of three', () => {
  const words = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 3, maxLength: 7 });
  fc.assert(
    fc.property(words, words, (typed, name) => {
      const beginsAlike = name.startsWith(typed) || typed.startsWith(name);
      const isNear = editsBetween(typed, name) <= Math.floor(typed.length / 3);
      expect(nearNames(typed, [name])).toStrictEqual(isNear || beginsAlike ? [name] : []);
    }),
    { numRuns: 2_000 },
  );
});

test('fewer edits come first, names that begin alike last', () => {
  expect(nearNames('abcdef', ['abcdefghi', 'abxxef', 'abcxef', 'abdcef'])).toStrictEqual([
    'abcxef',
    'abdcef',
    'abxxef',
    'abcdefghi',
  ]);
});

test('names with a common prefix are similar, unless too short', () => {
  expect(nearNames('ab', ['abcdefgh'])).toStrictEqual(['abcdefgh']);
  expect(nearNames('a', ['abcdefgh'])).toStrictEqual([]);
  expect(nearNames('abcdefgh', ['abc', 'ab'])).toStrictEqual(['abc']);
});

test('a name differing in case or separators is suggested alone', () => {
  expect(nearNames('read file', ['read_file', 'readfile', 'ReadFile', 'readfiles'], 2)).toStrictEqual([
    'ReadFile',
    'read_file',
  ]);
});

test('a duplicate name is suggested once', () => {
  expect(nearNames('users', ['user', 'user'])).toStrictEqual(['user']);
});

test('names of up to 200 characters are compared', () => {
  const long = (length: number): string => 'a'.repeat(length);
  expect(nearNames(long(200), [long(199), long(201)])).toStrictEqual([long(199)]);
  expect(nearNames(long(201), [long(199), long(201)])).toStrictEqual([]);
});

test('for very many names only a common prefix counts', () => {
  const others = Array.from({ length: 200 }, (_, i) => `${'b'.repeat(196)}${1000 + i}`);
  const [close, begins] = [`${'a'.repeat(199)}x`, `${'a'.repeat(150)}`];
  expect(nearNames('a'.repeat(200), [close, begins])).toStrictEqual([close, begins]);
  expect(nearNames('a'.repeat(200), [...others, close, begins])).toStrictEqual([begins]);
});
