/** Names of many files in few bytes. */

import { expect, test } from 'vitest';
import { NameLines } from '../../src/codebase/name-lines.ts';

function linesOf(...paths: string[]): string[] {
  const names = new NameLines(paths);
  paths.forEach((_, file) => names.add(file));
  return names.without(new Set());
}

function textOf(...paths: string[]): string {
  return linesOf(...paths)
    .map((line) => `${line}\n`)
    .join('');
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

test('lines that begin with the same long directory stand below it', () => {
  expect(
    linesOf(
      'android/src/main/java/a/one.kt',
      'android/src/main/java/a/two.kt',
      'android/src/main/java/README',
      'src/x.ts',
      'android/src/main/java/b/three.kt',
      'android/src/main/java/four.kt',
      'android/src/main/java/five.kt',
      'android/build.gradle',
      'a/long/directory/alone/six.kt',
    ),
  ).toEqual([
    'android/src/main/java/',
    '  a/*.kt: one two',
    '  ./: README',
    '  b/: three.kt',
    '  *.kt: four five',
    'src/: x.ts',
    'android/: build.gradle',
    'a/long/directory/alone/: six.kt',
  ]);
});

test('dot files and names without an ending are whole', () => {
  expect(linesOf('.npmrc', '.gitignore', 'Makefile')).toEqual(['./: .npmrc .gitignore Makefile']);
});

const odd = [
  'my file.ts',
  'my.ts',
  'file.ts',
  'a: b.ts',
  'dir/*.ts',
  "it's.ts",
  'dir/x.ts',
  'dir/y.ts',
  'a\nb.ts',
  'My Project/one.ts',
  'My Project/two.ts',
  ' src/z.ts',
  'p q/index.js',
  'p/index.js',
  'r/index.js',
];

test('a path that could be read in two ways is quoted, on a line of its own', () => {
  expect(linesOf(...odd)).toEqual([
    "'my file.ts'",
    './*.ts: my file a\\nb',
    "'a: b.ts'",
    "'dir/*.ts'",
    "'it'\\''s.ts'",
    'dir/*.ts: x y',
    'My Project/*.ts: one two',
    "' src/z.ts'",
    'p q/: index.js',
    'p/: index.js',
    'r/: index.js',
  ]);
  // Two files whose names look the same have a line each.
  expect(linesOf('a b\n', 'a b\\n')).toEqual(["'a b\\n'", "'a b\\n'"]);
});

test('its bytes are those of its lines, and files that stand elsewhere are left out', () => {
  const paths = ['src/a.ts', 'src/größe.ts', 'lib/x/index.ts', 'lib/y/index.ts', 'lib/z/index.ts', 'README'];
  const deep = [
    'deep/größe/here/a.ts',
    'deep/größe/here/b.ts',
    'deep/größe/here/c/d.ts',
    'deep/größe/here/e',
  ];
  expect(textOf(...deep)).toContain('deep/größe/here/\n  *.ts: a b\n');
  for (const some of [paths, deep, [...deep, ...paths], odd, [...deep, ...odd]]) {
    const all = new NameLines(some);
    some.forEach((_, file) => all.add(file));
    expect(all.bytes).toBe(Buffer.byteLength(textOf(...some)));
    expect(all.count).toBe(textOf(...some).split('\n').length - 1);
  }
  const names = new NameLines(paths);
  paths.forEach((_, file) => names.add(file));
  expect(names.without(new Set([0, 5]))).toEqual(['src/*.ts: größe', 'lib/*/index.ts: x y z']);
});
