/**
 * A glob in a path: the error names the call that finds what was meant, and that call works.
 *
 * @module-tag slow
 */

import { describe, expect, test } from 'vitest';
import { place } from '../support/dialect.ts';

type Input = Record<string, unknown>;
type DialectName = Parameters<typeof place>[0];

function tree(dialect: DialectName) {
  const made = place(dialect);
  for (const path of [
    'top.ts',
    'src/a.ts',
    'src/a.js',
    'src/deep/b.ts',
    'lib/x/src/index.ts',
    'lib/y/src/other.js',
    'my src/q.ts',
  ])
    made.write(path, 'x\n');
  return made;
}

const lines = (found: string): string => found.replaceAll('\n', ' ').replaceAll(':1: x', '');

describe.each<DialectName>(['oriel', 'pi'])('%s', (dialect) => {
  async function leadsTo(tool: string, input: Input, message: string, next: Input, found: string) {
    const { call } = tree(dialect);
    const { text, details } = await call(tool, input);
    expect(text).toBe(`${String(input['path'])} does not exist${message}`);
    expect(JSON.parse((details['error'] as { next: string }).next)).toEqual(next);
    const { text: again, isError } = await call(tool, next);
    expect(isError).toBe(false);
    expect(lines(again).replace(/ ?\[.*$/, '')).toBe(found);
  }

  const inLib = { path: 'lib', glob: '{*/src,*/src/**}' };
  const inBoth = { path: '.', glob: '{src/*.js,lib/*/*/*.js}' };
  const odd = { path: 'src', glob: '{\\[a*,\\[a*/**}' };
  test.each<[path: string, more: Input, next: Input, found: string]>([
    ['src/*.ts', {}, { path: 'src', glob: '*.ts' }, 'src/a.ts src/deep/b.ts'],
    [
      '*.ts',
      { ignoreCase: true, limit: 9 },
      { path: '.', glob: '*.ts' },
      'lib/x/src/index.ts my src/q.ts src/a.ts src/deep/b.ts top.ts',
    ],
    ['lib/*/src', {}, inLib, 'lib/x/src/index.ts lib/y/src/other.js'],
    ['src/*.ts', { glob: 'a*' }, { path: 'src' }, 'src/a.js src/a.ts'],
    ['lib/*/src', { glob: 'lib/x/**' }, { path: 'lib' }, 'lib/x/src/index.ts'],
    ['src/*.js, lib/*/*/*.js', {}, inBoth, 'lib/y/src/other.js src/a.js'],
    ['src\\*.ts', {}, { path: 'src', glob: '*.ts' }, 'src/a.ts src/deep/b.ts'],
    ['src/[a*', {}, odd, 'No matches found'],
  ])('grep in %j with %j', async (path, more, next, found) => {
    const { glob } = next as { glob?: string };
    const use = glob === undefined ? ', and the call has one. Use path=' : '. Use path=';
    const message = `; a glob is a field of its own${use}${String(next['path'])}${glob === undefined ? '.' : ` with the glob ${glob}.`}`;
    const input = { pattern: 'x', path, ...more };
    await leadsTo('grep', input, message, { ...input, ...next }, found);
  });

  test('find and ls take one directory', async () => {
    const find = '; the path of find is one directory. Use path=src.';
    const src = { pattern: '*.ts', path: 'src' };
    await leadsTo('find', { ...src, path: 'src/*' }, find, src, 'src/a.ts src/deep/b.ts');
    const ls = ': a directory is listed as a whole. Use src.';
    await leadsTo('ls', { path: 'src/*', limit: 2 }, ls, { path: 'src', limit: 2 }, 'a.js a.ts');
  });

  test.each<[string, Input, string, string]>([
    ['ls', { path: '*.ts' }, '*.ts does not exist: ls takes no glob. Use find {"pattern":"*.ts"}.', 'top.ts'],
    [
      'ls',
      { path: 'my src/*.ts' },
      'my src/*.ts does not exist: ls takes no glob. Use find {"pattern":"/*.ts","path":"my src"}.',
      'my src/q.ts',
    ],
    [
      'read',
      { path: 'lib/x/src/*.ts' },
      'lib/x/src/*.ts does not exist. Use find {"pattern":"/*.ts","path":"lib/x/src"} for the files that match',
      'lib/x/src/index.ts',
    ],
    [
      'read',
      { path: '*.js' },
      '*.js does not exist. Use find {"pattern":"*.js"} for the files that match',
      'src/a.js',
    ],
  ])('%s %j names find', async (tool, input, message, found) => {
    const { call } = tree(dialect);
    const { text } = await call(tool, input);
    expect(text).toContain(message);
    const named = JSON.parse(/find (\{.*?\})/.exec(text)?.[1] ?? '') as Input;
    expect((await call('find', named)).text.split('\n')).toContain(found);
  });

  test('a directory outside the working directory is in find’s path', async () => {
    const { call, folder } = tree(dialect);
    const { text } = await call('read', { path: `${folder}/src/*.j?` });
    const pattern = { pattern: '/*.j?', path: `${folder}/src` };
    expect(text).toContain(` Use find ${JSON.stringify(pattern)} for the files that match`);
    expect((await call('find', pattern)).text).toBe('src/a.js');
  });

  test('no call names a directory that does not exist', async () => {
    const { call } = tree(dialect);
    for (const tool of ['grep', 'find', 'ls'])
      expect((await call(tool, { path: 'nope/*.ts', ...(tool !== 'ls' && { pattern: 'x' }) })).text).toBe(
        'nope/*.ts does not exist. Use . to list the working directory.',
      );
  });
});

test('a sentence does not repeat a long glob', async () => {
  const { text } = await tree('oriel').call('grep', {
    pattern: 'x',
    path: 'lib/*/src',
    glob: 'a'.repeat(60_000),
  });
  expect(text).toBe(
    'lib/*/src does not exist; a glob is a field of its own, and the call has one. Use path=lib.',
  );
});

test('find by words keeps them', async () => {
  const { text, details } = await tree('oriel').call('find', { symbol: 'store', path: 'src/*' });
  expect(text).toBe('src/* does not exist; the path of find is one directory. Use path=src.');
  expect(details['error']).toMatchObject({ next: '{"symbol":"store","path":"src"}' });
});

test.each<[DialectName, string]>([
  ['zed', 'read_file'],
  ['zdx', 'read'],
])('%s has no find, and names none', async (dialect, tool) => {
  const { text } = await tree(dialect).call(tool, { path: 'lib/x/src/*.ts' });
  expect(text).toContain('lib/x/src/*.ts does not exist. Use a path in lib/x/src, the nearest directory.');
});

describe('a selector behind a path that is not read', () => {
  test.each<[DialectName, string, Input, string, string | undefined]>([
    [
      'oriel',
      'ls',
      { path: 'src:outline' },
      'src:outline has a selector: only whole directories are listed. Use read src:outline.',
      'src:outline',
    ],
    [
      'oriel',
      'find',
      { pattern: '*', path: 'src:outline' },
      'src:outline has a selector: only whole directories are searched. Use src.',
      '{"pattern":"*","path":"src"}',
    ],
    [
      'oriel',
      'find',
      { pattern: '*', path: 'src/a.ts:1' },
      'src/a.ts:1 has a selector: only whole directories are searched. Use src.',
      '{"pattern":"*","path":"src"}',
    ],
    [
      'pi',
      'ls',
      { path: 'src:outline' },
      'src:outline has a selector: only whole directories are listed.',
      undefined,
    ],
  ])('%s %s %j', { tags: 'slow' }, async (dialect, tool, input, message, next) => {
    const { call } = tree(dialect);
    const { text, details } = await call(tool, input);
    expect({ text, next: (details['error'] as { next?: string }).next }).toEqual({ text: message, next });
    if (next === undefined) return;
    const again = next.startsWith('{')
      ? await call(tool, JSON.parse(next) as Input)
      : await call('read', { path: next });
    expect(again.isError).toBe(false);
  });
});
