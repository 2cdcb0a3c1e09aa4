/** Paging: following the notices shows every row exactly once, for any limits. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { splitParameters } from '../../../src/formats/sqlite/select.ts';
import { withoutLag } from '../../support/lag.ts';
import { fc } from '../../support/properties.ts';
import { createOriel, type LimitOptions } from '../../../src/index.ts';
import { database, databaseBytes, reader } from '../../support/sqlite.ts';
import { nextOf, textOf } from '../../support/workspace.ts';

const ROWS = 137;

const FIXTURE = `create table t(id integer primary key, a text, b);
  with recursive n(i) as (values(1) union all select i + 1 from n where i < ${ROWS})
  insert into t select i * 3, case i % 5 when 0 then printf('%.*c', i * 4, 'x') when 1 then 'two' || char(10) || 'lines' else 'v' || i end, i % 7 from n;
  create table w(k text primary key, v) without rowid; insert into w select 'key ' || id, b from t;
  create view v as select id, a from t;
  create table r(id, rowid text, k text primary key); insert into r(_rowid_, id) select id - 200, id from t;
  insert into r(_rowid_, id) values (-9223372036854775808, 0), (9223372036854775807, 999);
  create table o(id, rowid, _rowid_, oid); insert into o(id) select id from t`;

async function follow(cwd: string, first: string, limits: LimitOptions): Promise<string[]> {
  const oriel = createOriel({ cwd, limits });
  const pages: string[] = [];
  for (let path: string | undefined = first; path !== undefined;) {
    const answer = await oriel.tool('read').run({ path });
    expect(answer.isError, textOf(answer)).toBe(false);
    expect(Buffer.byteLength(textOf(answer))).toBeLessThanOrEqual((limits.bytes ?? 51_200) + 1024);
    pages.push(textOf(answer));
    expect(pages.length).toBeLessThan(2000);
    path = nextOf(answer);
  }
  await oriel.close();
  return pages;
}

/** The first column of every row, in a table or as a row in full. */
const keysOf = (pages: readonly string[]): string[] =>
  pages.flatMap((page) =>
    Array.from(
      page.matchAll(/^(?:\| (?!-|id|k )(.+?) +\||(?:id|k): (.+)$)/gm),
      (match) => match[1] ?? match[2] ?? '',
    ),
  );

const ids = Array.from({ length: ROWS }, (_, at) => String((at + 1) * 3));

test('pages of a table under any limits', { tags: 'slow' }, async () => {
  const cwd = await database('db.sqlite', FIXTURE);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 400, max: 6000 }),
      fc.integer({ min: 4, max: 40 }),
      async (limit, bytes, lines) => {
        const pages = await follow(cwd, `db.sqlite:t?limit=${limit}`, { bytes, lines });
        expect(keysOf(pages)).toEqual(ids);
      },
    ),
    { numRuns: 12 },
  );
});

test.each([
  ['from the schema on', 'db.sqlite:t', ids],
  ['a view', 'db.sqlite:v?limit=50', ids],
  ['in the order of any rowid', 'db.sqlite:r?limit=50&where=id between 1 and 998', ids],
  ['up to the last rowid there is', 'db.sqlite:r?limit=1&offset=130', [...ids.slice(129), '999']],
  ['from the first rowid there is', 'db.sqlite:r?limit=1&where=id < 4', ['0', '3']],
  ['whose columns have all names of the rowid', 'db.sqlite:o?limit=50', ids],
  ['without rowid, in the order of the key', 'db.sqlite:w?limit=50', ids.map((id) => `key ${id}`).toSorted()],
  ['a chosen order with many equal values', 'db.sqlite:t?order=b&limit=10', undefined],
  ['a condition', 'db.sqlite:t?where=b%20=%203&limit=7', undefined],
  ['SQL', 'db.sqlite?limit=9&q=select id, a from t order by id', ids],
  ['SQL without a limit', 'db.sqlite?q=select id, a from t order by id', ids],
])('%s', async (_, first, expected) => {
  const cwd = await database('db.sqlite', FIXTURE);
  const keys = keysOf(await follow(cwd, first, { bytes: 3000 }));
  if (expected) expect(keys).toEqual(expected);
  else {
    const where = first.includes('where=');
    expect(new Set(keys).size).toBe(keys.length);
    expect(keys.toSorted()).toEqual(ids.filter((_, at) => !where || (at + 1) % 7 === 3).toSorted());
  }
});

test('limit and offset may follow the statement, outside quotes', async () => {
  const read = reader(await database('db.sqlite', FIXTURE));
  const part = await read('db.sqlite?limit=2&offset=3&q=select id from t order by id');
  for (const path of [
    'db.sqlite?q=select id from t order by id&limit=2&offset=3',
    'db.sqlite?q=select%20id%20from%20t%20order%20by%20id&limit=2&offset=3',
    'db.sqlite?offset=3&q=select id from t order by id&limit=2',
  ])
    expect((await read(path)).text).toBe(part.text);
  expect((await read("db.sqlite?q=select 'a&limit=2' as a")).text).toContain('a&limit=2');
});

test('a column named offset in an expression is no parameter', async () => {
  const read = reader(
    await database(
      'db.sqlite',
      'create table f (offset int, flags int); insert into f values (4, 5), (1, 4), (4, 7);',
    ),
  );
  const spaced = await read('db.sqlite?q=select flags from f where flags & offset = 4');
  expect((await read('db.sqlite?q=select flags from f where flags&offset=4')).text).toBe(spaced.text);
  expect(spaced.text).toContain('5');
  expect((await read('db.sqlite?q=select flags from f where flags&offset=4&limit=1')).text).toContain('5');
});

test.each([
  ["where=a = 'n5&limit=5'", { where: "a = 'n5&limit=5'" }],
  ["where=a = 'it''s&limit=5'&limit=3", { where: "a = 'it''s&limit=5'", limit: '3' }],
  ['where="a&limit=1" > 2&order=a', { where: '"a&limit=1" > 2', order: 'a' }],
  ['where=a & 4 = 4&offset=2', { where: 'a & 4 = 4', offset: '2' }],
  ["where=a = 'open&limit=2", { where: "a = 'open", limit: '2' }],
  ['where=a%26b', { where: 'a%26b' }],
])('an ampersand in a condition: %s', (text, values) => {
  expect(Object.fromEntries(splitParameters(text, false))).toEqual(values);
});

test('a long condition is split in linear time', async () => {
  const text = `where=${"'&a".repeat(20_000)}${'&'.repeat(20_000)}`;
  await withoutLag(() => Promise.resolve(splitParameters(text, false)));
});

test('a statement of many ampersands is split in linear time', async () => {
  const sql = `select 1${'&limit=1&offset=1'.repeat(20_000)}x`;
  await withoutLag(() => Promise.resolve(splitParameters(`q=${sql}`, true)));
  expect(splitParameters(`q=${sql}`, true)).toEqual(new Map([['q', sql]]));
});

test('changed rows before a page neither skip nor repeat others', async () => {
  const cwd = await database('db.sqlite', FIXTURE);
  const read = reader(cwd);
  const first = await read('db.sqlite:t?limit=10');
  expect(keysOf([first.text])).toEqual(ids.slice(0, 10));
  const more = `${FIXTURE}; delete from t where id < 20; insert into t(id) values (1), (2)`;
  writeFileSync(join(cwd, 'db.sqlite'), await databaseBytes(more));
  const second = await read(/db\.sqlite:t\S*(?= to continue)/.exec(first.text)?.[0] ?? '');
  expect(keysOf([second.text])).toEqual(ids.slice(10, 20));
});

test.each([
  ['t?after=x', 'after is a rowid, a whole number, not x.'],
  ['t?after=9223372036854775808', 'after is a rowid, a whole number, not 9223372036854775808.'],
  ['t?order=b&after=3', 'after continues rows in the order of their rowid, and takes no order; use offset.'],
  ['w?after=3', 'after continues rows in the order of their rowid, and those of w have none; use offset.'],
  ['v?after=3', 'after continues rows in the order of their rowid, and those of v have none; use offset.'],
])('%s is refused', async (asked, why) => {
  const read = reader(await database('db.sqlite', FIXTURE));
  expect(await read(`db.sqlite:${asked}`)).toMatchObject({
    code: 'BAD_QUERY',
    text: expect.stringContaining(why),
  });
});
