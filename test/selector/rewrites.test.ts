import { expect, test } from 'vitest';
import {
  mayBeList,
  mayBeRevisionPath,
  pathRewrites,
  targetRewrites,
  withFragment,
} from '../../src/selector/rewrites.ts';

test.each([
  ['a.ts', []],
  [' a.ts ', []],
  [' "a.ts" ', ['a.ts']],
  ['"a b.ts"', ['a b.ts']],
  ["'a b.ts'", ['a b.ts']],
  ['`a.ts`', ['a.ts']],
  ['@"a b.ts"', ['a b.ts']],
  ['"a b.ts":5-9', ['a b.ts:5-9']],
  ['my\\ file.txt', ['my file.txt', 'my/ file.txt']],
  ['a\\(1\\).txt', ['a(1).txt', 'a/(1/).txt']],
  ['src\\app.ts', ['src/app.ts']],
  ['C:\\src\\app.ts', []],
  ['"', []],
  ['""', []],
  ['x"a.ts"', []],
  ['"a.ts"x', []],
  ['d\\C:x', ['d/C:x']],
])('%j may also be %j', (typed, others) => {
  expect(pathRewrites(typed)).toEqual(others);
});

test.each([
  ['a.ts#L10', 'a.ts:10:1'],
  ['a.ts#10', 'a.ts:10:1'],
  ['a.ts#L10C33', 'a.ts:10:1'],
  ['a.ts#L10-L20', 'a.ts:10-20'],
  ['a.ts#L10-20', 'a.ts:10-20'],
  ['a.ts#L10..L20', 'a.ts:10-20'],
  ['a.ts#L10C3-L20C5', 'a.ts:10-20'],
  ['a.ts(12)', 'a.ts:12:1'],
  ['a.ts(12, 55)', 'a.ts:12:1'],
  ['a.ts(12,5):', 'a.ts:12:1'],
  ['File "x.py", line 12', 'x.py:12:1'],
  ['File "x.py", line 12, in main', 'x.py:12:1'],
  ['x.py, line 12', 'x.py:12:1'],
  ['a.ts lines 5-10', 'a.ts:lines 5-10'],
  ['a b.ts (lines 5 to 10)', 'a b.ts:lines 5 to 10'],
  ['at run (a.ts:10:5)', 'a.ts:10:5'],
  ['--> a.ts:10:5', 'a.ts:10:5'],
  ['a.zip:dir/x.ts#L3', 'a.zip:dir/x.ts:3:1'],
  ['a.ts#Server.start', 'a.ts:#Server.start'],
])('%j may also be %j', (typed, other) => {
  expect(targetRewrites(typed, () => false)).toContain(other);
});

test.each(['a.ts', 'a.ts:12', 'a\nb.ts(12)', 'File "x.py", line 12 of', 'a.ts lines', '"a"x.py", line 12'])(
  '%j is nothing else',
  (typed) => {
    expect(targetRewrites(typed, () => false)).toEqual([]);
  },
);

test.each([
  ['a.zip/dir/x.ts', ['a.zip:dir/x.ts']],
  ['d/a.zip/dir/x.ts:5-9', ['d/a.zip:dir/x.ts:5-9']],
  ['/a.zip/x.ts', ['/a.zip:x.ts']],
  ['a.zip//x.ts', ['a.zip:/x.ts']],
  ['a.zip/', []],
  ['a/b.ts', []],
  [
    'a.zip/x.ts#L3',
    ['a.zip/x.ts:3:1', 'a.zip/x.ts:#L3', 'a.zip:x.ts#L3', 'a.zip:x.ts:3:1', 'a.zip:x.ts:#L3'],
  ],
])('%j may also be %j', (typed, others) => {
  expect(targetRewrites(typed, (name) => name.endsWith('.zip'))).toEqual(others);
});

test.each([
  [' a.ts', ['a.ts']],
  ['a.ts:5\n', ['a.ts:5']],
  ['a.ts:5\r\n\n', ['a.ts:5']],
  ['a.ts:5\n ', []],
  ['xfile:/d/a.ts', []],
  ['file://d/a.ts', []],
  ['file:/d/a.ts:5', ['/d/a.ts:5']],
])('%j may also be %j', (typed, others) => {
  expect(targetRewrites(typed, () => false)).toEqual(others);
});

test.each([
  ['file:///d/a.ts#L5', 'file:///d/a.ts:5:1'],
  ['file:///d/a%20b.ts#L5-L9', 'file:///d/a%20b.ts:5-9'],
  ['file:///d/a.ts#5', 'file:///d/a.ts:5:1'],
  ['file:///d/a.ts#name', 'file:///d/a.ts:#name'],
  ['file:///d/a.ts:#name', 'file:///d/a.ts:#name'],
  ['file:///d/a.ts:#L5', 'file:///d/a.ts:#L5'],
  ['file:///d/a%23L5.ts', 'file:///d/a%23L5.ts'],
  ['a.ts#L5', 'a.ts#L5'],
  ['xfile:///d/a.ts#L5', 'xfile:///d/a.ts#L5'],
])('%j is %j', (typed, target) => {
  expect(withFragment(typed)).toBe(target);
});

test('of very many container ends the first ones are tried', () => {
  const found = targetRewrites('a.zip/'.repeat(1_000), (name) => name.endsWith('.zip'));
  expect(found).toHaveLength(64);
  expect(found[0]?.startsWith('a.zip:a.zip/')).toBe(true);
});

test('what is longer than any path is not rewritten', () => {
  expect(pathRewrites(`"${'a'.repeat(16_384)}"`)).toEqual([]);
  expect(targetRewrites(`a.zip/${'a'.repeat(16_384)}`, (name) => name.endsWith('.zip'))).toEqual([]);
});

test('a name alone is looked for below the working directory', () => {
  const others = (typed: string): string[] => targetRewrites(typed, () => false);
  expect(others('#name')).toEqual(['.:#name']);
  expect(others('#_x')).toEqual(['.:#_x']);
  expect(others('#$x')).toEqual(['.:#$x']);
  expect(others('#\u00e9t\u00e9')).toEqual(['.:#\u00e9t\u00e9']);
  expect(others('#1')).toEqual([]);
});

test('a container is known by its name alone', () => {
  expect(targetRewrites('/a.zip/x', (name) => name === 'a.zip')).toEqual(['/a.zip:x']);
  expect(targetRewrites('d/a.zip/x', (name) => name === 'a.zip')).toEqual(['d/a.zip:x']);
});

test('the longest path that is written in another way', () => {
  const name = 'a'.repeat(16_382);
  expect(pathRewrites(`"${name}"`)).toEqual([name]);
  expect(pathRewrites(`"${name}a"`)).toEqual([]);
  expect(targetRewrites(`"${name}"`, () => false)).toEqual([name]);
});

test.each(['a,b', 'a;b', 'a|b', 'a b', 'a\nb'])('%j may be a list', (target) => {
  expect([mayBeList(target), mayBeList(' ab\n')]).toEqual([true, false]);
});

test.each(['HEAD:a.ts', 'v1.0:src/a b', 'feature/x:', 'main~2:a', 'x1:c:/d', 'é:a', 'ab:/c', 'a:b://c'])(
  '%j may be a path at a revision',
  (target) => expect(mayBeRevisionPath(target)).toBe(true),
);

test.each(
  'HEAD|:a|C:/a|c:\\a|http://x|a b:c| a:b|.x:a|/a:b|~/a:b|-a:b|^a:b|?a:b|*a:b|[a:b|\\a:b|a*:b|a?:b|a[0]:b|a\\b:c|\na:b'.split(
    '|',
  ),
)('%j is no path at a revision', (target) => {
  expect(mayBeRevisionPath(target)).toBe(false);
});
