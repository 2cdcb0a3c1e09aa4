import { expect, test } from 'vitest';
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
  expect(nearNames(typed, NAMES)).toEqual(near);
});

test('at most five, the nearest first, equally near ones sorted', () => {
  const names = ['name9', 'name1', 'name2', 'name3', 'name4', 'name5', 'nam'];
  expect(nearNames('name', names)).toEqual(['nam', 'name1', 'name2', 'name3', 'name4']);
});

test.each([
  [[], ''],
  [['a'], ' Did you mean a?'],
  [['a', 'b'], ' Did you mean a or b?'],
  [['a', 'b', 'c'], ' Did you mean a, b or c?'],
])('%j: %j', (names, said) => {
  expect(didYouMean(names)).toBe(said);
});

test('of one letter no other is near', () => {
  expect(nearNames('a', ['g', 'b', 'A'])).toEqual(['A']);
  expect(nearNames('-x', ['g'])).toEqual([]);
});
