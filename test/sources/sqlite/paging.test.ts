/** The law of paging: following the notices shows every row exactly once, whatever the limits. */

import { expect, test } from 'vitest';
import { fc } from '../../support/properties.ts';
import { createOriel, type LimitOptions } from '../../../src/index.ts';
import { database } from '../../support/sqlite.ts';
import { nextOf, textOf } from '../../support/workspace.ts';

const ROWS = 137;

const FIXTURE = `create table t(id integer primary key, a text, b);
  with recursive n(i) as (values(1) union all select i + 1 from n where i < ${ROWS})
  insert into t select i * 3, case i % 5 when 0 then printf('%.*c', i * 4, 'x') when 1 then 'two' || char(10) || 'lines' else 'v' || i end, i % 7 from n;
  create table w(k text primary key, v) without rowid; insert into w select 'key ' || id, b from t;
  create view v as select id, a from t`;

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

test('pages of a table under any limits', { timeout: 120_000 }, async () => {
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
