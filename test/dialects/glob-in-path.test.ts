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
  test.each<[string, Input, string, Input, string]>([
    [
      'grep',
      { pattern: 'x', path: 'src/*.ts' },
      'src/*.ts does not exist; a glob is a field of its own. Use path=src with the glob *.ts.',
      { pattern: 'x', path: 'src', glob: '*.ts' },
      'src/a.ts src/deep/b.ts',
    ],
    [
      'grep',
      { pattern: 'x', path: '*.ts', ignoreCase: true, limit: 9 },
      '*.ts does not exist; a glob is a field of its own. Use path=. with the glob *.ts.',
      { pattern: 'x', path: '.', ignoreCase: true, limit: 9, glob: '*.ts' },
      'lib/x/src/index.ts my src/q.ts src/a.ts src/deep/b.ts top.ts',
    ],
    [
      'grep',
      { pattern: 'x', path: 'lib/*/src' },
      'lib/*/src does not exist; a glob is a field of its own. Use path=lib with the glob {*/src,*/src/**}.',
      { pattern: 'x', path: 'lib', glob: '{*/src,*/src/**}' },
      'lib/x/src/index.ts lib/y/src/other.js',
    ],
    [
      'grep',
      { pattern: 'x', path: 'src/*.ts', glob: 'a*' },
      'src/*.ts does not exist; a glob is a field of its own, and the call has one. Use path=src.',
      { pattern: 'x', path: 'src', glob: 'a*' },
      'src/a.js src/a.ts',
    ],
    [
      'grep',
      { pattern: 'x', path: 'lib/*/src', glob: 'lib/x/**' },
      'lib/*/src does not exist; a glob is a field of its own, and the call has one. Use path=lib.',
      { pattern: 'x', path: 'lib', glob: 'lib/x/**' },
      'lib/x/src/index.ts',
    ],
    [
      'grep',
      { pattern: 'x', path: 'src/*.js, lib/*/*/*.js' },
      'src/*.js, lib/*/*/*.js does not exist; a glob is a field of its own. Use path=. with the glob {src/*.js,lib/*/*/*.js}.',
      { pattern: 'x', path: '.', glob: '{src/*.js,lib/*/*/*.js}' },
      'lib/y/src/other.js src/a.js',
    ],
    [
      'grep',
      { pattern: 'x', path: 'src\\*.ts' },
      'src\\*.ts does not exist; a glob is a field of its own. Use path=src with the glob *.ts.',
      { pattern: 'x', path: 'src', glob: '*.ts' },
      'src/a.ts src/deep/b.ts',
    ],
    [
      'find',
      { pattern: '*.ts', path: 'src/*' },
      'src/* does not exist; the path of find is one directory. Use path=src.',
      { pattern: '*.ts', path: 'src' },
      'src/a.ts src/deep/b.ts',
    ],
    [
      'grep',
      { pattern: 'x', path: 'src/[a*' },
      'src/[a* does not exist; a glob is a field of its own. Use path=src with the glob {\\[a*,\\[a*/**}.',
      { pattern: 'x', path: 'src', glob: '{\\[a*,\\[a*/**}' },
      'No matches found',
    ],
    [
      'ls',
      { path: 'src/*', limit: 2 },
      'src/* does not exist: a directory is listed as a whole. Use src.',
      { path: 'src', limit: 2 },
      'a.js a.ts',
    ],
  ])('%s %j', async (tool, input, message, next, found) => {
    const { call } = tree(dialect);
    const { text, details } = await call(tool, input);
    expect({ text, next: JSON.parse((details['error'] as { next: string }).next) as Input }).toEqual({
      text: message,
      next,
    });
    const { text: again, isError } = await call(tool, next);
    expect(isError).toBe(false);
    expect(lines(again).replace(/ ?\[.*$/, '')).toBe(found);
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
