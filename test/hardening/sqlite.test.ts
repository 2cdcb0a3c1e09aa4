/**
 * Hostile databases and hostile questions, named by case.
 *
 * @module-tag slow
 */

import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { has } from '../support/has.ts';
import { docx, paragraph, sheetRow, xlsx } from '../support/documents.ts';
import { databaseBytes, writer } from '../support/sqlite.ts';
import { codeOf, nextOf, textOf, workspace, type Workspace } from '../support/workspace.ts';

/** Names, contents and times of everything below a folder. */
function picture(folder: string): string[] {
  return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
    const path = join(folder, name);
    const { mtimeNs, size, mode } = fs.statSync(path, { bigint: true });
    const content = fs.statSync(path).isFile()
      ? createHash('sha256').update(fs.readFileSync(path)).digest('hex')
      : '';
    return `${name} ${mode} ${size} ${mtimeNs} ${content}`;
  });
}

async function holding(name: string, ...statements: string[]): Promise<Workspace> {
  const place = workspace();
  place.write(name, await databaseBytes(...statements));
  return place;
}

/** Views that read themselves twice, thirty times over, and one without an end. */
const VIEW_BOMB = [
  'create table t(a int, b int); insert into t values (1, 2), (3, 4)',
  'create view j0 as select a from t; create view u0 as select a from t; create view w0 as select a from t',
  ...Array.from({ length: 30 }, (_, at) => {
    const [one, two] = [at, at + 1];
    return `create view j${two} as select x.a from j${one} x, j${one} y;
      create view u${two} as select a from u${one} union all select a from u${one};
      create view w${two} as select (select max(a) from w${one}) + (select min(a) from w${one}) as a;`;
  }),
  'create view endless as with recursive c(i) as (values(1) union all select i + 1 from c) select i from c',
];

test('an endless query is stopped, the next one is answered', async () => {
  const { with: walled } = await holding('sq-view-bomb.db', ...VIEW_BOMB);
  const read = walled({ timeoutMs: 700 }).tool('read');
  const endless = 'with recursive c(i) as (values(1) union all select i + 1 from c) select sum(i) from c';
  expect(codeOf(await read.run({ path: `sq-view-bomb.db?q=${endless}` }))).toBe('TIMEOUT');
  // One step that takes for ever: nothing asks for the time, so the thread itself is ended.
  const stuck = "select instr(hex(zeroblob(4000000)), hex(zeroblob(2000000)) || '1')";
  expect(codeOf(await read.run({ path: `sq-view-bomb.db?q=${stuck}` }))).toBe('TIMEOUT');
  // The queue is that of the process. A new thread may need longer than the others were given.
  expect(codeOf(await walled({}).tool('read').run({ path: 'sq-view-bomb.db:t' }))).toBe('OK');
});

test('expensive views are listed and shown with bounded rows', async () => {
  const { read } = await holding('sq-view-bomb.db', ...VIEW_BOMB);
  expect(textOf(await read('sq-view-bomb.db'))).toContain('w30 (view)\n');
  for (const bomb of ['j30', 'u30', 'w30']) {
    const answer = await read(`sq-view-bomb.db:${bomb}`);
    expect(textOf(answer)).toMatch(/^CREATE VIEW .*;\n\[Its rows cannot be read: .*\]$/);
  }
  expect(textOf(await read('sq-view-bomb.db:endless'))).toContain('[Showing rows 1-5 of at least ');
});

describe('Q07 hostile table names', () => {
  const NAMES = [
    '',
    ' ',
    ' padded ',
    '"',
    '""',
    "it's",
    'a"b',
    'a`b]c[d',
    'a:b',
    ':',
    'a?b=c',
    '?q=select 1',
    'users?limit=5',
    'a%3Ab',
    '%',
    '%zz',
    '100%25',
    'raw',
    '5-10',
    '42',
    '1..',
    '../etc/passwd',
    'a/b\\c',
    'line\nbreak',
    'tab\tand\rreturn',
    '\u001b[31mred\u001b[0m',
    'bell\u0007',
    '\u202eright to left',
    'zero\u200bwidth',
    '\ufeffmark',
    'émigré 表 🎉',
    'x; drop table t; --',
    "'); delete from t; --",
    'select',
    'n'.repeat(300),
    '#name',
    'a&b+c d',
  ];

  test('each is listed with the path that reads it', async () => {
    const create = (name: string, at: number): string => {
      const quoted = `"${name.replaceAll('"', '""')}"`;
      return `create table ${quoted}(v); insert into ${quoted} values (${at})`;
    };
    const { read } = await holding('sq-names.db', ...NAMES.map(create));
    const list = textOf(await read('sq-names.db'));
    expect(list).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e\ufeff]/);
    const lines = list.trimEnd().split('\n');
    expect(lines).toHaveLength(NAMES.length);
    const values = new Set<string | undefined>();
    for (const line of lines) {
      const segment = line.replace(/ \(1 row\)$/, '');
      const table = textOf(await read(`sq-names.db:${segment}`));
      const page = textOf(await read(`sq-names.db:${segment}?limit=5`));
      const row = textOf(await read(`sq-names.db:${segment}:1`));
      expect(table).toContain(page);
      const value = /^\| (\d+) +\|$/m.exec(page)?.[1];
      expect(row).toBe(`v: ${value}\n`);
      values.add(value);
    }
    expect(values.size).toBe(NAMES.length);
  });

  test('a name that is not UTF-8', async () => {
    const bytes = Buffer.from(await databaseBytes('create table inv_x(v); insert into inv_x values (7)'));
    const place = workspace();
    // In the schema the name stands three times: as name, as table and in the statement.
    for (let at = bytes.indexOf('inv_x'); at !== -1; at = bytes.indexOf('inv_x', at + 1))
      bytes[at + 3] = 0xff;
    place.write('sq-names.db', bytes);
    expect(await place.text('sq-names.db')).toBe('inv%FFx (1 row)\n');
    expect(await place.text('sq-names.db:inv%FFx?limit=1')).toBe('| v |\n|---|\n| 7 |\n');
    expect(await place.text('sq-names.db:inv%FFx')).toContain('CREATE TABLE inv\\xffx(v);');
  });

  test('hostile column names', async () => {
    const columns = ['a:desc', 'line\nbreak', '\u001b[31m', 'a"b', ' ', 'x, y', '1) from t --'];
    const list = columns.map((name) => `"${name.replaceAll('"', '""')}"`).join(', ');
    const { read } = await holding(
      'sq-names.db',
      `create table t(${list}); insert into t values (1, 2, 3, 4, 5, 6, 7), (2, 1, 1, 1, 1, 1, 1)`,
    );
    const head = textOf(await read('sq-names.db:t?limit=2')).split('\n')[0];
    expect(head).toBe(String.raw`| a:desc | "line\nbreak" | "\x1b[31m" | a"b | " " | x, y | 1) from t -- |`);
    const ordered = textOf(await read('sq-names.db:t?order=a%3Adesc%3Adesc&limit=1'));
    expect(ordered).toContain('| 2      |');
    expect(textOf(await read('sq-names.db:t?order=line%0Abreak&limit=1'))).toContain('| 2      | 1 ');
  });
});

describe('Q08 where/order injection through selector', () => {
  test('SQL keywords in strings and names are data', async () => {
    const { read } = await holding(
      'sq-view-bomb.db',
      `create table t(a, "limit"); insert into t values ('a; -- union (', 5)`,
    );
    expect(textOf(await read(`sq-view-bomb.db:t?where=a = 'a; -- union (' and "limit" = 5`))).toContain(
      '| 5 ',
    );
    expect(textOf(await read('sq-view-bomb.db:t?where=a in (select a from t)'))).toContain('| 5 ');
  });
});

describe('Q11 WAL in a read-only directory, Q12 uncheckpointed WAL', () => {
  const FILL = `db.execute('pragma journal_mode=wal'); db.execute('pragma wal_autocheckpoint=0')
db.execute('create table t(a)'); db.execute('insert into t values (42)')
print('ready', flush=True)
`;

  test.runIf(has('python3'))('Q12 rows only in the WAL of a running writer', async () => {
    const { W, read } = workspace();
    const live = await writer(join(W, 'sq-wal-live.db'), `${FILL}sys.stdin.read()`);
    const before = picture(W);
    expect(before.some((line) => line.startsWith('sq-wal-live.db-wal '))).toBe(true);
    expect(textOf(await read('sq-wal-live.db:t'))).toBe('CREATE TABLE t(a);\n\n| a  |\n|----|\n| 42 |\n');
    expect(picture(W)).toEqual(before);
    await live.kill();
  });

  test.runIf(has('python3'))('a database in WAL mode without its WAL file', async () => {
    const { W, read } = workspace();
    const closed = await writer(join(W, 'sq-wal-live.db'), `${FILL}db.close()`);
    await closed.ended;
    expect(fs.readdirSync(W)).toEqual(['sq-wal-live.db']);
    expect(textOf(await read('sq-wal-live.db:t'))).toContain('| 42 |');
    expect(fs.readdirSync(W)).toEqual(['sq-wal-live.db']);
  });

  test('a WAL file that links outside the roots is refused', async () => {
    const { W, O, read } = await holding('sq-wal-live.db', 'create table t(a)');
    fs.symlinkSync(join(O, 'secret.txt'), join(W, 'sq-wal-live.db-wal'));
    expect(codeOf(await read('sq-wal-live.db'))).toBe('OUTSIDE_ROOT');
  });
});

test.runIf(has('python3'))('reading neither shows nor rolls back an unfinished transaction', async () => {
  const { W, read } = workspace();
  const path = join(W, 'sq-hot.db');
  const dying = await writer(
    path,
    `db.execute('create table t(a, b)'); db.execute('begin')
db.executemany('insert into t values (?, ?)', [(i, 'x' * 500) for i in range(500)]); db.execute('commit')
db.execute('pragma cache_size=5')
db.execute('begin'); db.execute('update t set a = -1'); db.execute('delete from t where rowid > 100')
print('ready', flush=True); sys.stdin.read()`,
  );
  await dying.kill();
  const before = picture(W);
  expect(before.some((line) => line.startsWith('sq-hot.db-journal '))).toBe(true);
  // What a reader without the journal would see is not what was committed.
  expect(textOf(await read('sq-hot.db?q=select count(*) n, min(a) least from t'))).toBe(
    '| n   | least |\n|-----|-------|\n| 500 | 0     |\n',
  );
  expect(picture(W)).toEqual(before);
});

describe('Q15 1e999, int64 edges, invalid UTF-8 text, NUL text', () => {
  test('exact values', async () => {
    const { read } = await holding(
      'sq-types.db',
      `create table t(id integer primary key, v);
       insert into t values
        (1, 9223372036854775807), (2, -9223372036854775808), (3, 9007199254740993), (4, 1e999), (5, -1e999),
        (6, cast(x'61ff62' as text)), (7, cast(x'610062' as text)), (8, 0.1), (9, 1.0), (10, 1e300), (11, -0.0),
        (12, ''), (13, null), (14, x''), (15, 'NULL'), (16, char(0x1f600)), (17, cast(x'eda080' as text)),
        (18, char(10) || char(9)), (19, 5e-324), (20, 123456789012345678);`,
    );
    const cells = Array.from(
      textOf(await read('sq-types.db:t?limit=20')).matchAll(/^\| \d+ +\| (.*) \|$/gm),
      (match) => match[1]?.trimEnd(),
    );
    expect(cells).toEqual([
      '9223372036854775807',
      '-9223372036854775808',
      '9007199254740993',
      'Inf',
      '-Inf',
      String.raw`"a\xffb"`,
      String.raw`"a\x00b"`,
      '0.1',
      '1.0',
      '1e+300',
      '-0.0',
      '',
      'NULL',
      '<BLOB 0 bytes>',
      '"NULL"',
      '😀',
      String.raw`"\xed\xa0\x80"`,
      String.raw`"\n\t"`,
      '5e-324',
      '123456789012345678',
    ]);
    expect(textOf(await read('sq-types.db:t:6'))).toBe('id: 6\nv: a\\xffb\n');
    expect(textOf(await read('sq-types.db:t:1'))).toBe('id: 1\nv: 9223372036854775807\n');
  });
});

describe('huge values', () => {
  test('a value too large to load is shown by size', async () => {
    const { read } = await holding(
      'sq-huge.db',
      `create table t(id integer primary key, v, w);
       insert into t values (1, zeroblob(20000000), 'one'), (2, 'two', printf('%.*c', 20000000, 'x'))`,
    );
    expect(textOf(await read('sq-huge.db:t?limit=5'))).toBe(
      `| id | v                     | w                     |
|----|-----------------------|-----------------------|
| 1  | <BLOB 20000000 bytes> | one                   |
| 2  | two                   | <TEXT 20000000 bytes> |
`,
    );
    expect(textOf(await read('sq-huge.db:t:2'))).toBe('id: 2\nv: two\nw: <TEXT 20000000 bytes>\n');
    expect(codeOf(await read('sq-huge.db?q=select w from t where id = 2'))).toBe('LIMIT');
    expect(codeOf(await read('sq-huge.db?q=select zeroblob(1000000000)'))).toBe('LIMIT');
  });
});

describe('wide tables', () => {
  const COLUMNS = Array.from({ length: 1900 }, (_, at) => `c${at}`);

  test('columns that do not fit give one block each row', async () => {
    const few = COLUMNS.slice(0, 40);
    const { read } = await holding(
      'sq-wide.db',
      `create table t(${few.join(', ')});
       with recursive n(i) as (values(1) union all select i + 1 from n where i < 90)
       insert into t select ${few.map((_, at) => `'r' || i || 'c${at}'`).join(', ')} from n`,
    );
    const rows: string[] = [];
    for (let path: string | undefined = 'sq-wide.db:t?limit=500'; path !== undefined;) {
      const answer = await read(path);
      rows.push(
        ...Array.from(textOf(answer).matchAll(/^ {2}c39: r(\d+)c39$/gm), (match) => match[1] as string),
      );
      path = nextOf(answer);
    }
    expect(rows).toEqual(Array.from({ length: 90 }, (_, at) => String(at + 1)));
    expect(
      textOf(await read('sq-wide.db:t?limit=2'))
        .split('\n')
        .slice(0, 3),
    ).toEqual(['row 1', '  c0: r1c0', '  c1: r1c1']);
  });

  test('an oversized row is paged by lines, then the next', async () => {
    const { read } = await holding(
      'sq-wide.db',
      `create table t(${COLUMNS.join(', ')})`,
      `insert into t values (${COLUMNS.map((_, at) => `'${String(at).padStart(60, '.')}'`).join(', ')})`,
      'insert into t select * from t',
    );
    const seen: string[] = [];
    for (let path: string | undefined = 'sq-wide.db:t?limit=20'; path !== undefined;) {
      const answer = await read(path);
      seen.push(...Array.from(textOf(answer).matchAll(/^(c\d+): /gm), (match) => match[1] as string));
      expect(Buffer.byteLength(textOf(answer))).toBeLessThan(51_200 + 1024);
      path = nextOf(answer);
    }
    expect(seen).toEqual([...COLUMNS, ...COLUMNS]);
  });
});

describe('Q19 regexp/like/glob blow-up', () => {
  test.each([
    "select printf('%.*c',50000,'a') like printf('%%%.*c',40,'a%')",
    "select printf('%.*c',50000,'a') like replace(hex(zeroblob(400)), '0', 'a%') || 'b'",
    "select printf('%.*c',50000,'a') glob replace(hex(zeroblob(300)), '0', 'a*') || 'b'",
    `select 1 where ${Array.from({ length: 3000 }, () => '1').join('+')}`,
    `select ${'('.repeat(5000)}1${')'.repeat(5000)}`,
    "select json(printf('%.*c', 1000000, '['))",
    "with recursive c(s) as (values('x') union all select s || s from c) select max(length(s)) from c",
    'select group_concat(x.name) from pragma_function_list x, pragma_function_list y, pragma_function_list z',
  ])('%s', async (sql) => {
    const { with: walled } = await holding('sq-view-bomb.db', 'create table t(a)');
    const answer = await walled({ timeoutMs: 700 })
      .tool('read')
      .run({ path: `sq-view-bomb.db?q=${sql}` });
    expect(['OK', 'LIMIT', 'TIMEOUT', 'SQL_ERROR']).toContain(codeOf(answer));
    expect(Buffer.byteLength(textOf(answer))).toBeLessThan(51_200 + 1024);
  });
});

/** Two values that are not two more columns, and a text that is not a mark of SQL. */
const CELLS = ['one', 'two | three', 'NULL'] as const;

test('Q21 values that look like columns, lines, NULL or BLOB', async () => {
  const place = await holding(
    'a.db',
    'create table t(one, two, three)',
    `insert into t values (${CELLS.map((cell) => `'${cell}'`).join(', ')})`,
  );
  place.write('a.xlsx', xlsx([['S', `<sheetData>${sheetRow(1, CELLS)}${sheetRow(2, CELLS)}</sheetData>`]]));
  const wordCells = CELLS.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('');
  place.write('a.docx', docx(`<w:tbl><w:tr>${wordCells}</w:tr><w:tr>${wordCells}</w:tr></w:tbl>`));
  for (const path of ['a.db:t?limit=5', 'a.xlsx:raw', 'a.xlsx:S?limit=5', 'a.docx:raw']) {
    const lines = textOf(await place.read(path))
      .split('\n')
      .filter((line) => line.startsWith('|'));
    expect(lines.length, path).toBeGreaterThanOrEqual(3);
    const columns = lines.map((line) => line.replace(/\\[^]/g, '').split('|').length);
    expect([path, new Set(columns).size], lines.join('\n')).toEqual([path, 1]);
  }
});
