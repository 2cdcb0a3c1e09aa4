/** A search in a database finds the same rows as a search of every row, whatever SQLite filters out for it. */

import { expect, test } from 'vitest';
import { databaseBytes } from '../support/sqlite.ts';
import { textOf, unhurried, workspace } from '../support/workspace.ts';

const TABLES: readonly (readonly [name: string, columns: string, id: string])[] = [
  ['an integer key', '(id integer primary key, body)', 'i'],
  ['no key', '(id, body)', 'i'],
  ['a text key', '(id text primary key, body)', "'k' || i"],
  ['a key that may be null', '(id text primary key, body)', 'case when i % 3 then i end'],
  ['a key of two columns', '(id, body, primary key (id, body))', 'i'],
  ['no rowid', '(id integer primary key, body) without rowid', 'i'],
  ['a column called like the word', '(id integer primary key, body, myneedles)', 'i, 7'],
];

/** Rows far from each other, among so many that SQLite looks at them in several steps. */
const COUNT = 230_000;
const NEAR = [1, 2, 99_999, 100_000, 100_001, 200_000, COUNT];

test.each(TABLES)('a table with %s', { tags: 'slow' }, async (_, columns, id) => {
  const { write, oriel, read } = workspace(unhurried);
  const body = `case when i in (${NEAR.join(',')}) then 'the ' || i || '.myneedle' else 'some hay' end`;
  const [key, third] = id.split(', ');
  const bytes = await databaseBytes(
    `create table t${columns}`,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${COUNT}) insert into t select ${key}, ${body}${third ? `, ${third}` : ''} from n`,
  );
  write('a.db', bytes);
  const grep = async (options: object): Promise<string> =>
    textOf(await oriel.tool('grep').run({ path: 'a.db', ...options }));
  const found = (await grep({ pattern: String.raw`\.myneedle` })).split('\n');
  expect(found).toHaveLength(NEAR.length);
  for (const [i, number] of NEAR.entries()) expect(found[i]).toContain(`the ${number}.myneedle`);
  for (const line of found) {
    const [, call = '', shown = ''] = /^(.*?):\d+: (.*)$/.exec(line) ?? [];
    expect(textOf(await read(call))).toContain(shown.trim());
  }
});

test.each(['TEXT', 'bytes', 'NULL', 'u00e9', '200b', 'body', 'x', 'a b'])(
  'finds what only the text of a row has: %s',
  async (pattern) => {
    const { write, oriel } = workspace(unhurried);
    write(
      'a.db',
      await databaseBytes(
        'create table t(id integer primary key, body)',
        "insert into t values (1, null), (2, x'00ff'), (3, 'a' || char(8203) || 'x'), (4, 'a b'), (5, 'TEXT bytes u00e9')",
      ),
    );
    const grep = async (options: object): Promise<string> =>
      textOf(await oriel.tool('grep').run({ path: 'a.db', ...options }));
    // Without a word that each match contains, every row is looked at.
    expect(await grep({ pattern })).toBe(await grep({ pattern: `(?:${pattern}|${pattern})` }));
  },
);

test('a word that only a BLOB contains is not said to be absent', async () => {
  const { write, oriel } = workspace(unhurried);
  const rows = "(1, 'needle', x'00'), (2, 'hay', cast('the needle' as blob))";
  write(
    'a.db',
    await databaseBytes('create table t(id integer primary key, a, b)', `insert into t values ${rows}`),
  );
  const grep = async (pattern: string): Promise<string> =>
    textOf(await oriel.tool('grep').run({ path: 'a.db', pattern }));
  expect(await grep('needle')).toMatch(/^a\.db:t:1:2: a: needle\n\[1 text searched in part: .* or a BLOB\./);
  expect(await grep('hay')).toBe('a.db:t:2:2: a: hay');
});
