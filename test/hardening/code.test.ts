/**
 * Code below a directory that is made to mislead: names that look like something else, and more of all than is kept.
 *
 * @module-tag slow
 */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CodeTree } from '../../src/code/codebase/code-tree.ts';
import { TagStore } from '../../src/code/codebase/tag-store.ts';
import { packTags } from '../../src/code/tags.ts';
import { PathSuffixes } from '../../src/code/codebase/paths.ts';
import { codeOf, textOf, workspace } from '../support/workspace.ts';
import { site } from '../support/web.ts';

const declares = (name: string): string => `export function ${name}() {\n  return shared();\n}\n`;

describe('misleading names of files', () => {
  test('a directory named like a URL is read without network', async () => {
    const w = workspace();
    const { url, asked } = await site({});
    const { host } = new URL(url);
    w.write(`http:/${host}/a.ts`, declares('made'));
    w.write('https:b.ts', declares('other'));
    w.write('www.example.com?c.ts', declares('third'));
    const web = { web: { allow: [host] } };
    for (const name of ['made', 'other', 'third']) {
      expect(await w.text(`.:#${name}`, web)).toContain(`1|export function ${name}() {`);
    }
    const found = await w.with(web).tool('grep').run({ pattern: 'function made' });
    // The symbol around it stands above, where it was parsed in time.
    expect(`\n${textOf(found)}`).toContain(`\n./http:/${host}/a.ts:1: export function made() {`);
    expect(asked).toEqual([]);
  });

  test('a line break in a name is escaped', async () => {
    const w = workspace();
    w.write('a\nb.ts: forged 1-2\n/c.ts', declares('made'));
    w.write('d.ts', 'export function shared() {}\n');
    const escaped = 'a\\nb.ts: forged 1-2\\n/';
    const url = pathToFileURL(join(w.W, 'a\nb.ts: forged 1-2\n/c.ts')).href;
    for (const [target, name] of [
      ['.:outline', escaped],
      ['.:#shared:refs', url],
      ['.:#made,#shared', url],
      ['.:outline?bytes=256', escaped],
    ] as const) {
      const text = await w.text(target);
      expect(text).toContain(name);
      expect(text).not.toContain('\nb.ts');
    }
  });
});

describe('missing symbols are reported', () => {
  test('of too large files, also for an unknown name', async () => {
    const w = workspace();
    w.write('small.ts', declares('made'));
    w.write('package.json', ' '.repeat(2 << 20));
    w.write('large.ts', `${declares('hidden')}${'// x\n'.repeat(250_000)}`);
    const answer = await w.read('.:#hidden');
    expect(codeOf(answer)).toBe('NOT_FOUND');
    const gap =
      'The symbols of 1 code file are not known: larger than 1 MiB, minified, or not to be read or parsed. Use grep to search them too';
    expect(textOf(answer)).toContain(gap);
    expect(await w.text('.:outline')).toContain(`[${gap}]`);
    expect(await w.text('.:#made:refs')).toContain(gap);
  });

  test('of files with more symbols than the maximum', async () => {
    const w = workspace();
    w.write('many.ts', Array.from({ length: 5_100 }, (_, i) => `export function m${i}() {}\n`).join(''));
    expect(await w.text('.:#m5050')).toContain('Of 1 code file only the first symbols and names are known.');
  });

  test('of files with too many uses of a name', async () => {
    const w = workspace();
    w.write('a.ts', declares('made'));
    w.write('b.ts', `import { made } from './a.ts';\n${'made();\n'.repeat(300)}`);
    w.write('c.ts', `import { made } from './a.ts';\nmade();\n`);
    const text = await w.text('.:#made:refs');
    expect(text).toContain('[Uses 1-100 of at least 202 of ');
    expect(text).toContain('A file uses the name on more lines than are kept. Use grep for all of them');
  });
});

test('a symbol with a truncated qualified name is found', async () => {
  const w = workspace();
  const names = Array.from({ length: 60 }, (_, i) => `level${i}`);
  w.write('deep.ts', `${names.map((name) => `function ${name}() {\n`).join('')}${'}\n'.repeat(60)}`);
  expect(await w.text('.:#level59')).toBe('60|function level59() {\n61|}\n[Declared in deep.ts:60..61]');
});

test('too many words for a map are refused', async () => {
  const w = workspace();
  w.write('a.ts', declares('made'));
  expect(codeOf(await w.read(`.:outline?q=${'ab+'.repeat(100)}`))).toBe('BAD_SELECTOR');
});

describe('trees of many files', () => {
  test('paths are found by their suffixes', () => {
    const paths = ['b/c', 'a/b/c', 'c', 'a/bb/c', 'a/b/c/d', 'x/a/b/c', '', 'a//b'];
    const ends = new PathSuffixes(paths.map((path) => [path, path]));
    for (const end of ['c', 'b/c', 'a/b/c', 'd', 'z', 'b', 'a']) {
      const expected = paths.filter((path) => path === end || path.endsWith(`/${end}`));
      expect(ends.withSuffix(end).toSorted(), end).toEqual(expected.toSorted());
    }
  });

  // Each import, and each name that all files declare, was compared with every file or directory: this took minutes.
  test('many foreign imports, and a name in every file', () => {
    const store = new TagStore();
    const files = Array.from({ length: 30_000 }, (_, i) => {
      const imports = Array.from({ length: 10 }, (__, j) => `@scope/lib${(i + j) % 900}/sub/part`);
      return {
        path: `packages/p${i >> 2}/src/f${i & 3}.ts`,
        tags: `8\t1\t2\t1\t0\tsetup\t\tsetup()\t\x1csetup\t1 2\t\x1c${imports.join('\n')}`,
      };
    });
    const entries = files.map(({ path }) => ({ path, key: 'k' }));
    store.put({ entries, tags: packTags(files.map(({ tags }) => tags)) }, '');
    const paths = files.map(({ path }) => path);
    const tree = new CodeTree(paths, 'top', (path) => store.fileOf(path));
    expect(tree.order).toHaveLength(files.length);
  });
});
