import { copyFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { database, databaseBytes, folder, reader } from '../../support/sqlite.ts';

const USERS = `create table users(id integer primary key, name text not null, score real);
  create index by_name on users(name);
  with recursive n(i) as (values(1) union all select i + 1 from n where i < 50)
  insert into users select i, 'user ' || i, i / 2.0 from n;`;

describe('what is a database', () => {
  test.each(['db.sqlite', 'db.sqlite3', 'db.db', 'db.db3', 'DB.SQLITE'])(
    '%s with its header',
    async (name) => {
      const read = reader(await database(name, 'create table t(a)'));
      expect((await read(name)).text).toBe('t (0 rows)\n');
    },
  );

  test('a text named .db is a text', async () => {
    const cwd = folder();
    writeFileSync(join(cwd, 'notes.db'), 'only words\n');
    expect((await reader(cwd)('notes.db')).text).toBe('1|only words\n');
  });

  test('a database is detected by its content, whatever its name', async () => {
    const cwd = await database('db.db', 'create table t(a)');
    renameSync(join(cwd, 'db.db'), join(cwd, 'data.bin'));
    expect((await reader(cwd)('data.bin')).details['kind']).toBe('sqlite');
    expect((await reader(cwd)('data.bin:t')).text).toContain('CREATE TABLE t');
  });

  test('UTF-16 text is refused, not shown as noise', async () => {
    const cwd = await database('db.db', 'create table t(a)');
    const bytes = Buffer.from(await databaseBytes('create table t(a)'));
    bytes.writeUInt32BE(2, 56);
    writeFileSync(join(cwd, 'db.db'), bytes);
    expect(await reader(cwd)('db.db')).toMatchObject({ code: 'UNSUPPORTED' });
  });
});

describe('the list', () => {
  test('tables with their rows, views, virtual and shadow tables, sorted', async () => {
    const read = reader(
      await database(
        'db.sqlite',
        USERS,
        `create view best as select * from users where score > 20;
         create table single(a); insert into single values (1);
         create virtual table notes using fts5(body); insert into notes values ('hello');`,
      ),
    );
    expect((await read('db.sqlite')).text).toBe(
      [
        'best (view)',
        'notes (virtual table, 1 row)',
        'notes_config (shadow table, 1 row)',
        'notes_content (shadow table, 1 row)',
        'notes_data (shadow table, 3 rows)',
        'notes_docsize (shadow table, 1 row)',
        'notes_idx (shadow table, 1 row)',
        'single (1 row)',
        'users (50 rows)',
        '',
      ].join('\n'),
    );
  });

  test('a database without tables', async () => {
    const read = reader(await database('db.sqlite', 'create table t(a); drop table t'));
    expect((await read('db.sqlite')).text).toBe('(no tables)\n');
  });

  test('large tables are counted with a bounded amount of work', { tags: 'slow' }, async () => {
    const read = reader(
      await database(
        'db.sqlite',
        `create table big(a, b);
         with recursive n(i) as (values(1) union all select i + 1 from n where i < 40000)
         insert into big select i, zeroblob(1000) from n;`,
      ),
    );
    expect((await read('db.sqlite')).text).toBe('big (at least 10000 rows)\n');
  });
});

describe('a table', () => {
  test('names are case-insensitive, an exact match takes precedence', async () => {
    const read = reader(await database('db.sqlite', 'create table Orders(a); insert into Orders values (1)'));
    expect((await read('db.sqlite:orders?limit=1')).text).toBe('| a |\n|---|\n| 1 |\n');
  });

  test("SQLite's own tables are unlisted, and can be read", async () => {
    const read = reader(
      await database('db.sqlite', 'create table t(id integer primary key autoincrement, a)'),
    );
    expect((await read('db.sqlite')).text).toBe('t (0 rows)\n');
    expect((await read('db.sqlite:sqlite_master?order=name:desc&limit=1')).text).toContain('name: t\n');
    expect((await read('db.sqlite:sqlite_sequence')).text).toContain('(no rows)');
  });

  test('views, generated columns, WITHOUT ROWID, virtual tables', async () => {
    const read = reader(
      await database(
        'db.sqlite',
        `create table g(a int, b int as (a * 2), c int as (a * 3) stored); insert into g(a) values (4);
         create view v(twice) as select a * 2 from g;
         create table w(k text primary key, v) without rowid; insert into w values ('b', 2), ('a', 1);
         create virtual table r using rtree(id, low, high); insert into r values (1, 2, 3);
         create virtual table f using fts5(title, body); insert into f values ('hello', 'world');`,
      ),
    );
    expect((await read('db.sqlite:g?limit=5')).text).toBe('| a | b | c  |\n|---|---|----|\n| 4 | 8 | 12 |\n');
    expect((await read('db.sqlite:v?limit=5')).text).toBe('| twice |\n|-------|\n| 8     |\n');
    expect((await read('db.sqlite:w?limit=5')).text).toBe('| k | v |\n|---|---|\n| a | 1 |\n| b | 2 |\n');
    expect((await read('db.sqlite:r?limit=5')).text).toContain('| 1  | 2.0 | 3.0  |');
    expect((await read("db.sqlite:f?where=f match 'hello'")).text).toContain('| hello | world |');
    expect((await read('db.sqlite:f:1')).text).toBe('title: hello\nbody: world\n');
  });

  test('a view that uses "words" as strings works', async () => {
    const { loadLibrary } = await import('../../../src/formats/sqlite/worker/library.ts');
    const { capi, oo1 } = await loadLibrary();
    const cwd = folder();
    const db = new oo1.DB(':memory:');
    capi.sqlite3_db_config(db, capi.SQLITE_DBCONFIG_DQS_DDL, 1, 0);
    capi.sqlite3_db_config(db, capi.SQLITE_DBCONFIG_DQS_DML, 1, 0);
    db.exec(
      `create table t(a); insert into t values ('x'), ('y'); create view v as select a from t where a = "x"`,
    );
    writeFileSync(join(cwd, 'db.sqlite'), capi.sqlite3_js_db_export(db));
    db.close();
    expect((await reader(cwd)('db.sqlite:v')).text).toContain('| x |');
  });

  test('an unreadable table is shown as far as possible', async () => {
    const read = reader(
      await database(
        'db.sqlite',
        `create table t(a); create view gone as select * from t; create table u(a); drop table t;
         pragma writable_schema = on;
         insert into sqlite_schema values ('table', 'old', 'old', 0, 'CREATE VIRTUAL TABLE old USING fts4(a)');`,
      ),
    );
    expect((await read('db.sqlite')).text).toBe(
      'gone (view)\nold (virtual table, not readable: no such module: fts4)\nu (0 rows)\n',
    );
    expect((await read('db.sqlite:old')).text).toBe(
      'CREATE VIRTUAL TABLE old USING fts4(a);\n[Its rows cannot be read: no such module: fts4]',
    );
    expect((await read('db.sqlite:gone')).text).toBe(
      'CREATE VIEW gone as select * from t;\n[Its rows cannot be read: no such table: main.t]',
    );
    expect(await read('db.sqlite:gone?limit=5')).toMatchObject({
      code: 'SQL_ERROR',
      text: 'The rows of gone cannot be read: no such table: main.t. Use db.sqlite:gone.',
    });
  });
});

describe('a row', () => {
  test('by its primary key, with every value in full', async () => {
    const read = reader(
      await database(
        'db.sqlite',
        `create table t(id integer primary key, a text, b blob, c);
         insert into t values (7, 'one' || char(10) || 'two', x'00ff', null), (-3, printf('%.*c', 200, 'x'), null, 1.5)`,
      ),
    );
    expect((await read('db.sqlite:t:7')).text).toBe('id: 7\na:\n  one\n  two\nb: <BLOB 2 bytes>\nc: NULL\n');
    expect((await read('db.sqlite:t:-3')).text).toBe(`id: -3\na: ${'x'.repeat(200)}\nb: NULL\nc: 1.5\n`);
  });

  test('keys of every type, also those that look like selectors', async () => {
    const read = reader(
      await database(
        'db.sqlite',
        `create table t(k primary key, v);
         insert into t values ('5-10', 'range'), ('raw', 'mode'), ('a:b?c%d', 'marks'), (42, 'int'), ('42', 'text'),
           (1.5, 'real'), (x'c0ffee', 'blob'), ('2026-11-20T10:30:00', 'time'), ('', 'empty');`,
      ),
    );
    const value = async (key: string): Promise<string | undefined> =>
      /^v: (.*)$/m.exec((await read(`db.sqlite:t:${key}`)).text)?.[1];
    expect(await value('5-10')).toBe('range');
    expect(await value('raw')).toBe('mode');
    expect(await value('a%3Ab%3Fc%25d')).toBe('marks');
    expect(await value('42')).toBe('text');
    expect(await value('1.5')).toBe('real');
    expect(await value("x'c0ffee'")).toBe('blob');
    expect(await value('2026-11-20T10:30:00')).toBe('time');
    expect(await value('""')).toBe('empty');
  });

  test('by rowid without a single key, with a notice', async () => {
    const read = reader(
      await database(
        'db.sqlite',
        'create table t(a, b, primary key(a, b)); insert into t values (10, 20), (30, 40)',
      ),
    );
    expect((await read('db.sqlite:t:2')).text).toBe(
      'a: 30\nb: 40\n[t has a primary key of several columns (a, b); the number was taken as rowid]',
    );
  });

  test('int64 without rounding, as key and as value', async () => {
    const read = reader(
      await database(
        'db.sqlite',
        'create table t(id integer primary key, v); insert into t values (9007199254740993, -9223372036854775808)',
      ),
    );
    expect((await read('db.sqlite:t:9007199254740993')).text).toBe(
      'id: 9007199254740993\nv: -9223372036854775808\n',
    );
  });

  test('selectors on the text of a row', async () => {
    const read = reader(
      await database(
        'db.sqlite',
        `create table t(id integer primary key, a); insert into t values (1, 'x' || char(10) || 'y')`,
      ),
    );
    expect((await read('db.sqlite:t:1:3..4')).text).toBe('  x\n  y\n');
    expect((await read('db.sqlite:t:1:raw')).text).toBe('id: 1\na:\n  x\n  y\n');
  });
});

describe('a page', () => {
  test('shows twenty rows in the order of the key', async () => {
    const read = reader(await database('db.sqlite', USERS));
    const { text } = await read('db.sqlite:users?offset=40');
    expect(text.split('\n')[2]).toBe('| 41 | user 41 | 20.5  |');
    expect(text.split('\n')).toHaveLength(13);
    const first = (await read('db.sqlite:users?')).text.split('\n');
    expect(first.at(-2)).toBe('| 20 | user 20 | 10.0  |');
    expect(first.at(-1)).toBe(
      '[Showing rows 1-20 of 50. Use db.sqlite:users?limit=20&offset=20&after=20 to continue]',
    );
  });

  test('equal values are ordered by the key', async () => {
    const read = reader(
      await database(
        'db.sqlite',
        'create table t(id integer primary key, a); insert into t values (3, 0), (1, 0), (2, 0)',
      ),
    );
    expect((await read('db.sqlite:t?order=a:desc')).text).toBe(
      '| id | a |\n|----|---|\n| 1  | 0 |\n| 2  | 0 |\n| 3  | 0 |\n',
    );
  });

  test.each([
    ['users?limit=0', 'limit is a whole number from 1, not 0.'],
    ['users?limit=ten', 'limit is a whole number from 1, not ten.'],
    ['users?offset=-1', 'offset is a whole number from 0, not -1.'],
    ['users?limit=5&limit=6', 'limit is given twice.'],
    [
      'users?colour=red',
      'Unknown parameter colour; there are after, limit, offset, order, select, where (an & inside a condition has a blank after it).',
    ],
    [
      'users?q=select 1',
      'q asks the database and cannot be combined with a table; put the table into the SQL.',
    ],
    ['users?order=nope', 'users has no column nope; its columns are id, name, score, rowid.'],
    ['users?order=id:up', 'users has no column id:up; its columns are id, name, score, rowid.'],
    ['users?where=', 'where is empty.'],
    ['users?where=nope = 1', 'no such column: nope; the columns are id, name, score.'],
    ["users?where=score = 'a' and nope = 1", 'no such column: nope; the columns are id, name, score.'],
    ['users?where=scroe > 1', 'no such column: scroe; the columns are id, name, score. Did you mean score?'],
  ])('%s is refused', async (rest, text) => {
    const read = reader(await database('db.sqlite', USERS));
    expect(await read(`db.sqlite:${rest}`)).toMatchObject({
      code: 'BAD_QUERY',
      text: `${text} Use db.sqlite:users.`,
      next: 'db.sqlite:users',
    });
  });
});

describe('SQL', () => {
  test('plain and percent-encoded', async () => {
    const read = reader(await database('db.sqlite', USERS));
    const answer = '| n  |\n|----|\n| 50 |\n';
    expect((await read('db.sqlite?q=select count(*) n from users')).text).toBe(answer);
    expect((await read('db.sqlite?q=select%20count(*)%20n%20from%20users;')).text).toBe(answer);
    expect((await read('db.sqlite?q=select+count(*)+n+from+users')).text).toBe(answer);
    expect((await read('db.sqlite?q=select 1 & 3 as n;  -- done')).text).toBe('| n |\n|---|\n| 1 |\n');
  });

  test('paged by repeating it', async () => {
    const read = reader(await database('db.sqlite', USERS));
    const { text } = await read('db.sqlite?limit=2&offset=1&q=select id from users where id & 1 order by id');
    expect(text).toBe(
      `| id |
|----|
| 3  |
| 5  |
[Showing rows 2-3. Use db.sqlite?limit=2&offset=3&q=select%20id%20from%20users%20where%20id%20%26%201%20order%20by%20id to continue]`,
    );
    const next = await read(
      'db.sqlite?limit=2&offset=3&q=select%20id%20from%20users%20where%20id%20%26%201%20order%20by%20id',
    );
    expect(next.text).toContain('| 7  |');
  });

  test.each([
    [
      'q=',
      'BAD_QUERY',
      'q is empty; it takes one SQL statement that reads. Use db.sqlite?q=select name from sqlite_schema.',
    ],
    ['q=selekt 1', 'SQL_ERROR', 'near "selekt": syntax error. Use db.sqlite.'],
    [
      'q=select nam from users',
      'SQL_ERROR',
      'no such column: nam; the columns are id, name, score. Did you mean name? Use db.sqlite.',
    ],
    [
      'q=select u.nam from users u',
      'SQL_ERROR',
      'no such column: u.nam; the columns are id, name, score. Did you mean name? Use db.sqlite.',
    ],
    [
      'q=select 1 from user',
      'SQL_ERROR',
      'no such table: user; the tables are users. Did you mean users? Use db.sqlite.',
    ],
    ['limit=5', 'OK', 'users (50 rows)\n'],
    ['where=1', 'BAD_QUERY', 'where needs a table before the question mark. Use db.sqlite.'],
  ])('?%s', async (query, code, text) => {
    const read = reader(await database('db.sqlite', USERS));
    expect(await read(`db.sqlite?${query}`)).toMatchObject({ code, text });
  });
});

test('a database behind a link uses its own write-ahead log', async () => {
  const cwd = await database('db.sqlite', USERS);
  const aside = folder();
  copyFileSync(join(cwd, 'db.sqlite'), join(aside, 'real.sqlite'));
  symlinkSync(join(aside, 'real.sqlite'), join(cwd, 'link.sqlite'));
  expect((await reader(cwd)('link.sqlite')).text).toBe('users (50 rows)\n');
});
