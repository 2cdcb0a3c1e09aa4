/** Which files a module means. */

import { expect, test } from 'vitest';
import { ModuleResolver } from '../../../src/code/codebase/paths.ts';

const paths = ['util.ts', 'd/a.ts', 'd/util.ts', 'd/e/b.py', 'models.py'];
const found = (module: string, from: string): string[] =>
  new ModuleResolver(paths, 'top').filesOf(module, from).map((file) => paths[file] as string);

test('a relative module is a file inside the tree only', () => {
  expect(found('../util', 'd/a.ts')).toEqual(['util.ts']);
  expect(found('./util', 'd/a.ts')).toEqual(['d/util.ts']);
  expect(found('./e/../util.js', 'd/a.ts')).toEqual(['d/util.ts']);
  expect(found('../../util', 'd/a.ts')).toEqual([]);
  expect(found('../util', 'util.ts')).toEqual([]);
  expect(found('../d/util', 'util.ts')).toEqual([]);
  expect(found('...models', 'd/e/b.py')).toEqual(['models.py']);
  expect(found('....models', 'd/e/b.py')).toEqual([]);
});
