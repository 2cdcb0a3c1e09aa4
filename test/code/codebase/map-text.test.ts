/** What a map of a directory takes of its budget, whatever its symbols lie in. */

import { expect, test } from 'vitest';
import { mapText } from '../../../src/code/codebase/map.ts';
import { TagStore } from '../../../src/code/codebase/tag-store.ts';
import { CodeTree } from '../../../src/code/codebase/code-tree.ts';
import { packTags } from '../../../src/code/tags.ts';

const tag = (from: number, name: string, scope = ''): string =>
  ['8', from, from + 2, from, scope === '' ? 0 : 1, name, scope, `${name}()`, ''].join('\t');

/** Methods that stand outside of their type, with functions between them, as in Go, Rust and C++. */
function apart(file: number): string {
  const owner = `Controller${file}`;
  const tags = [tag(1, owner)];
  for (let i = 0; i < 30; i += 1) {
    tags.push(tag(10 * i + 5, `handle${i}`, `${owner}.`));
    if (i % (1 + (file % 3)) === 0) tags.push(tag(10 * i + 8, `größe${i}`));
  }
  return `${tags.join('\n')}\x1c\x1c`;
}

function treeOf(files: number, directory?: string): CodeTree {
  const store = new TagStore();
  const paths = Array.from({ length: files }, (_, i) => `${directory ?? `pkg${i % 7}/sub`}/file${i}.go`);
  const entries = paths.map((path) => ({ path, key: 'k' }));
  store.put({ entries, tags: packTags(paths.map((_, i) => apart(i))) }, '');
  return new CodeTree(paths, 'top', (path) => store.fileOf(path));
}

test.each([3, 40, 160])('a map of %d files stays within bytes and lines', (files) => {
  const tree = treeOf(files);
  const recent = new Float64Array(files);
  for (const bytes of [256, 1_000, 4_096, 8_192, 20_000, 32_768, 48_000]) {
    for (const lines of [5, 3_000]) {
      const { text, symbols } = mapText(tree, { bytes, lines, from: 0, words: [], recent });
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(bytes);
      expect(text.split('\n').length - 1).toBeLessThanOrEqual(lines);
      expect(symbols).toBeGreaterThan(bytes < 1_000 ? -1 : 0);
      // Most of the room is used where there is more to tell.
      if (files === 160 && lines > 5 && bytes > 4_000)
        expect(Buffer.byteLength(text)).toBeGreaterThan(0.9 * bytes);
    }
  }
});

test.each([
  [130, true],
  [170, false],
])('in 1,300 bytes all of %d files are named: %s', (files, isAll) => {
  const tree = treeOf(files);
  const map = mapText(tree, {
    bytes: 1_300,
    lines: 3_000,
    from: 0,
    words: [],
    recent: new Float64Array(files),
  });
  expect(map.named === files).toBe(isAll);
  expect(map.symbols).toBeGreaterThan(0);
});

test('files with symbols stand below their long directory', () => {
  const recent = new Float64Array(3);
  const { text } = mapText(treeOf(3, 'packages/core/src'), {
    bytes: 900,
    lines: 9,
    from: 0,
    words: [],
    recent,
  });
  expect(text.replaceAll(/:.*/g, '').split('\n').toSorted()).toEqual([
    '',
    '  file0.go',
    '  file1.go',
    '  file2.go',
    'packages/core/src/',
  ]);
});

const mapOf = (files: Readonly<Record<string, string[]>>, bytes: number): string => {
  const store = new TagStore();
  const paths = Object.keys(files);
  const tags = packTags(paths.map((path) => `${files[path]?.join('\n')}\x1c\x1c`));
  store.put({ entries: paths.map((path) => ({ path, key: 'k' })), tags }, '');
  const tree = new CodeTree(paths, 'top', (path) => store.fileOf(path));
  return mapText(tree, { bytes, lines: 99, from: 0, words: [], recent: new Float64Array(paths.length) }).text;
};

test('a function gives way to those in it that have its lines', () => {
  const at = (from: number, to: number, name: string, scope = ''): string =>
    ['8', from, to, from, scope === '' ? 0 : 1, name, scope, '', ''].join('\t');
  const tags = [at(1, 100, 'outer'), at(3, 98, 'inner', 'outer.'), at(101, 120, 'small')];
  expect(mapOf({ 'a.ts': tags }, 45)).toBe('a.ts: outer.inner 3-98\n');
  expect(mapOf({ 'a.ts': tags }, 99)).toBe('a.ts: outer 1-100, .inner 3-98, small 101-120\n');
});

test('of files that nobody uses the larger one comes first', () => {
  const [few, more] = [[tag(1, 'one')], [tag(1, 'two'), tag(5, 'three'), tag(9, 'four')]];
  expect(mapOf({ 'few.ts': few, 'more.ts': more }, 40)).toMatch(/^.*more.*few/);
});

test('without known changes own code comes before a larger vendored file', () => {
  const large = Array.from({ length: 12 }, (_, i) => tag(4 * i + 1, `n${i}`));
  expect(mapOf({ 'vendor/big.ts': large, 'own.ts': [tag(1, 'one')] }, 40)).toMatch(/^(?:\.\/: )?own/);
});

const many = (path: (i: number) => string): string[] => Array.from({ length: 5_000 }, (_, i) => path(i));

test.each([
  ['words in each place', many((i) => `packages/Camera-View-${i}/index.txt`)],
  ['short words', many((i) => `p/${i % 70}-x${i % 7}-${i}/i`)],
  ['one word many times', many((i) => `src/${'aA'.repeat(20)}${i}.txt`)],
  ['long directories', many((i) => `${'d'.repeat(200)}/${'e'.repeat(200)}/f${i}.txt`)],
  ['deep directories', many((i) => `${'d/'.repeat(i % 500)}f${i}.txt`)],
])('names with %s fill the budget, in bounded time', (_, paths) => {
  const tree = new CodeTree(paths, 'top', () => undefined);
  const recent = new Float64Array(paths.length);
  for (const bytes of [8_192, 47_000]) {
    const map = mapText(tree, { bytes, lines: 3_000, from: 0, words: [], recent });
    expect(Buffer.byteLength(map.text)).toBeLessThanOrEqual(bytes);
    if (map.named < paths.length) expect(Buffer.byteLength(map.text)).toBeGreaterThan(0.8 * bytes);
    expect(map.named).toBeGreaterThan(bytes / 800);
  }
});
