/** Private files through every tool of the library, under every name: nothing of their content, size or symbols is answered. */

import * as fs from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Answer, DialectName } from '../../src/index.ts';
import { commitAll, git } from '../support/git.ts';
import { makePrivateFiles, PRIVATE_FACTS, PRIVATE_RULES, privateCalls } from '../support/private-files.ts';
import { textOf, unhurried, workspace, type Workspace } from '../support/workspace.ts';
import { zip } from '../support/zip.ts';

function place(): Workspace {
  const made = workspace({ deny: PRIVATE_RULES, ...unhurried });
  makePrivateFiles(made);
  return made;
}

function holds(answer: Answer, input: object): void {
  expect(JSON.stringify(answer), JSON.stringify(input)).not.toMatch(PRIVATE_FACTS);
}

async function expectNothing(every: number): Promise<void> {
  const { oriel, W } = place();
  const calls = privateCalls(W).filter((_, i) => i % every === 0);
  for (const { tool, input } of calls) holds(await oriel.tool(tool).run(input), input);
}

test('some names and searches show nothing of private files', () => expectNothing(15));

test('no name and no search shows anything of private files', { tags: 'slow' }, () => expectNothing(1));

async function expectNothingIn(dialect: DialectName): Promise<void> {
  const { W, with: other } = place();
  const oriel = other({ dialect });
  const names = '.env hard.ts soft.ts vault/deep/app.ts pack.tar lib.a lib.ts named.gz'.split(' ');
  for (const { name, run } of oriel.tools) {
    if (name === 'bash') continue;
    for (const path of names) {
      const input =
        name === 'grep'
          ? { pattern: 'm[a]rrow', path }
          : name === 'find'
            ? { pattern: path }
            : { path: join(W, path) };
      holds(await run(input), { name, ...input });
    }
  }
  // Whether a pattern is among the stored bytes is not told either.
  const counted = async (pattern: string): Promise<string> =>
    textOf(await oriel.tool('grep').run({ pattern })).replaceAll(pattern, '');
  if (dialect === 'pi') expect(await counted('marrow')).toBe(await counted('not there'));
}

test('pi shows nothing of private files', () => expectNothingIn('pi'));

test.each(['zed', 'zdx', 'coder'] as const)(
  '%s shows nothing of private files',
  { tags: 'slow' },
  (dialect) => expectNothingIn(dialect),
);

test('other files of the same kind are read', async () => {
  const { write, read, oriel } = place();
  write('bundles.md', '# v2 git bundle\nWhat such a file has.\n');
  write('legacy.txt', Buffer.from('\xfftOc of a book\n', 'latin1'));
  for (const path of [
    'bundles.md',
    'legacy.txt:raw',
    'open.ts',
    'plain.ts:1-1',
    'pack.tar:pub.ts',
    'pack.tgz:inner.tar:ok.txt',
  ])
    expect([path, (await read(path)).isError]).toEqual([path, false]);
  expect(textOf(await oriel.tool('grep').run({ pattern: 'inTheOpen' }))).toContain('open.ts');
});

test('the name of a link is private, and what it leads to is not', async () => {
  const { read } = place();
  expect((await read('names/.env')).details).toMatchObject({ error: { code: 'PRIVATE' } });
  expect((await read('plain.ts')).isError).toBe(false);
});

test('nothing says where a private link leads', async () => {
  const { W, text } = workspace({ deny: ['.env', '*.pem'] });
  fs.symlinkSync('hushHush', join(W, '.env'));
  fs.symlinkSync('.', join(W, 'a.pem'));
  expect(await text('.')).toContain('.env -> ?');
  for (const path of ['.', '.env', '.env/x', 'a.pem']) expect(await text(path)).not.toMatch(/hushHush|-> \./);
});

test('a gzip file is private by what is behind 16 MiB of it', { tags: 'slow' }, async () => {
  const { write, read } = workspace({ deny: ['.env'] });
  const named = Buffer.from(gzipSync('marrow'));
  named[3] = 8;
  const front = gzipSync(Buffer.alloc(17 << 20, 'a line\n'), { level: 0 });
  const second = (name: string): Buffer =>
    Buffer.concat([front, named.subarray(0, 10), Buffer.from(`${name}\0`), named.subarray(10)]);
  write('two.gz', second('.env'));
  write('open.gz', second('env'));
  expect((await read('two.gz')).details).toMatchObject({ error: { code: 'PRIVATE' } });
  expect((await read('open.gz')).isError).toBe(false);
  const packed = zip([{ name: '.env', content: 'marrow' }]);
  write('late.gz', gzipSync(Buffer.concat([Buffer.alloc(17 << 20, 'a line\n'), packed]), { level: 1 }));
  expect((await read('late.gz:1-3')).isError).toBe(false);
  for (const path of ['late.gz:-3', 'late.gz:@17825792+9K'])
    expect((await read(path)).details).toMatchObject({ error: { code: 'PRIVATE' } });
});

test('a zip behind a program is private wherever it is stored', async () => {
  const { W, write, text } = workspace({ deny: ['.env'] });
  const packed = zip([{ name: '.env', content: 'marrow' }]);
  const program = Buffer.concat([Buffer.from('#!/bin/sh\n'), packed]);
  write('short.run', program);
  write('long.run', Buffer.concat([Buffer.from('# a line\n'.repeat(2_000)), packed]));
  write('outer.zip', zip([{ name: 'short.run', content: program }]));
  git(W, 'init', '--quiet', '--initial-branch=main');
  commitAll(W, 'first');
  for (const path of ['short.run:raw', 'long.run:-9', 'outer.zip:short.run:raw'])
    for (const typed of [path, `git://main/${path}`]) expect(await text(typed)).toContain('.env is private');
});
