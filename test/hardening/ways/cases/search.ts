/** Patterns that blow up, trees that lead out, and rule files that are none. */

import * as fs from 'node:fs';
import { docx, paragraph } from '../../../support/documents.ts';
import { racer } from '../../../support/racer.ts';
import { databaseBytes } from '../../../support/sqlite.ts';
import { zip } from '../../../support/zip.ts';
import { type Case, find, grep, ls, read } from '../case.ts';

export const search: readonly Case[] = [
  {
    id: 'G01',
    title: 'a pattern that backtracks for ever',
    make: ({ write }) => write('f', `${'a'.repeat(40)}!\n`),
    steps: [grep({ pattern: '^(a+)+$' }, { has: 'No matches' })],
  },
  {
    id: 'G02',
    title: 'globs that backtrack, nest or count to 10^8',
    make: ({ write }) => write(`g/${'a'.repeat(36)}!`, ''),
    steps: [
      '*(*(*(*(a|b))))',
      '+(a|aa)',
      `${'**/a/'.repeat(9)}**/b`,
      '{1..100000000}',
      `${'{a,b}'.repeat(8)}${'*a'.repeat(110)}`,
    ].map((pattern) => find(pattern, { code: ['OK', 'BAD_GLOB', 'BAD_INPUT', 'LIMIT', 'BAD_REGEX'] })),
  },
  {
    id: 'G03',
    title: 'a pattern that is none',
    make: ({ write }) => write('f', 'x\n'),
    steps: [grep({ pattern: '[' }, { code: 'BAD_REGEX' })],
  },
  {
    id: 'G04',
    title: 'a pattern of 10^9 repetitions',
    make: ({ write }) => write('f', 'x\n'),
    steps: [grep({ pattern: 'x{1000}{1000}{1000}' }, { code: ['BAD_REGEX', 'OK'] })],
    mostMb: 200,
  },
  {
    id: 'G06',
    title: 'a match on a line of 64 MB',
    make({ W }) {
      const file = fs.openSync(`${W}/f`, 'w');
      for (let i = 0; i < 32; i += 1) fs.writeSync(file, Buffer.alloc(2 << 20, i === 16 ? 'x' : 'y'));
      fs.closeSync(file);
    },
    steps: [grep({ pattern: 'x' }, { has: 'f:1:' })],
    mostMb: 400,
    heavy: true,
  },
  {
    id: 'G08',
    title: 'links in a circle and to outside, in a tree that is searched',
    make({ link, O }) {
      link('self', '.');
      link('out', O);
    },
    steps: [
      grep({ pattern: 'TOPSECRET' }, { has: 'No matches' }),
      find('**/*.txt', { has: 'plain.txt', lacks: 'secret' }),
      ls('.', { lacks: 'secret' }),
    ],
  },
  {
    id: 'G10',
    title: 'options in the place of patterns and names',
    make: ({ write }) => write('-rf', 'x\n--pre=sh\n'),
    steps: [
      grep({ pattern: '--pre=sh', path: '-rf' }, { has: '--pre=sh' }),
      find('--version', { has: /No files/ }),
      read('-rf', { has: '1|x\n' }),
    ],
  },
  {
    id: 'G13',
    title: 'a search inside archives, databases and documents',
    async make({ write }) {
      write('a.zip', zip([{ name: 'm.txt', content: 'needle\n' }]));
      write('a.db', await databaseBytes("create table t(a); insert into t values ('needle')"));
      write('a.docx', docx(paragraph('needle')));
    },
    steps: [grep({ pattern: 'needle', inside: true }, { has: ['a.zip', 'a.db', 'a.docx'] })],
    mostMb: 500,
    mostSeconds: 15,
  },
  {
    id: 'Y01',
    title: 'nothing of an answer comes from a directory that is exchanged for a link meanwhile',
    make({ write, O, link }) {
      write('real/f.txt', 'inside\nmore\n');
      write('real/sub/g.txt', 'inside\n');
      fs.writeFileSync(`${O}/f.txt`, 'inside\nmore\nTOPSECRET-OUTSIDE\n');
      link('away', O);
    },
    beside: ({ W }) => racer(`cd ${W}; while :; do mv real d; mv d real; mv away d; mv d away; done`),
    steps: [
      grep({ pattern: 'inside|SECRET' }, { lacks: 'secret.txt', code: ['OK', 'LIMIT', 'NOT_FOUND'] }),
      grep({ pattern: 'SECRET', output: 'count' }, { has: 'No matches', code: ['OK', 'LIMIT'] }),
      find('*.txt', { lacks: 'secret.txt', code: ['OK', 'LIMIT', 'NOT_FOUND'] }),
      ls('d', { lacks: 'secret.txt', code: ['OK', 'NOT_FOUND', 'OUTSIDE_ROOT', 'NOT_DIRECTORY', 'CHANGED'] }),
    ],
    times: 10,
    varies: true,
    changes: true,
  },
  {
    id: 'Y03',
    title: 'rule files and a repository that lie outside',
    make({ write, link, O }) {
      fs.writeFileSync(`${O}/rules`, '*\n');
      fs.mkdirSync(`${O}/git/info`, { recursive: true });
      fs.writeFileSync(`${O}/git/info/exclude`, '*\n');
      for (const at of ['a', 'b', 'c']) write(`${at}/kept.txt`, 'kept\n');
      link('a/.gitignore', `${O}/rules`);
      write('b/.git', `gitdir: ${O}/git\n`);
      link('c/.git', `${O}/git`);
    },
    steps: [
      find('kept.txt', { has: ['a/kept.txt\n', 'b/kept.txt\n', 'c/kept.txt'] }),
      grep({ pattern: 'kept' }, { has: ['a/kept.txt:1', 'b/kept.txt:1', 'c/kept.txt:1'] }),
    ],
  },
  {
    id: 'Y04',
    title: 'FIFOs in the place of rule files, and paths that do not exist beside them',
    make({ write, fifo }) {
      write('a/kept.txt', 'kept\n');
      for (const name of ['.gitignore', '.ignore', 'a/.gitignore', 'pipe']) fifo(name);
    },
    steps: [
      find('kept.txt', { has: 'a/kept.txt' }),
      grep({ pattern: 'kept' }, { has: 'a/kept.txt:1' }),
      read('no/such/file.txt', { code: 'NOT_FOUND' }),
    ],
  },
  {
    id: 'Y05',
    title: 'a rule file of 400 MB',
    make({ write, sparse }) {
      write('d/b.txt', 'x\n');
      sparse('.gitignore', 400 << 20);
    },
    steps: [
      find('b.txt', {
        is: 'd/b.txt\n[1 ignore file not used: unreadable, larger than 1 MiB, or not a regular file]',
      }),
    ],
    mostMb: 100,
  },
  {
    id: 'Y06',
    title: '1 MiB of rules that backtrack',
    make({ write }) {
      let rules = '';
      for (let i = 0; rules.length < (1 << 20) - 300; i += 1) rules += `${'*a'.repeat(60)}b${i}\n`;
      write('.gitignore', rules);
      for (let i = 0; i < 20; i += 1) write(`${'a/'.repeat(8)}${'a'.repeat(200)}${i}`, 'x\n');
    },
    steps: [find('a*', { has: 'a/a/' })],
    mostSeconds: 15,
    heavy: true,
  },
  {
    id: 'Y12',
    title: 'text hidden in code points without ink',
    make: ({ write }) =>
      write(
        'f',
        `a${[0xfe01, 0xe0142, 0x2800, 0x16fe4, 0x1d159, 0x13430, 0xe000, 0xfdd0].map((code) => String.fromCodePoint(code)).join('b')}\n`,
      ),
    steps: [
      read('f', {
        has: ['\\ufe01', '\\u{e0142}', '\\u2800', '\\u{1d159}', '\\ue000', '\\ufdd0', 'shown as escapes'],
      }),
      grep({ pattern: 'a', path: 'f' }, { has: '\\u2800', lacks: '\u2800' }),
    ],
  },
];
