/** Names of many files in few bytes. */

import { expect, test } from 'vitest';
import { NameLines } from '../../src/codebase/name-lines.ts';

function linesOf(...paths: string[]): string[] {
  const names = new NameLines(paths);
  paths.forEach((_, file) => names.add(file));
  return names.without(new Set());
}

test('files of one ending in a directory share a line; others stand with their endings', () => {
  expect(linesOf('src/a.ts', 'src/b.ts', 'src/README.md', 'LICENSE', 'src/c.test.ts')).toEqual([
    'src/*.ts: a b c.test',
    'src/: README.md',
    './: LICENSE',
  ]);
});

test('files of one name in directories beside each other share a line', () => {
  expect(linesOf('rules/x/index.js', 'rules/y/index.js', 'rules/z/index.js', 'rules/z/more.js')).toEqual([
    'rules/*/index.js: x y z',
    'rules/z/: more.js',
  ]);
  expect(linesOf('a/index.js', 'b/index.js', 'c/index.js')).toEqual(['./*/index.js: a b c']);
});

test('dot files and names without an ending are whole', () => {
  expect(linesOf('.npmrc', '.gitignore', 'Makefile')).toEqual(['./: .npmrc .gitignore Makefile']);
});

test('its bytes are those of its lines, and files that stand elsewhere are left out', () => {
  const paths = ['src/a.ts', 'src/größe.ts', 'lib/x/index.ts', 'lib/y/index.ts', 'lib/z/index.ts', 'README'];
  const names = new NameLines(paths);
  paths.forEach((_, file) => names.add(file));
  const text = names
    .without(new Set())
    .map((line) => `${line}\n`)
    .join('');
  expect(names.bytes).toBeGreaterThanOrEqual(Buffer.byteLength(text));
  expect(names.bytes).toBeLessThanOrEqual(Buffer.byteLength(text) + names.count);
  expect(names.without(new Set([0, 5]))).toEqual(['src/*.ts: größe', 'lib/*/index.ts: x y z']);
});
