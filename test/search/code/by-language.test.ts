/** The order in which files are parsed. */

import { expect, test } from 'vitest';
import { byLanguage } from '../../../src/search/code/code-below.ts';

test('files are grouped by language in order, none is lost', () => {
  const paths = ['a/one.go', 'a/two.py', 'b/three.go', 'b/LICENSE', 'b/four.py', 'c/five.go', 'c/six'];
  const pathsOf = (wanted: number[]): (string | undefined)[] =>
    Array.from(byLanguage(paths, Uint32Array.from(wanted)), (position) => paths[position]);
  expect(pathsOf([0, 1, 2, 3, 4, 5, 6])).toEqual([
    'a/one.go',
    'b/three.go',
    'c/five.go',
    'a/two.py',
    'b/four.py',
    'b/LICENSE',
    'c/six',
  ]);
  expect(pathsOf([1, 2, 4])).toEqual(['a/two.py', 'b/four.py', 'b/three.go']);
  expect(pathsOf([])).toEqual([]);
});

test('of one language, source code comes before its tests', () => {
  const paths = ['a.test.ts', 'dist/b.ts', 'src/c.ts', 'src/d.py', 'src/e.ts'];
  const order = byLanguage(paths, Uint32Array.from(paths.keys()));
  expect(Array.from(order, (position) => paths[position])).toEqual([
    'src/c.ts',
    'src/e.ts',
    'a.test.ts',
    'dist/b.ts',
    'src/d.py',
  ]);
});
