/** Databases that are damaged, and questions that would write, reach out or never end. */

import * as fs from 'node:fs';
import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { databaseBytes } from '../../../support/sqlite.ts';
import { type Case, read } from '../case.ts';
import type { Place } from '../place.ts';

const TWO_ROWS = 'create table t(a int, b int); insert into t values (1, 2), (3, 4)';
/** What a virtual table keeps to itself may not be written either. */
const VIRTUAL = 'create virtual table r using rtree(id, low, high)';

const with2Rows = async ({ write }: Place): Promise<void> =>
  void write('a.db', await databaseBytes(TWO_ROWS, VIRTUAL));

const asked = (sql: string, code: string | readonly string[]) => read(`a.db?q=${sql}`, { code });

const NAMES = [
  '"',
  "it's",
  'a"b',
  '?q=select 1',
  '../etc/passwd',
  'line\nbreak',
  '\u001b[31mred',
  '\u202eleft',
];

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Rows that are only in the log, of a writer that died; undefined where there is no Python. */
const hasPython = spawnSync('python3', ['-c', 'import sqlite3']).status === 0;

function dyingWriter(path: string): void {
  const script = `import os, sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
db.execute('pragma journal_mode=wal'); db.execute('pragma wal_autocheckpoint=0')
db.execute('create table t(a)'); db.execute('insert into t values (42)')
os._exit(0)`;
  spawnSync('python3', ['-c', script, path]);
}

export const databases: readonly Case[] = [
  {
    id: 'Q03',
    title: 'questions that would write',
    make: with2Rows,
    steps: [
      'delete from t',
      'delete%20from%20t',
      'update t set b=1',
      'insert into t values (5, 6)',
      'insert into t select 1, 2 returning a',
      "insert into r_node values (9, x'00')",
      'create table z(a)',
      'create temp table z(a)',
      'alter table t add column c',
      'drop table t',
      'pragma user_version=9',
      'pragma query_only=0',
      'pragma writable_schema=1',
      'reindex',
      'begin',
      'savepoint s',
      'explain delete from t',
      'with x as (select 1) delete from t',
    ].map((sql) => asked(sql, 'READ_ONLY')),
  },
  {
    id: 'Q04',
    title: 'questions that would open or write another file',
    make: with2Rows,
    steps: ({ W, O }) =>
      [
        `vacuum into '${W}/new.db'`,
        `attach '${O}/x.db' as z`,
        'vacuum',
        'detach main',
        "attach '' as z",
        "attach ':memory:' as z",
        `attach 'file:${O}/x.db?mode=rwc' as z`,
      ].map((sql) => asked(sql, 'DENIED')),
  },
  {
    id: 'Q07',
    title: 'names of tables that look like something else',
    make: async ({ write }) =>
      write(
        'a.db',
        await databaseBytes(
          ...NAMES.map(
            (name, i) => `create table ${quoted(name)}(v); insert into ${quoted(name)} values (${i})`,
          ),
        ),
      ),
    async run(door) {
      const list = (await door.call('read', { path: 'a.db' }))?.text ?? '';
      const lines = list.trimEnd().split('\n');
      expect(lines).toHaveLength(NAMES.length);
      for (const line of lines.slice(0, door.pid === undefined ? 2 : NAMES.length)) {
        const shown = await door.call('read', { path: `a.db:${line.replace(/ \(1 row\)$/, '')}?limit=5` });
        expect(shown?.text).toMatch(/^\| \d +\|$/m);
      }
    },
  },
  {
    id: 'Q08',
    title: 'SQL where a condition or a column is expected',
    make: with2Rows,
    steps: [
      'where=1) union select sql,1 from sqlite_master--',
      'where=1%29%20union%20select%20sql%2C1%20from%20sqlite_master--',
      'where=1); delete from t; --',
      'where=1 /* comment */',
      'where=1) or (1',
      "where='open",
      'where=a=?1',
      'where=1 group by a',
      'order=a desc',
      'offset=1e3',
      'where=1 limit 1',
      'order=a; drop table t',
      'order=(select 1)',
      'limit=1;select 1',
    ].map((query) => read(`a.db:t?${query}`, { code: 'BAD_QUERY' })),
  },
  {
    id: 'Q10',
    title: 'databases cut short, without a body, and with a page that leads to itself',
    async make({ write }) {
      const rows = `create table t(a, b);
        with recursive n(i) as (values(1) union all select i + 1 from n where i < 500)
        insert into t select i, printf('%.*c', 200, 'x') from n`;
      const bytes = Buffer.from(
        await databaseBytes(rows, 'create table good(a); insert into good values (1)'),
      );
      write('cut.db', bytes.subarray(0, bytes.length / 2));
      write('head.db', 'SQLite format 3\0');
      const looped = Buffer.from(bytes);
      const cells = looped.readUInt16BE(4096 + 3);
      looped.writeUInt32BE(2, 4096 + 8);
      for (let cell = 0; cell < cells; cell += 1)
        looped.writeUInt32BE(2, 4096 + looped.readUInt16BE(4096 + 12 + 2 * cell));
      write('loop.db', looped);
      write('bad.db', Buffer.from(bytes).fill(0xee, 4096, 8192));
    },
    steps: [
      ...['cut.db', 'cut.db:t', 'head.db', 'loop.db:t', 'bad.db:t'].map((path) =>
        read(path, { code: 'CORRUPT' }),
      ),
      read('bad.db:good', { has: '| 1' }),
      read('bad.db', { is: 'good (1 row)\nt (damaged)\n' }),
    ],
  },
  {
    id: 'Q11',
    title: 'a log of changes in a directory in which nothing may be written',
    if: hasPython,
    make({ W }) {
      fs.mkdirSync(`${W}/locked`);
      dyingWriter(`${W}/locked/a.db`);
      for (const name of fs.readdirSync(`${W}/locked`)) fs.chmodSync(`${W}/locked/${name}`, 0o444);
      fs.chmodSync(`${W}/locked`, 0o555);
    },
    steps: [read('locked/a.db:t', { has: '| 42 |' })],
  },
  {
    id: 'Q12',
    title: 'rows that are only in the log of changes',
    if: hasPython,
    make: ({ W }) => dyingWriter(`${W}/a.db`),
    steps: [read('a.db:t', { has: '| 42 |' })],
  },
  {
    id: 'Q15',
    title: 'numbers beyond doubles, and texts that are none',
    make: async ({ write }) =>
      write(
        'a.db',
        await databaseBytes(
          `create table t(v); insert into t values (9223372036854775807), (-9223372036854775808), (1e999),
            (cast(x'61ff62' as text)), (cast(x'610062' as text))`,
        ),
      ),
    steps: [
      read('a.db:t?limit=9', {
        has: ['9223372036854775807', '-9223372036854775808', '| Inf', 'a\\xffb', 'a\\x00b'],
      }),
    ],
  },
  {
    id: 'Q18',
    title: 'settings of the connection',
    make: with2Rows,
    steps: [
      ...[
        ['trusted_schema', 0],
        ['cell_size_check', 1],
        ['query_only', 1],
        ['mmap_size', 0],
      ].map(([name, value]) =>
        read(`a.db?q=pragma ${name}`, { has: new RegExp(`^\\| ${value} +\\|$`, 'm') }),
      ),
      asked("select load_extension('x')", 'SQL_ERROR'),
    ],
  },
  {
    id: 'Q19',
    title: 'patterns and expressions that blow up',
    make: with2Rows,
    steps: [
      "select printf('%.*c',50000,'a') like printf('%%%.*c',40,'a%')",
      "select printf('%.*c',50000,'a') glob replace(hex(zeroblob(300)), '0', 'a*') || 'b'",
      `select ${'('.repeat(5000)}1${')'.repeat(5000)}`,
      "select json(printf('%.*c', 1000000, '['))",
    ].map((sql) => asked(sql, ['OK', 'LIMIT', 'TIMEOUT', 'SQL_ERROR'])),
    varies: true,
  },
  {
    id: 'Q20',
    title: 'two hundred reads of one database at once',
    make: with2Rows,
    async run(door) {
      const count = door.pid === undefined ? 3 : 200;
      const replies = await Promise.all(
        Array.from({ length: count }, () => door.call('read', { path: 'a.db:t?limit=5' })),
      );
      const right = '| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n';
      // More at once than are let in is refused as such, and nothing else is.
      const others = replies.filter((reply) => reply?.text !== right && reply?.code !== 'BUSY');
      expect(others.map((reply) => [reply?.code, reply?.text])).toEqual([]);
      expect(replies.some((reply) => reply?.text === right)).toBe(true);
    },
  },
  {
    id: 'Q21',
    title: 'values that look like columns, lines, NULL or a BLOB',
    make: async ({ write }) =>
      write(
        'a.db',
        await databaseBytes(
          `create table t(k integer primary key, "a|b", role);
          insert into t values (1, 'bob | admin', 'user'), (2, null, 'user'), (3, 'NULL', 'user'), (4, x'00', 'user'),
            (5, '<BLOB 1 bytes>', 'user'), (6, 'x' || char(10) || 'y', 'user'), (7, 'x\\ny', 'user')`,
        ),
      ),
    steps: [
      read('a.db:t?limit=9', {
        has: [
          String.raw`| k | "a\|b"           | role |`,
          String.raw`| 1 | "bob \| admin"   | user |`,
          '| 2 | NULL             | user |',
          '| 3 | "NULL"           | user |',
          '| 4 | <BLOB 1 bytes>   | user |',
          '| 5 | "<BLOB 1 bytes>" | user |',
          String.raw`| 6 | "x\ny"           | user |`,
          String.raw`| 7 | x\ny             | user |`,
        ],
      }),
      read('a.db:t:2', { has: 'a|b: NULL\n' }),
      read('a.db:t:3', { has: 'a|b:\n  NULL\n' }),
    ],
  },
  {
    id: 'Y13',
    title: 'a hundred tables with names of 3,000 hidden characters',
    make: async ({ write }) =>
      write(
        'a.db',
        await databaseBytes(
          ...Array.from({ length: 100 }, (_, i) => `create table "${i}${'\u202e'.repeat(3_000)}"(a)`),
        ),
      ),
    steps: [read('a.db', { lacks: '\u202e' })],
  },
];
