/** What each kind of call to a database answers, without the thread in which SQLite runs otherwise. */

import { describe, expect, test } from 'vitest';
import { compose } from '../../../src/formats/sqlite/render.ts';
import { parseSqliteSelector } from '../../../src/formats/sqlite/select.ts';
import type { SqliteReply } from '../../../src/formats/sqlite/protocol.ts';
import { SqliteConnection } from '../../../src/formats/sqlite/worker/connection.ts';
import { loadLibrary } from '../../../src/formats/sqlite/worker/library.ts';
import { answer, toFailure } from '../../../src/formats/sqlite/worker/reply.ts';
import type { StatementClock } from '../../../src/formats/sqlite/worker/statement.ts';
import { DATABASE, fileOf, ReadOnlyVfs } from '../../../src/formats/sqlite/worker/vfs.ts';
import type { Limits } from '../../../src/types/excerpt.ts';
import { readAt } from '../../../src/text/bytes.ts';
import { databaseBytes } from '../../support/sqlite.ts';

const library = await loadLibrary();
const vfs = new ReadOnlyVfs(library);
const LIMITS = { lines: 3_000, bytes: 51_200, tokens: Number.POSITIVE_INFINITY } as Limits;

/** Answers `db` and what follows it in a call: the text with its notices in brackets, or `CODE: sentence`. */
function databaseOf(content: Uint8Array, limits = LIMITS, clock: StatementClock = { over: () => undefined }) {
  return async (rest: string): Promise<string> => {
    let connection: SqliteConnection | undefined;
    let reply: SqliteReply;
    const parsed = parseSqliteSelector(rest);
    try {
      connection = new SqliteConnection(library, vfs, new Map([[DATABASE, fileOf(content)]]), clock);
      reply = answer(connection, parsed.ask, limits.bytes);
    } catch (error) {
      reply = toFailure(library, error, parsed.ask, connection);
    } finally {
      connection?.close();
    }
    if (reply.kind === 'error')
      return `${reply.code}: ${reply.message}${reply.rest ? ` Use db${reply.rest}` : ''}`;
    const { bytes, notes = [], more } = compose(reply, parsed, 'db', limits);
    const text = Buffer.from(await readAt(bytes, 0, bytes.size ?? 0)).toString();
    const notices = [...notes, ...(more ? [more] : [])].map((one) => `[${(one as { text: string }).text}]\n`);
    return text + notices.join('');
  };
}

const SCHEMA = `create table users(id integer primary key, name text not null, score real);
  create index by_name on users(name);
  with recursive n(i) as (values(1) union all select i + 1 from n where i < 7)
  insert into users select i, 'user ' || i, i / 2.0 from n;
  create table pairs(a, b, primary key(a, b)) without rowid; insert into pairs values (2, 'y'), (1, 'x');
  create view best as select name from users where score > 3;
  create table empty(a); create table "odd:name?"(a); insert into "odd:name?" values (x'00ff')`;

/** The heading of a page without rows. */
const HEAD = '| id | name | score |\n|----|------|-------|\n';

const read = databaseOf(await databaseBytes(SCHEMA));

describe('a database', () => {
  test('says for lines of a table which call has such rows', async () => {
    expect(await read('users:2-3')).toContain(
      '[These are lines of the text. Use db:users?limit=2&offset=1 for rows]',
    );
    expect(await read('users:2..3')).not.toContain('lines of the text');
    expect(await read('empty:2-3')).not.toContain('lines of the text');
  });

  test('lists its tables by the names that a call takes', async () => {
    expect(await read('')).toBe(
      'best (view)\nempty (0 rows)\nodd%3Aname%3F (1 row)\npairs (2 rows)\nusers (7 rows)\n',
    );
    expect(await read('?limit=2&offset=1')).toContain('empty (0 rows)\n');
  });

  test('shows a table with statements, five rows and next call', async () => {
    expect(await read('users'))
      .toBe(`CREATE TABLE users(id integer primary key, name text not null, score real);
CREATE INDEX by_name on users(name);

| id | name   | score |
|----|--------|-------|
| 1  | user 1 | 0.5   |
| 2  | user 2 | 1.0   |
| 3  | user 3 | 1.5   |
| 4  | user 4 | 2.0   |
| 5  | user 5 | 2.5   |
[Showing rows 1-5 of 7. Use db:users?limit=20&offset=5 to continue]
`);
    expect(await read('empty')).toBe('CREATE TABLE empty(a);\n\n(no rows)\n');
    expect(await read('odd%3Aname%3F?limit=1')).toBe(
      '| a              |\n|----------------|\n| <BLOB 2 bytes> |\n',
    );
  });

  test('shows one row by its key, or by a condition', async () => {
    expect(await read('users:3')).toBe('id: 3\nname: user 3\nscore: 1.5\n');
    expect(await read('pairs?where=a=2')).toBe('| a | b |\n|---|---|\n| 2 | y |\n');
  });

  test.each([
    ['users:9', 'NOT_FOUND: users has no row with id 9 Use db:users?limit=20'],
    ['best:1', 'BAD_SELECTOR: best is a view whose rows have no key; use ?where=, or ?limit= and ?offset='],
    [
      'pairs:1',
      'NOT_FOUND: pairs has a primary key of 2 columns (a, b), so one value names no row; give them all in',
    ],
    ['user:3', 'Did you mean users? Use db:users:3'],
    [
      'nothing',
      'NOT_FOUND: There is no table nothing; the tables are best, empty, odd%3Aname%3F, pairs, users.',
    ],
    ['users:3?limit=1', 'BAD_QUERY: A row is read by its key only, without parameters Use db:users:3'],
    ['select 1', 'BAD_QUERY: There is no table select 1; a query is written after ?q= Use db?q=select%201'],
  ])('%s is answered with the call that works', async (rest, sentence) => {
    expect(await read(rest)).toContain(sentence);
  });
});

describe('pages of rows', () => {
  test('a condition and an order select and sort, with totals', async () => {
    expect(await read('users?where=score > 1 and score < 3&order=id:desc&limit=2')).toBe(
      `| id | name   | score |
|----|--------|-------|
| 5  | user 5 | 2.5   |
| 4  | user 4 | 2.0   |
[Showing rows 1-2 of 3. Use db:users?where=score%20>%201%20and%20score%20<%203&order=id%3Adesc&limit=2&offset=2 to continue]
`,
    );
    expect(await read('users?where=score > 9')).toBe(`${HEAD}(no rows)\n`);
  });

  test('an offset beyond the end is answered with the end', async () => {
    expect(await read('users?limit=3&offset=7')).toBe(
      `${HEAD}(no rows)\n[offset 7 is beyond the last of 7 rows. Use db:users?limit=3&offset=4 for the end]\n`,
    );
    expect(await read('users?limit=3&offset=6')).toContain('| 7  | user 7 | 3.5   |');
    expect(await read('users?limit=3&offset=7&after=7')).toContain('[no row follows 7. Use ');
  });

  test('a page fits an answer, a long row stands alone', async () => {
    const small = databaseOf(await databaseBytes(SCHEMA), { ...LIMITS, lines: 4 } as Limits);
    expect(await small('users?limit=7')).toContain('[Showing rows 1-2 of 7. Use ');
    const long = databaseOf(
      await databaseBytes(`create table t(a, b); insert into t values (1, '${'x'.repeat(60)}'), (2, 'y')`),
    );
    expect(await long('t?limit=2')).toContain(`| 1 | ${'x'.repeat(39)}… |`);
    expect(await long('t?limit=2')).toContain(
      '[Values that end in … are cut. Use db:t?limit=1&offset=0 for a whole row]',
    );
    expect(await long('t?limit=1')).toBe(
      `a: 1\nb: ${'x'.repeat(60)}\n[Showing row 1 of 2. Use db:t?limit=1&offset=1&after=1 to continue]\n`,
    );
  });
});

describe('queries', () => {
  test('read', async () => {
    expect(await read('?q=select count(*) as n, max(score) from users')).toBe(
      '| n | max(score) |\n|---|------------|\n| 7 | 3.5        |\n',
    );
  });

  test.each([
    [
      '?q=delete from users',
      'READ_ONLY: The database is read-only here: only statements that read are allowed',
    ],
    [
      "?q=attach 'x' as y",
      'DENIED: Only this database can be read: ATTACH, DETACH and VACUUM are not allowed',
    ],
    [
      '?q=select 1; select 2',
      'BAD_QUERY: q holds several SQL statements; give one at a time Use db?q=select%201',
    ],
    ['?q=select ?', 'BAD_QUERY: q has parameters that nothing is bound to; write the values into the SQL'],
    ['?q=-- nothing', 'BAD_QUERY: q holds no SQL statement'],
    ['users?where=nope > 1', 'BAD_QUERY: no such column: nope'],
    ['?q=select nope from users', 'SQL_ERROR: no such column: nope'],
    ['pairs?limit=1&after=1', 'BAD_QUERY: after continues rows in the order of their rowid'],
  ])('%s is answered with what was wrong', async (rest, sentence) => {
    expect(await read(rest)).toContain(sentence);
  });

  test('end with their time, or their call', async () => {
    const endless =
      '?q=with recursive n(i) as (values(1) union all select i + 1 from n) select count(*) from n';
    const bytes = await databaseBytes('create table t(a)');
    expect(await databaseOf(bytes, LIMITS, { over: () => 'time' })(endless)).toMatch(/^TIMEOUT: /);
    expect(await databaseOf(bytes, LIMITS, { over: () => 'cancelled' })(endless)).toBe(
      'CANCELLED: The query was cancelled',
    );
  });
});

test('damage is reported only for what it hides', async () => {
  const bytes = Buffer.from(
    await databaseBytes('create table a(x); insert into a values (1)', 'create table b(x)'),
  );
  // The root page of the first table.
  bytes.fill(0xff, 4096, 2 * 4096);
  const damaged = databaseOf(bytes);
  expect(await damaged('')).toBe('a (damaged)\nb (0 rows)\n');
  expect(await damaged('a?limit=1')).toMatch(/^CORRUPT: The database is damaged: /);
  expect(await damaged('b?limit=1')).toBe('| x |\n|---|\n(no rows)\n');
});

describe('a table with a damaged page', () => {
  // Rows of a page each or so; one page in the middle is overwritten.
  const rows = `with recursive n(i) as (select 1 union all select i + 1 from n where i < 40)
    insert into t select i, 'row ' || i || '.' || hex(zeroblob(1000)) from n`;
  const page = async (): Promise<(rest: string) => Promise<string>> => {
    const bytes = Buffer.from(await databaseBytes('create table t(a integer primary key, b)', rows));
    const damaged = Math.floor(bytes.indexOf('row 20.') / 4096) * 4096;
    bytes.fill(0xff, damaged, damaged + 4096);
    return databaseOf(bytes);
  };
  const numbers = (text: string): number[] => [...text.matchAll(/^\| (\d+) /gm)].map(([, a]) => Number(a));

  test('is read to its end by the calls that it names', async () => {
    const read = await page();
    const seen: number[] = [];
    const said: string[] = [];
    for (let rest: string | undefined = 't?limit=15'; rest !== undefined;) {
      const text: string = await read(rest);
      seen.push(...numbers(text));
      said.push(...(text.match(/\[Rows with[^\]]*\]/g) ?? []));
      rest = /Use \S*?:(t\S+) to continue/.exec(text)?.[1];
    }
    const lost = Array.from({ length: 40 }, (_, i) => i + 1).filter((a) => !seen.includes(a));
    expect(lost).toContain(20);
    expect(seen).toStrictEqual(Array.from({ length: 40 }, (_, i) => i + 1).filter((a) => !lost.includes(a)));
    expect(said).toStrictEqual([
      `[Rows with the rowids ${lost[0]} to ${lost.at(-1)} were not read: the database is damaged there]`,
    ]);
  });

  test('begins behind the damage where that comes first', async () => {
    const text = await (await page())('t?limit=2&after=19');
    expect(text).toMatch(/\[Rows with the rowids 20 to \d+ were not read: the database is damaged there\]/);
    expect(numbers(text)[0]).toBeGreaterThan(20);
  });

  test('has its schema, and the rows of a query in front of the damage', async () => {
    const read = await page();
    expect(numbers(await read('t'))).toStrictEqual([1, 2, 3, 4, 5]);
    const all = await read('?limit=100&q=select * from t');
    expect(numbers(all)[0]).toBe(1);
    expect(all).toMatch(/\[What follows was not read: the database is damaged there\]/);
    expect(await read('t?limit=3&offset=30')).toMatch(/^CORRUPT: The database is damaged: /);
  });
});
