/** Everything that can be read, as the contract suite drives it: a new source or scheme is one more row of the table. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { onTestFinished, vi } from 'vitest';
import { createOriel } from '../../../src/index.ts';
import type { SourceKind } from '../../../src/types/call.ts';
import { elsewhere, type Place } from '../../support/dialect.ts';
import { servedWorkspace } from '../../support/fleet.ts';
import { writeRepository } from '../../support/git.ts';
import { comment, gitHubServer, type Repository } from '../../support/github.ts';
import { makePng } from '../../support/images.ts';
import { packed } from '../../support/packed.ts';
import { startObjectServer, useObjects } from '../../support/objects.ts';
import { rar } from '../../support/rar.ts';
import { databaseBytes } from '../../support/sqlite.ts';
import { tar } from '../../support/tar.ts';
import { zip } from '../../support/zip.ts';
import { LARGE_LINES, large, small } from './texts.ts';
import { textServer } from './text-server.ts';

export type Size = 'small' | 'large';

export interface SourceCase {
  readonly name: string;
  readonly kind: SourceKind;
  /** Of sources that are named by a URL: `artifact`. */
  readonly scheme?: string;
  /** What is typed. */
  readonly path: string;
  /** Puts there what is read. */
  furnish(here: Place, size: Size): Promise<unknown> | unknown;
  /** What following the notices yields; what one answer with wide limits shows, where absent. */
  readonly text?: (size: Size) => string;
  /** For pages that are laid out anew each time: what of them has to come once, in order. */
  readonly items?: { readonly of: RegExp; all(size: Size): readonly string[] };
  /** Other texts of the same thing. */
  readonly others?: readonly string[];
  /** Pages of the large text that have to cost the same: the first one, then others. Absent where all of it is small. */
  readonly pages?: readonly [string, ...string[]];
}

/** Serves the text of `web`. */
const server = await textServer();

/** Serves that of `s3://`. */
const objects = await startObjectServer();

/** Serves that of `ws://`. */
const served = await servedWorkspace();
Object.assign(elsewhere, served.workspaces);

const stored = (size: Size): string => (size === 'small' ? small : large);
const deep = LARGE_LINES / 2;

/** Pages of a text that is read line by line as it is stored. */
const pagesOf = (path: string): [string, ...string[]] => [
  `${path}:1..500`,
  `${path}:${deep}..${deep + 499}`,
  `${path}:@0+32K`,
  `${path}:@${deep * 64}+32K`,
  `${path}:-500`,
  `${path}:-500@${deep * 64}`,
];

/** A text that a file holds as it is, packed by `pack`. */
function textCase(
  name: string,
  file: string,
  inside: string,
  pack: (text: string) => string | Uint8Array,
): SourceCase {
  const path = `${file}${inside}`;
  return {
    name,
    kind: inside === '' && !/\.(gz|bz2|xz|zst)$/.test(file) ? 'file' : 'archive',
    path,
    furnish: (here, size) => here.write(file, pack(stored(size))),
    text: stored,
    others: inside === '' ? [] : [file, ...(inside.includes('other') ? [] : [`${file}:other.txt`])],
    pages: pagesOf(path),
  };
}

/** What only programs pack that may not be there: the small text as a fixture, and no large one. */
const fixtureCase = (name: string, file: string, inside: string): SourceCase => ({
  name,
  kind: 'archive',
  path: `${file}${inside}`,
  furnish: (here) => here.write(file, readFileSync(`test/fixtures/sources/${file}`)),
  text: () => small,
});

const member = (text: string) => ({ name: 'dir/prose.txt', content: text });
const beside = { name: 'other.txt', content: 'other\n' };
const nested = (text: string): Buffer => tar([member(text), beside]);

const rows = (size: Size): number => (size === 'small' ? 90 : 20_000);
const numbers = (to: number): string[] => Array.from({ length: to }, (_, i) => String(i + 1));
const database = async (here: Place, size: Size): Promise<unknown> =>
  here.write(
    'app.db',
    await databaseBytes(
      'create table users(id integer primary key, name text, note text)',
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${rows(size)})
       insert into users select i, 'name ' || i, printf('a note of some length, number %d', i) from n`,
      'create view names as select id, name from users',
      `create table pages(body text)`,
      `insert into pages values ('${small.replaceAll("'", "''")}')`,
    ),
  );

const notebook = (here: Place, size: Size): unknown =>
  here.write(
    'n.ipynb',
    JSON.stringify({
      nbformat: 4,
      metadata: {},
      cells: Array.from({ length: size === 'small' ? 12 : 20_000 }, (_, i) => ({
        cell_type: i % 3 === 0 ? 'markdown' : 'code',
        source: `line one of cell ${i}\nzwei ü\n`,
        ...(i % 3 > 0 && {
          outputs: [{ output_type: 'stream', name: 'stdout', text: `printed by cell ${i}\n` }],
        }),
      })),
    }),
  );

/** A scheme whose names are files. */
const schemeCase = (
  scheme: string,
  name: string,
  write: (here: Place, text: string) => unknown,
): SourceCase => ({
  name: `${scheme}://`,
  kind: 'internal',
  scheme,
  path: `${scheme}://${name}`,
  furnish: (here, size) => write(here, stored(size)),
  text: stored,
  others: [`${scheme}://`],
  pages: pagesOf(`${scheme}://${name}`),
});

export const sourceCases: readonly SourceCase[] = [
  textCase('file', 'prose.txt', '', (text) => text),
  {
    name: 'directory',
    kind: 'directory',
    path: 'd',
    furnish(here, size) {
      for (let i = 0; i < (size === 'small' ? 30 : 300); i += 1) here.write(`d/file ${i}.txt`, String(i));
      for (let i = 0; i < 20; i += 1) here.write(`d/inner/${i}`, '');
    },
    others: ['d/inner'],
  },
  textCase('zip member', 'a.zip', ':dir/prose.txt', (text) => zip([member(text), beside])),
  textCase('stored zip member', 's.zip', ':dir/prose.txt', (text) =>
    zip([{ ...member(text), method: 0 }, beside]),
  ),
  {
    name: 'zip listing',
    kind: 'archive',
    path: 'list.zip',
    furnish: (here, size) =>
      here.write(
        'list.zip',
        zip(numbers(size === 'small' ? 90 : 4000).map((n) => ({ name: `member ${n}.txt`, content: n }))),
      ),
    items: {
      of: /member (\d+)\.txt/g,
      all: (size) => numbers(size === 'small' ? 90 : 4000).toSorted(byName),
    },
    others: ['list.zip:member 1.txt', 'list.zip:member 2.txt'],
    pages: ['list.zip:1..100', 'list.zip:2001..2100'],
  },
  textCase('tar member', 'a.tar', ':dir/prose.txt', nested),
  textCase('tar.gz member', 'a.tar.gz', ':dir/prose.txt', (text) => gzipSync(nested(text))),
  textCase('zip in a zip', 'o.zip', ':in.zip:dir/prose.txt', (text) =>
    zip([{ name: 'in.zip', content: zip([member(text), beside]) }, beside]),
  ),
  textCase('tar.gz in a zip', 'p.zip', ':in.tar.gz:dir/prose.txt', (text) =>
    zip([{ name: 'in.tar.gz', content: gzipSync(nested(text)), method: 0 }, beside]),
  ),
  textCase('gz in a tar', 'g.tar', ':prose.gz', (text) =>
    tar([{ name: 'prose.gz', content: gzipSync(text) }, beside]),
  ),
  textCase('rar member', 'a.rar', ':dir/prose.txt', (text) => rar([member(text), beside])),
  fixtureCase('tar.bz2 member', 'prose.tar.bz2', ':prose.txt'),
  fixtureCase('tar.xz member', 'prose.tar.xz', ':prose.txt'),
  fixtureCase('tar.zst member', 'prose.tar.zst', ':prose.txt'),
  textCase('gz', 'prose.txt.gz', '', (text) => gzipSync(text)),
  ...(['bz2', 'xz', 'zst'] as const).map((codec): SourceCase => ({
    ...fixtureCase(codec, `prose.txt.${codec}`, ''),
    furnish: (here, size) =>
      here.write(
        `prose.txt.${codec}`,
        size === 'small' ? readFileSync(`test/fixtures/sources/prose.txt.${codec}`) : packed[codec].lines,
      ),
    text: (size) => (size === 'small' ? small : 'hello line\n'.repeat(100_000)),
    pages: [`prose.txt.${codec}:1..500`, `prose.txt.${codec}:50000..50499`, `prose.txt.${codec}:-500`],
  })),
  {
    name: '7z member',
    kind: 'archive',
    path: 'plain.7z:ok.txt',
    furnish: (here) => here.write('plain.7z', readFileSync('test/fixtures/archives/plain.7z')),
    others: ['plain.7z'],
  },
  {
    name: 'database',
    kind: 'sqlite',
    path: 'app.db',
    furnish: database,
    others: ['app.db:pages', 'app.db:users:1', 'app.db:users:2', 'app.db:users:2:raw'],
  },
  {
    name: 'table',
    kind: 'sqlite',
    path: 'app.db:users?limit=7',
    furnish: database,
    items: { of: /^(?:\| |id: )(\d+)/gm, all: (size) => numbers(rows(size)) },
    others: ['app.db:users?limit=8', 'app.db:users?limit=7&offset=7', 'app.db:users?limit=7&order=name'],
    pages: [
      'app.db:users?limit=100',
      'app.db:users?limit=100&offset=10000',
      'app.db:users?limit=100&offset=19000',
    ],
  },
  {
    name: 'rows of data',
    kind: 'data',
    path: 'users.csv?limit=7',
    furnish: (here, size) =>
      here.write(
        'users.csv',
        ['id,note', ...numbers(rows(size)).map((id) => `${id},note ${id}`), ''].join('\n'),
      ),
    items: { of: /^(?:\| |id: )(\d+)/gm, all: (size) => numbers(rows(size)) },
    others: ['users.csv?limit=8', 'users.csv?limit=7&offset=7', 'users.csv?limit=7&order=note'],
  },
  {
    name: 'row with a long value',
    kind: 'sqlite',
    path: 'app.db:pages:1',
    furnish: database,
  },
  {
    name: 'query',
    kind: 'sqlite',
    path: 'app.db?limit=9&q=select id, note from users where id > 5',
    furnish: database,
    items: { of: /^(?:\| |id: )(\d+)/gm, all: (size) => numbers(rows(size)).slice(5) },
    others: ['app.db?limit=9&q=select id, note from users where id > 6'],
  },
  {
    name: 'notebook',
    kind: 'notebook',
    path: 'n.ipynb',
    furnish: notebook,
    others: ['n.ipynb:outputs', 'n.ipynb:cells:1', 'n.ipynb:cells:1:outputs', 'n.ipynb:raw'],
    pages: ['n.ipynb:1..300', 'n.ipynb:40000..40299', 'n.ipynb:-300'],
  },
  {
    name: 'image',
    kind: 'image',
    path: 'i.png',
    furnish: (here, size) => here.write('i.png', size === 'small' ? makePng(9, 5) : makePng(30, 20)),
  },
  {
    name: 'image in a zip',
    kind: 'image',
    path: 'i.zip:i.png',
    furnish: (here) => here.write('i.zip', zip([{ name: 'i.png', content: makePng(9, 5) }])),
    others: ['i.zip'],
  },
  {
    name: 'document',
    kind: 'document',
    path: 'report.docx',
    furnish: (here) => here.write('report.docx', readFileSync('test/fixtures/documents/report.docx')),
    others: ['report.docx:outline'],
  },
  {
    name: 'kept output',
    kind: 'internal',
    scheme: 'artifact',
    path: 'artifact://1',
    // Too much for one answer of so few lines, so that all of it is kept.
    async furnish({ folder, write, oriel: { session } }, size) {
      write('output', stored(size));
      const bash = createOriel({ cwd: folder, session, limits: { lines: 20 } }).tool('bash');
      for (const command of ['cat output', 'seq 200']) await bash.run({ command });
    },
    text: stored,
    others: ['artifact://2'],
    pages: pagesOf('artifact://1'),
  },
  schemeCase('local', 'prose.txt', (here, text) =>
    writeFileSync(join(here.oriel.session.spills.local(), 'prose.txt'), text),
  ),
  schemeCase('agent', 'prose', (here, text) => here.write('prose.txt', text)),
  schemeCase('memory', 'prose.txt', (here, text) => here.write('.oriel/memory/prose.txt', text)),
  schemeCase('rule', 'prose', (here, text) => here.write('.agents/rules/prose.md', text)),
  schemeCase('skill', 'a/prose.txt', (here, text) => {
    here.write('.agents/skills/a/SKILL.md', '# A\n');
    here.write('.agents/skills/a/prose.txt', text);
  }),
  {
    name: 'web',
    kind: 'web',
    path: `${server.url}/prose.txt`,
    furnish: (_, size) => server.serve({ '/prose.txt': stored(size), '/other.txt': 'other\n' }),
    text: stored,
    others: [`${server.url}/other.txt`, `${server.url}/prose.txt:raw`],
    pages: pagesOf(`${server.url}/prose.txt`),
  },
  {
    name: 'git://',
    kind: 'internal',
    scheme: 'git',
    path: 'git://main/dir/prose.txt',
    furnish: (here, size) =>
      writeRepository(here.write, { 'other.txt': 'other\n', 'prose.txt': stored(size) }),
    text: stored,
    others: ['git://main/dir/other.txt', 'git://main/dir', 'git://main'],
    pages: pagesOf('git://main/dir/prose.txt'),
  },
  {
    name: 'issue://',
    kind: 'internal',
    scheme: 'issue',
    path: 'issue://acme/widget/7',
    furnish: (_, size) => gitHubServer({ 'acme/widget': onGitHub(stored(size)) }),
    others: ['issue://acme/widget/7?comments=0', 'issue://acme/widget'],
    pages: pagesOf('issue://acme/widget/7?comments=0'),
  },
  {
    name: 'mcp://',
    kind: 'internal',
    scheme: 'mcp',
    path: 'mcp://notes/note://one',
    furnish: (here, size) => here.write('note', stored(size)),
    text: stored,
    others: ['mcp://', 'mcp://notes', 'mcp://notes/echo://a'],
    pages: pagesOf('mcp://notes/note://one'),
  },
  {
    name: 's3://',
    kind: 'internal',
    scheme: 's3',
    path: 's3://box/dir/prose.txt',
    furnish(_, size) {
      objects.buckets = { box: { 'dir/prose.txt': stored(size), 'dir/other.txt': 'other\n' } };
      useObjects(objects.url);
      onTestFinished(() => void vi.unstubAllEnvs());
    },
    text: stored,
    others: ['s3://box/dir/other.txt'],
    pages: pagesOf('s3://box/dir/prose.txt'),
  },
  {
    name: 'ws://',
    kind: 'internal',
    scheme: 'ws',
    path: 'ws://dev/dir/prose.txt',
    async furnish(_, size) {
      served.write('dir/prose.txt', stored(size));
      served.write('dir/other.txt', 'other\n');
      // The server tells no version of what was written a moment ago, and the answer says so.
      await sleep(100);
    },
    text: stored,
    others: ['ws://dev/dir/other.txt', 'ws://dev/dir'],
    pages: pagesOf('ws://dev/dir/prose.txt'),
  },
  {
    name: 'pr://',
    kind: 'internal',
    scheme: 'pr',
    path: 'pr://acme/widget/12/diff/all',
    furnish: (_, size) => gitHubServer({ 'acme/widget': onGitHub(diffOf(size)) }),
    text: diffOf,
    others: ['pr://acme/widget/12', 'pr://acme/widget/12/diff', 'pr://acme/widget'],
    pages: pagesOf('pr://acme/widget/12/diff/all'),
  },
  {
    name: 'oriel://',
    kind: 'internal',
    scheme: 'oriel',
    path: 'oriel://errors',
    furnish: () => undefined,
    text: () => readFileSync('docs/errors.md', 'utf8'),
    others: ['oriel://paging.md', 'oriel://'],
  },
];

/** The text as a change that git describes. */
function diffOf(size: Size): string {
  return `diff --git a/prose.txt b/prose.txt\n${stored(size)}`;
}

/** A repository with an issue and a diff that are this text. */
function onGitHub(text: string): Repository {
  return {
    issues: [
      { number: 12, title: 'A change', pull_request: { merged_at: null } },
      { number: 7, title: 'An issue', body: text },
    ],
    comments: { 7: [comment('ana', text.slice(0, 500))] },
    diffs: { 12: text },
  };
}

function byName(a: string, b: string): number {
  return `member ${a}.txt` < `member ${b}.txt` ? -1 : 1;
}
