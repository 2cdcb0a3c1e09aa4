/** Names of many files in few bytes. */

import { expect, test } from 'vitest';
import { NameLines } from '../../../src/code/codebase/name-lines.ts';

const linesOf = (...paths: string[]): string[] => new NameLines(paths, { words: false }).lines(paths.length);
const shortOf = (...paths: string[]): string[] => new NameLines(paths, { words: true }).lines(paths.length);

test('files of one ending in a directory share a line', () => {
  expect(linesOf('src/a.ts', 'src/b.ts', 'src/README.md', 'LICENSE', 'src/c.test.ts')).toEqual([
    'src/*.ts: a b c.test',
    'src/: README.md',
    './: LICENSE',
  ]);
});

test('files of one name in sibling directories share a line', () => {
  expect(linesOf('rules/x/index.js', 'rules/y/index.js', 'rules/z/index.js', 'rules/z/more.js')).toEqual([
    'rules/*/index.js: x y z',
    'rules/z/: more.js',
  ]);
  expect(linesOf('a/index.js', 'b/index.js', 'c/index.js')).toEqual(['./*/index.js: a b c']);
});

test('lines below one long directory stand indented under it', () => {
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
  'dir/{x}.ts',
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

test('an ambiguous path is quoted, on its own line', () => {
  expect(linesOf(...odd)).toEqual([
    "'my file.ts'",
    './*.ts: my file a\\nb',
    "'a: b.ts'",
    "'dir/*.ts'",
    "'dir/{x}.ts'",
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

test('the only name of an ending is shown whole', () => {
  expect(linesOf('src/a.ts', 'src/b.js', 'src/c.ts', 'src/d.md', 'src/deep/e.ts')).toEqual([
    'src/*.ts: a c',
    'src/: b.js d.md',
    'src/deep/: e.ts',
  ]);
});

test('names share their first or last words', () => {
  const hooks = ['useCamera', 'useCameraDevice', 'useFrameOutput', 'usePhotoOutput', 'index'];
  expect(shortOf(...hooks.map((name) => `src/hooks/${name}.ts`))).toEqual([
    'src/hooks/*.ts: use{Camera{,Device},{Frame,Photo}Output} index',
  ]);
  expect(
    shortOf(
      ...['DepthFrame', 'Frame', 'Photo', 'Preview'].map((kind) => `outputs/Hybrid${kind}Output.kt`),
      'outputs/Zoom.kt',
    ),
  ).toEqual(['outputs/*.kt: Hybrid{{Depth,}Frame,Photo,Preview}Output Zoom']);
  expect(
    shortOf('rules/no-var.js', 'rules/no-undef.js', 'rules/no-tabs.js', 'rules/no-else-return.js'),
  ).toEqual(['rules/*.js: no-{var,undef,tabs,else-return}']);
});

test.each([
  ['src/getAll.ts', 'src/get.ts', 'src/*.ts: getAll get'],
  ['a/one,two.ts', 'a/one,three.ts', 'a/*.ts: one,two one,three'],
  ['a/one.ts', 'a/two.ts', 'a/*.ts: one two'],
])('braces for %s and %s would not be shorter, or unclear', (one, other, line) => {
  expect(shortOf(one, other)).toEqual([line]);
});

test('files of one long ending share a line', () => {
  expect(linesOf('src/a.d.ts', 'src/b.d.ts', 'src/c.d.ts', 'src/d.ts', 'src/e.ts')).toEqual([
    'src/*.d.ts: a b c',
    'src/*.ts: d e',
  ]);
});

test.each([
  ['plain', linesOf],
  ['with words', shortOf],
])('every path can be read back from the lines: %s', (_, list) => {
  const paths = [
    ...['a', 'b-c', 'b-d', 'b-d.test', 'README', '.env', 'größe', 'größeÜber'].map(
      (name) => `src/deep/lib/${name}.ts`,
    ),
    ...['HybridOneView', 'HybridTwoView', 'HybridThreeView', 'HybridThree', 'Hybrid', 'View'].map(
      (name) => `src/deep/ui/${name}.kt`,
    ),
    ...['x', 'y', 'z'].flatMap((name) => [`src/rules/${name}/index.js`, `src/rules/${name}/no-${name}.js`]),
    ...odd.filter((path) => !/[*:'"{}]|^\s|\s[^/]*$/.test(path)),
  ];
  expect(pathsIn(list(...paths)).toSorted()).toEqual(paths.toSorted());
});

/** The paths that lines of names list. */
function pathsIn(lines: readonly string[]): string[] {
  let base = '';
  return lines.flatMap((line) => {
    if (line.endsWith('/')) {
      base = line;
      return [];
    }
    const [, indent = '', head = '', names = ''] = /^( *)(.*?): (.*)$/.exec(line) ?? [];
    const pattern = (indent === '' ? '' : base) + head.replace(/^\.\//, '');
    return names
      .split(' ')
      .flatMap((name) => expanded(name))
      .map((name) => (pattern.includes('*') ? pattern.replace('*', () => name) : pattern + name));
  });
}

/** The names that braces stand for, as a shell expands them. The innermost braces contain no others. */
function expanded(name: string): string[] {
  const [, before = '', inner, after = ''] = /^(.*)\{([^{}]*)\}(.*)$/.exec(name) ?? [];
  if (inner === undefined) return name.split('\0');
  // Alternatives of an inner group are alternatives of the group around it, each with what stands beside the inner one.
  const outer = Math.max(before.lastIndexOf('{'), before.lastIndexOf(',')) + 1;
  const end = /[,}]|$/.exec(after)?.index ?? 0;
  const [head, tail] = [before.slice(outer), after.slice(0, end)];
  const all = inner.split(',').map((one) => head + one + tail);
  const isInside = before.slice(0, outer).includes('{');
  return expanded(before.slice(0, outer) + all.join(isInside ? ',' : '\0') + after.slice(end));
}
