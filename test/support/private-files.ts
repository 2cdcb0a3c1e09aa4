/** Private files under every name, and the calls that must show nothing of them but these names. */

import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { commitAll, git } from './git.ts';
import { tar, type TarEntry } from './tar.ts';
import { zip } from './zip.ts';

/** 4,321 bytes: the number of them is as secret as what they say. */
const SECRET = `export function hushHush(marrow) {}\n${'x'.repeat(4285)}`;

/** What no answer holds. The name of the function may be repeated from the question. */
export const PRIVATE_FACTS = /marrow|x{20}|4,?321|4\.2 ?Ki?B|4\.3 ?KB/;

export const PRIVATE_RULES: readonly string[] = [
  '.env',
  'vault/',
  '/conf/keys.ts',
  'caf\u00e9.ts',
  '*.PEM',
  'rows.*',
  'app.db',
];

const LONG_AGO = new Date('2020-01-01');

const member = (name: string): TarEntry => ({ name, content: SECRET });

/** Makes the files below the root `W`. */
export function makePrivateFiles({
  W,
  write,
}: {
  W: string;
  write(path: string, content: string | Uint8Array): unknown;
}): void {
  for (const path of ['.env', 'sub/.env', 'vault/deep/app.ts', 'conf/keys.ts', 'caf\u00e9.ts', 'Server.pem'])
    write(path, SECRET);
  for (const path of ['app.db', 'app.db-wal', 'app.db-journal']) write(path, SECRET);
  write('rows.csv', 'id,marrow\n1,marrow\n');
  write('rows.json', '{"items":[{"id":1,"marrow":4321}]}');
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
  // Names that an unpacker of some system makes those names of.
  const odd = [
    '../../.env',
    '/.env',
    'a\\.env',
    'C:\\vault\\app.ts',
    '../../conf/keys.ts',
    '.env\u200b',
    '.ENV',
  ];
  const oddly = tar(odd.map(member));
  write('odd.tar', oddly);
  write('notes.txt', gzipSync(tar([{ name: 'mid.tgz', content: gzipSync(oddly) }])));
  const [front, rest] = [gzipSync(SECRET).subarray(0, 10), gzipSync(SECRET).subarray(10)];
  front[3] = 8;
  write('named.gz', Buffer.concat([front, Buffer.from('.env\0'), rest]));
  const entry = `.env/${' '.repeat(43)}${String(SECRET.length).padEnd(10)}\`\n`;
  for (const name of ['lib.a', ...DISGUISED]) write(name, `!<arch>\n${entry}${SECRET}\n`);
  const stored = zip([member('.env'), member('vault/app.ts')].map((one) => ({ ...one, method: 0 })));
  for (const [name, front] of Object.entries(FRONTS))
    write(name, Buffer.concat([Buffer.from(front), stored]));
  write('apart.tgz', gzipSync(tar(AFTER.map((name) => ({ name, content: fs.readFileSync(join(W, name)) })))));
  write(
    'apart.zip',
    zip([
      { name: 'x.tar', content: tar([member('.env')]) },
      { name: 'y.zip', content: stored },
    ]),
  );
  write('text.docx', zip([member('word/embeddings/.env'), { name: 'word/document.xml', content: '<w:t/>' }]));
  write('book.epub', zip([member('vault/a.xhtml'), { name: 'mimetype', content: 'application/epub+zip' }]));
  write('two.gz', Buffer.concat([gzipSync('fine\n'), fs.readFileSync(join(W, 'named.gz'))]));
  write('pack.tar', tar(members));
  write('pack.tgz', gzipSync(tar(members)));
  write('other.pem.gz', gzipSync(SECRET));
  // The secret is in the first commit under all its names, and changes in the second.
  git(W, 'init', '--quiet', '--initial-branch=main');
  commitAll(W, 'first');
  fs.appendFileSync(join(W, '.env'), 'marrow\n');
  commitAll(W, 'second');
  fs.truncateSync(join(W, '.env'), SECRET.length);
  // What git keeps, under names of its own. The list of branches in a bundle is a long text.
  const heads = join(W, '.git/refs/heads');
  for (let i = 0; i < 99; i += 1)
    fs.copyFileSync(join(heads, 'main'), join(heads, `${'long-'.repeat(9)}${i}`));
  git(W, 'bundle', 'create', '--quiet', 'all.bundle', '--all');
  git(W, 'repack', '-q', '-a');
  const packs = join(W, '.git/objects/pack');
  for (const name of fs.readdirSync(packs))
    fs.copyFileSync(join(packs, name), join(W, `git${extname(name)}`));
  fs.copyFileSync(join(W, LOOSE), join(W, 'loose.txt'));
  fs.copyFileSync(join(W, '.git/index'), join(W, 'index.txt'));
  // Where a private link leads is not told either.
  fs.symlinkSync('/marrow', join(W, 'away.pem'));
  // Listings tell ages, which are the same on each way only if they are great.
  for (const name of fs.readdirSync(W, { recursive: true }) as string[])
    fs.lutimesSync(join(W, name), LONG_AGO, LONG_AGO);
}

/** What is before a zip: more than the first bytes that are read of a file. */
const FRONTS: Readonly<Record<string, string>> = {
  'after.run': '#!/bin/sh\n'.repeat(999),
  'after.ts': 'export const a = 1;\n'.repeat(500),
  'after.csv': `id,b\n${'1,2\n'.repeat(2_000)}`,
  'after.jsonl': '{"a":1}\n'.repeat(999),
  'after.ipynb': ' '.repeat(9_000),
  'after.md': '# a\n'.repeat(2_000),
  'after.pdf': `%PDF-1.4\n${'% \n'.repeat(2_000)}`,
  'after.db': `SQLite format 3\0${'\n'.repeat(9_000)}`,
  'after.svg': `<svg xmlns="http://www.w3.org/2000/svg">${'\n'.repeat(9_000)}</svg>`,
  'wide.txt': `\ufeff${'\n'.repeat(9_000)}`,
};
const AFTER = Object.keys(FRONTS);

/** Names of archives that other sources would read. */
const DISGUISED = 'lib.ts lib.csv lib.json lib.jsonl lib.ipynb lib.docx lib.rtf lib.md'.split(' ');

const BLOB = createHash('sha1').update(`blob ${SECRET.length}\0${SECRET}`).digest('hex');
const LOOSE = `.git/objects/${BLOB.slice(0, 2)}/${BLOB.slice(2)}`;

const PATHS = [
  ...(
    '.env ./.env sub/../.env @.env ".env" .ENV .Env sub/.env .env:1-3 .env:raw .env:@0+64K .env:-5 ' +
    '.env:outline .env:#hushHush .env#L1 .env:1 .env,open.ts open.ts,.env vault vault/ vault/deep ' +
    'vault/deep/app.ts vault/deep/app.ts:#hushHush vault/deep/app.ts:outline VAULT/deep/app.ts ' +
    'deep/app.ts app.ts hard.ts hard.ts:#hushHush sub/other.ts soft.ts twice.ts cellar ' +
    'cellar/deep/app.ts sub/down/app.ts names/.env conf/keys.ts'
  ).split(' '),
  'caf\u00e9.ts',
  'cafe\u0301.ts',
  ...(
    'Server.pem server.PEM . .:outline sub conf names .:#hushHush pack.tar pack.tar:.env ' +
    'pack.tar:./.env pack.tar:a/b/.env pack.tar:a/../.env pack.tar:.env:raw pack.tar:.env:@0+64K ' +
    'pack.tar:%~1 pack.tar:vault/app.ts pack.tar:vault/two.ts pack.tar:vault/app.ts:#hushHush ' +
    'pack.tar:vault pack.tar:conf/keys.ts pack.tar:alias.ts pack.tar:turn.ts pack.tar:inner.tar ' +
    'pack.tar:inner.tar:.env pack.tar:outline pack.tar:#hushHush pack.tgz pack.tgz:.env ' +
    'pack.tgz:alias.ts pack.tgz:vault/app.ts pack.tgz:inner.tar:.env pack.tgz:#hushHush ' +
    'other.pem.gz .env/. .env/../.env .env,.env:2-3 .env:1:5 .env:L2+L3 .env:encoding=latin1 ' +
    '.env:conflicts'
  ).split(' '),
  '.e\u200bnv',
  '.en\uff56',
  'vault/none',
  'vault/../vault/deep/app.ts',
  'keys.ts',
  'conf/keys',
  'deep',
  'artifact://1',
  ...['odd.tar', 'notes.txt:mid.tgz'].flatMap((path) => [
    path,
    ...Array.from({ length: 7 }, (_, i) => `${path}:%~${i + 1}`),
    `${path}:a/.env`,
    `${path}:.env%E2%80%8B`,
  ]),
  'odd.tar:a\\.env',
  'odd.tar:C:\\vault\\app.ts',
  'named.gz',
  'two.gz',
  'lib.a',
  'lib.a:.env',
  ...DISGUISED.flatMap((name) => [name, `${name}:raw`, `${name}?limit=3`]),
  ...(
    'lib.csv?where=a=1 lib.json:#a rows.csv rows.csv?limit=1 rows.csv?where=id=1 ' +
    'rows.csv?select=marrow&order=id rows.csv?limit=1,open.ts rows.json:#items[0].id ' +
    'rows.json:#items?limit=1 rows.* *.csv {.env,open.ts} app.db app.db-wal app.db-journal:raw ' +
    'away.pem'
  ).split(' '),
  '.env ',
  ' .env',
  './/.env',
  '.env//',
  'sub//.env',
  '.env%00',
  '.\\.env',
  'vault\\deep\\app.ts',
  '.env::$DATA',
  '.env?x=1',
  '.env:refs',
  'vault/deep/app.ts:refs',
  '.:#hushHush:refs',
  ...['HEAD', 'HEAD~1', 'main'].flatMap((revision) => [
    `git://${revision}`,
    `git://${revision}/.env`,
    `git://${revision}/hard.ts`,
    `git://${revision}/lib.ts`,
    `git://show/${revision}`,
  ]),
  ...(
    'HEAD:.env HEAD:./sub/.env HEAD:vault/deep/app.ts:#hushHush git://HEAD:.env git://HEAD/.ENV ' +
    'git://HEAD/%2Eenv git://HEAD/sub/../.env git://HEAD/vault git://HEAD/vault/deep/app.ts:outline'
  ).split(' '),
  'git://HEAD/caf\u00e9.ts',
  ...(
    'git://HEAD/pack.tar:.env git://HEAD/pack.tgz:#hushHush git://HEAD/odd.tar:%~1 ' +
    'git://HEAD/rows.csv?where=id=1 git://HEAD/rows.json:#items[0] git://diff/HEAD~1..HEAD ' +
    'git://diff/HEAD~1..HEAD/.env git://diff/HEAD~1..HEAD/hard.ts git://log git://log/.env ' +
    'git://log/vault/deep'
  ).split(' '),
  `git://${BLOB}`,
  `git://show/${BLOB}`,
  ...AFTER.flatMap((name) => [`${name}:raw`, `${name}:-2`, `apart.tgz:${name}:-2`]),
  ...AFTER.slice(0, 5).map((name) => `${name}:@9K+4K`),
  ...(
    'after.ts:outline after.ts:#hushHush after.ts:imports after.csv?limit=9&offset=1999 ' +
    'after.jsonl?limit=9&offset=998 apart.zip:x.tar:.env apart.zip:y.zip:.env ' +
    'apart.tgz:after.ts:outline apart.tgz:after.csv?limit=9&offset=1999 git://HEAD/after.run:-2 ' +
    'git://HEAD/after.csv?limit=9&offset=1999 git://HEAD/after.ts:outline git://show/HEAD~1 ' +
    'text.docx text.docx:word/embeddings/.env book.epub book.epub:vault/a.xhtml'
  ).split(' '),
  ...['all.bundle', 'git.pack', 'git.idx', 'loose.txt', 'index.txt'].flatMap((name) => [name, `${name}:raw`]),
  'all.bundle:-2',
  LOOSE,
  `${LOOSE}:raw`,
  `.git/objects/${BLOB.slice(0, 2)}`,
  '.git/index:raw',
  '.git',
];

const SEARCHES = [
  { pattern: 'hush[H]ush' },
  { pattern: 'x{20}' },
  { pattern: 'hush[H]ush', path: '.env' },
  { pattern: 'hush[H]ush', path: 'hard.ts' },
  { pattern: 'hush[H]ush', path: 'cellar' },
  { pattern: 'hush[H]ush', path: 'sub' },
  { pattern: 'hush[H]ush', path: 'pack.tar' },
  { pattern: 'hush[H]ush', path: 'pack.tar:.env' },
  { pattern: 'hush[H]ush', path: 'other.pem.gz' },
  { pattern: 'hush[H]ush', path: 'odd.tar' },
  { pattern: 'hush[H]ush', path: 'named.gz' },
  { pattern: 'hush[H]ush', path: '.env,open.ts' },
  { pattern: 'hush[H]ush', path: 'vault/deep/app.ts' },
  { pattern: 'hush[H]ush', path: 'soft.ts', context: 2 },
  { pattern: 'hush[H]ush', path: 'lib.a' },
  { pattern: 'hush[H]ush', path: 'pack.tgz:inner.tar' },
  { pattern: 'hush[H]ush', glob: 'vault/**' },
  { pattern: 'hush[H]ush', glob: '*.{env,pem,a}' },
  { pattern: 'hush[H]ush', inside: true, glob: '*.t*' },
  { pattern: 'hush[H]ush', inside: true },
  { pattern: 'hush[H]ush', glob: '.env' },
  { pattern: 'hush[H]ush', glob: '**/*' },
  { pattern: 'hush[H]ush', output: 'files' },
  { pattern: 'hush[H]ush', output: 'count' },
  { pattern: 'hush[H]ush', ignoreCase: true, multiline: true },
  { pattern: 'hush[H]ush', path: 'lib.csv' },
  { pattern: 'hush[H]ush', path: 'lib.docx' },
  ...['', '.run', '.ts', '.md', '.csv'].map((end) => ({ pattern: 'x{20}', path: end && `after${end}` })),
  { pattern: 'x{20}', multiline: true, glob: '{after,wide}.*' },
  { pattern: 'x{20}', sort: 'time' },
  { pattern: 'x{20}', inside: true },
  { pattern: 'x{20}', path: 'after.ts', inside: true },
  { pattern: 'x{20}', path: 'apart.tgz' },
  { pattern: '[^a]{9}', path: 'all.bundle' },
  { pattern: 'm[a]rrow', path: 'rows.csv' },
  { pattern: 'm[a]rrow', path: 'app.db-wal' },
  { pattern: 'm[a]rrow', path: 'git://HEAD/.env' },
  { pattern: 'm[a]rrow', path: '.git', inside: true },
];

const FINDS = [
  { pattern: '**' },
  { pattern: '.env' },
  { pattern: '**', sort: 'time' },
  { symbol: 'hushHush' },
  { symbol: 'hushHush', source: true },
  { symbol: 'hush', path: 'vault' },
  { symbol: 'how is it hushed', source: true },
  { pattern: '*.env' },
  { pattern: 'vault/**' },
  { pattern: 'env', path: 'sub' },
  { pattern: '*.ts', path: 'cellar' },
];

const LISTS = ['.', 'sub', 'vault', 'cellar', 'conf', 'names', 'vault/deep', '.env', 'hard.ts', 'pack.tar'];

export interface PrivateCall {
  readonly tool: string;
  readonly input: object;
}

/** Over three hundred. Plain paths are also spelled absolutely and as URLs. */
export function privateCalls(W: string): readonly PrivateCall[] {
  const spelled = PATHS.flatMap((path, i) => {
    if (!/^[.\w/]+$/.test(path)) return [path];
    return i % 2 === 0
      ? [path, join(W, path)]
      : [path, pathToFileURL(join(W, path)).href.replace('env', '%65nv')];
  });
  return [
    ...spelled.map((path) => ({ tool: 'read', input: { path } })),
    ...SEARCHES.map((input) => ({ tool: 'grep', input })),
    ...FINDS.map((input) => ({ tool: 'find', input })),
    ...LISTS.map((path) => ({ tool: 'ls', input: { path } })),
  ];
}
