/** Private files through every tool of the library, under every name: nothing of their content, size or symbols is answered. */

import * as fs from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { Answer } from '../../src/index.ts';
import { tar, type TarEntry } from '../support/tar.ts';
import { textOf, workspace, type Workspace } from '../support/workspace.ts';

/** 4,321 bytes: the number of them is as secret as what they say. */
const SECRET = `export function hushHush(marrow) {}\n${'x'.repeat(4285)}`;
const TOLD = /hushHush|marrow|x{20}|4,?321|4\.2 ?Ki?B|4\.3 ?KB/;

const deny = ['.env', 'vault/', '/conf/keys.ts', 'caf\u00e9.ts', '*.PEM'];

const member = (name: string): TarEntry => ({ name, content: SECRET });

function place(): Workspace {
  const made = workspace({ deny });
  const { W, write } = made;
  for (const path of ['.env', 'sub/.env', 'vault/deep/app.ts', 'conf/keys.ts', 'caf\u00e9.ts', 'Server.pem'])
    write(path, SECRET);
  write('open.ts', 'export function inTheOpen() {}\n');
  fs.linkSync(join(W, '.env'), join(W, 'hard.ts'));
  fs.linkSync(join(W, 'vault/deep/app.ts'), join(W, 'sub/other.ts'));
  fs.symlinkSync('.env', join(W, 'soft.ts'));
  fs.symlinkSync('vault', join(W, 'cellar'));
  fs.symlinkSync('soft.ts', join(W, 'twice.ts'));
  fs.symlinkSync('../vault/deep', join(W, 'sub/down'));
  // The name of a link counts as the name of a file does.
  write('plain.ts', 'const plain = 1;\n');
  fs.mkdirSync(join(W, 'names'));
  fs.symlinkSync('../plain.ts', join(W, 'names/.env'));
  const inner = tar([member('.env'), { name: 'ok.txt', content: 'fine' }]);
  const members = [
    member('.env'),
    member('a/b/.env'),
    member('vault/app.ts'),
    member('./vault/./two.ts'),
    member('conf/keys.ts'),
    { name: 'pub.ts', content: 'export const open = 1;\n' },
    { name: 'alias.ts', flag: '1', link: '.env' },
    { name: 'turn.ts', flag: '2', link: 'a/b/.env' },
    { name: 'inner.tar', content: inner },
  ];
  write('pack.tar', tar(members));
  write('pack.tgz', gzipSync(tar(members)));
  write('.env.gz', gzipSync(SECRET));
  return made;
}

const paths = [
  '.env',
  './.env',
  'sub/../.env',
  '@.env',
  '".env"',
  '.ENV',
  '.Env',
  'sub/.env',
  '.env:1-3',
  '.env:raw',
  '.env:@0+64K',
  '.env:-5',
  '.env:outline',
  '.env:#hushHush',
  '.env#L1',
  '.env:1',
  '.env,open.ts',
  'open.ts,.env',
  'vault',
  'vault/',
  'vault/deep',
  'vault/deep/app.ts',
  'vault/deep/app.ts:#hushHush',
  'vault/deep/app.ts:outline',
  'VAULT/deep/app.ts',
  'deep/app.ts',
  'app.ts',
  'hard.ts',
  'hard.ts:#hushHush',
  'sub/other.ts',
  'soft.ts',
  'twice.ts',
  'cellar',
  'cellar/deep/app.ts',
  'sub/down/app.ts',
  'names/.env',
  'conf/keys.ts',
  'caf\u00e9.ts',
  'cafe\u0301.ts',
  'Server.pem',
  'server.PEM',
  '.',
  '.:outline',
  'sub',
  'conf',
  'names',
  '.:#hushHush',
  'pack.tar',
  'pack.tar:.env',
  'pack.tar:./.env',
  'pack.tar:a/b/.env',
  'pack.tar:a/../.env',
  'pack.tar:.env:raw',
  'pack.tar:.env:@0+64K',
  'pack.tar:%~1',
  'pack.tar:vault/app.ts',
  'pack.tar:vault/two.ts',
  'pack.tar:vault/app.ts:#hushHush',
  'pack.tar:vault',
  'pack.tar:conf/keys.ts',
  'pack.tar:alias.ts',
  'pack.tar:turn.ts',
  'pack.tar:inner.tar',
  'pack.tar:inner.tar:.env',
  'pack.tar:outline',
  'pack.tar:#hushHush',
  'pack.tgz',
  'pack.tgz:.env',
  'pack.tgz:alias.ts',
  'pack.tgz:vault/app.ts',
  'pack.tgz:inner.tar:.env',
  'pack.tgz:#hushHush',
  '.env.gz',
];

const searches = [
  { pattern: 'hushHush' },
  { pattern: 'x{20}' },
  { pattern: 'hushHush', path: '.env' },
  { pattern: 'hushHush', path: 'hard.ts' },
  { pattern: 'hushHush', path: 'cellar' },
  { pattern: 'hushHush', path: 'sub' },
  { pattern: 'hushHush', path: 'pack.tar' },
  { pattern: 'hushHush', path: 'pack.tar:.env' },
  { pattern: 'hushHush', path: '.env.gz' },
  { pattern: 'hushHush', inside: true },
  { pattern: 'hushHush', glob: '.env' },
  { pattern: 'hushHush', glob: '**/*' },
  { pattern: 'hushHush', output: 'files' },
  { pattern: 'hushHush', output: 'count' },
  { pattern: 'hushHush', ignoreCase: true, multiline: true },
];

const finds = [
  { pattern: '**' },
  { pattern: '.env' },
  { pattern: '**', sort: 'time' },
  { symbol: 'hushHush' },
  { symbol: 'hushHush', source: true },
];

/** A question is repeated in its answer. */
function holds(answer: Answer, input: object, question = ''): void {
  const said = JSON.stringify(answer);
  expect(question === '' ? said : said.replaceAll(question, ''), JSON.stringify(input)).not.toMatch(TOLD);
}

test('no name of a private file reads it', async () => {
  const { oriel, W } = place();
  const spelled = paths.flatMap((path) =>
    /^[.\w/]+$/.test(path) ? [path, join(W, path), pathToFileURL(join(W, path)).href] : [path],
  );
  for (const path of spelled)
    holds(await oriel.tool('read').run({ path }), { path }, /#(\w+)/.exec(path)?.[1]);
});

test('no search finds anything in private files', async () => {
  const { oriel } = place();
  for (const input of searches) holds(await oriel.tool('grep').run(input), input, 'hushHush');
  for (const input of finds) holds(await oriel.tool('find').run(input), input, 'hushHush');
  for (const path of ['.', 'sub', 'vault', 'cellar', 'conf'])
    holds(await oriel.tool('ls').run({ path }), { path });
});

test('other files of the same kind are read', async () => {
  const { read, oriel } = place();
  for (const path of ['open.ts', 'plain.ts:1-1', 'pack.tar:pub.ts', 'pack.tgz:inner.tar:ok.txt'])
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
