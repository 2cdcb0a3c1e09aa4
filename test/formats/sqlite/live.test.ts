/** Databases that other programs write during a read. */

import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createAccess } from '../../../src/files/local.ts';
import { Queue } from '../../../src/queues/queue.ts';
import { readConsistently } from '../../../src/formats/sqlite/snapshot.ts';
import { has } from '../../support/has.ts';
import { some } from '../../support/properties.ts';
import { databaseBytes, folder, reader, writer } from '../../support/sqlite.ts';

/** Money moves between accounts in transactions of many pages, some of which are rolled back: the sum never changes. */
const transfers = (mode: string, settings: string): string => `
import random
db.execute('pragma journal_mode=${mode}')
for setting in '${settings}'.split(';'):
    db.execute('pragma ' + setting)
db.execute('create table a(id integer primary key, money int, pad text)')
db.execute('begin')
db.executemany('insert into a values (?, 100, ?)', [(i, 'x' * 200) for i in range(3000)])
db.execute('commit')
print('ready', flush=True)
for _ in range(40):
    db.execute('begin')
    for _ in range(40):
        one, other = random.randrange(3000), random.randrange(3000)
        db.execute('update a set money = money - 1 where id = ?', (one,))
        db.execute('update a set money = money + 1 where id = ?', (other,))
    db.execute('rollback' if random.random() < 0.2 else 'commit')
    time.sleep(0.01)
`;

describe.runIf(has('python3'))('no answer mixes two states', () => {
  const MODES = [
    ['wal', 'synchronous=normal'],
    ['delete', 'synchronous=off'],
    ['wal', 'wal_autocheckpoint=10'],
    ['truncate', 'synchronous=off'],
    ['wal', 'locking_mode=exclusive'],
    ['delete', 'cache_size=5;synchronous=off'],
    ['persist', 'synchronous=off'],
    ['memory', 'synchronous=off'],
  ] as const;

  test.each(some(MODES, 4))('journal_mode=%s, %s', { tags: 'slow' }, async (mode, settings) => {
    const cwd = folder();
    const read = reader(cwd);
    const live = await writer(join(cwd, 'live.db'), transfers(mode, settings));
    let over = false;
    void live.ended.then(() => (over = true));
    const seen = new Map<string, number>();
    while (!over) {
      const { code, text } = await read('live.db?q=select sum(money) s, count(*) c from a');
      const what = code === 'OK' ? text : code;
      seen.set(what, (seen.get(what) ?? 0) + 1);
    }
    const right = '| s      | c    |\n|--------|------|\n| 300000 | 3000 |\n';
    expect([...seen.keys()].filter((what) => what !== right && what !== 'BUSY')).toEqual([]);
    // Readers of a log do not wait for its writers; without one a busy machine may never find a quiet moment.
    if (mode === 'wal') expect(seen.has(right)).toBe(true);
    const left = fs.readdirSync(cwd).filter((name) => name !== 'live.db' && name !== 'live.db-journal');
    expect(left).toEqual([]);
  });
});

test.runIf(has('python3'))('a transaction in progress neither blocks nor is visible', async () => {
  const cwd = folder();
  await writer(
    join(cwd, 'live.db'),
    `db.execute('create table t(a)'); db.execute('begin')
db.executemany('insert into t values (?)', [(i,) for i in range(5000)]); db.execute('commit')
db.execute('pragma cache_size=2'); db.execute('begin immediate'); db.execute('update t set a = -1')
print('ready', flush=True); sys.stdin.read()`,
  );
  expect((await reader(cwd)('live.db?q=select count(*) n, min(a) least from t')).text).toBe(
    '| n    | least |\n|------|-------|\n| 5000 | 0     |\n',
  );
});

test('a replaced database is read as old or new', { tags: 'slow' }, async () => {
  const cwd = folder();
  const read = reader(cwd);
  const versions = await Promise.all(
    [1, 2].map((version) =>
      databaseBytes(
        `create table t(a, pad);
         with recursive n(i) as (values(1) union all select i + 1 from n where i < 500)
         insert into t select ${version}, zeroblob(500) from n`,
      ),
    ),
  );
  fs.writeFileSync(join(cwd, 'live.db'), versions[0] as Uint8Array);
  let over = false;
  const replacing = (async () => {
    for (let round = 0; round < 40; round++) {
      fs.writeFileSync(join(cwd, 'new.db'), versions[round % 2] as Uint8Array);
      fs.renameSync(join(cwd, 'new.db'), join(cwd, 'live.db'));
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    over = true;
  })();
  const seen = new Set<string>();
  while (!over) seen.add((await read('live.db?q=select min(a) least, max(a) most from t')).text);
  await replacing;
  const answer = (version: number): string =>
    `| least | most |\n|-------|------|\n| ${version}     | ${version}    |\n`;
  seen.delete(answer(1));
  seen.delete(answer(2));
  expect([...seen]).toEqual([]);
});

test('a database that changes during every attempt is BUSY', async () => {
  const cwd = folder();
  const path = join(cwd, 'live.db');
  fs.writeFileSync(path, await databaseBytes('create table t(a)'));
  const access = createAccess({ cwd, roots: [], allow: [] });
  const opened = await access.open(path);
  if (opened.kind !== 'file') throw new Error('not a file');
  const queue = new Queue('test', 'tests run', { limit: 1, waiting: 10 });
  let attempts = 0;
  const read = (): Promise<string> => {
    fs.utimesSync(path, 1, (attempts += 1));
    return Promise.resolve('torn');
  };
  const never = readConsistently(
    opened,
    { access, signal: new AbortController().signal, deadline: performance.now() + 3_000 },
    (attempt) => queue.run(() => attempt(read)),
  );
  // Between two attempts others have the worker.
  const attemptsAtTurn = await queue.run(() => Promise.resolve(attempts));
  await expect(never).rejects.toMatchObject({ code: 'BUSY' });
  expect(attempts).toBeGreaterThan(1);
  expect(attemptsAtTurn).toBe(1);
  await opened.close();
});
