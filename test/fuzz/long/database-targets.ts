/** Damaged databases, read by SQLite in this thread as in the thread of a call. */

import { answer, toFailure } from '../../../src/formats/sqlite/worker/reply.ts';
import { SqliteConnection } from '../../../src/formats/sqlite/worker/connection.ts';
import { loadLibrary } from '../../../src/formats/sqlite/worker/library.ts';
import { DATABASE, fileOf, ReadOnlyVfs } from '../../../src/formats/sqlite/worker/vfs.ts';
import type { SqliteRequest } from '../../../src/formats/sqlite/protocol.ts';
import { type FuzzTarget, must } from './fuzz-target.ts';

const library = await loadLibrary();
const vfs = new ReadOnlyVfs(library);

function databaseSeed(...statements: string[]): Uint8Array {
  const db = new library.oo1.DB(':memory:');
  try {
    db.exec('pragma page_size = 512');
    for (const sql of statements) db.exec(sql);
    return library.capi.sqlite3_js_db_export(db);
  } finally {
    db.close();
  }
}

const asks: readonly SqliteRequest[] = [
  { kind: 'list', limit: 50, offset: 0 },
  { kind: 'find', readings: [{ table: 't' }], sample: 3 },
  { kind: 'find', readings: [{ table: 't', key: '1' }], sample: 3 },
  { kind: 'query', table: 't', where: 'a > 0', order: 'b', limit: 20, offset: 0 },
  { kind: 'query', table: 't', whole: true, limit: 20_000, offset: 0 },
  { kind: 'sql', sql: 'select count(*), max(b) from t, u', limit: 20, offset: 0 },
];

/** Steps of SQLite between two looks at the clock are many: a loop in damaged pages ends after so many looks. */
const MOST_LOOKS = 200;

export const databaseTargets: readonly FuzzTarget[] = [
  {
    group: 'container',
    name: 'database',
    isSlow: true,
    seeds: [
      databaseSeed(
        'create table t(a integer primary key, b text)',
        "insert into t values(1, 'x'), (2, 'y'), (3, hex(randomblob(300)))",
        'create table u(c, d, primary key(c)) without rowid',
        "insert into u values('k', x'00ff')",
        'create index i on t(b)',
        'create view v as select a from t',
      ),
    ],
    words: [
      'SQLite format 3\0',
      'create table t(a, b)',
      '\0',
      ...['0d', '05', '0a', '02', 'ffff', '00000000', 'ffffffff', '8180808000'].map((hex) =>
        Buffer.from(hex, 'hex'),
      ),
    ],
    most: 8_192,
    run(input, random) {
      const ask = random.pick(asks);
      let looks = 0;
      const clock = { over: () => ((looks += 1) > MOST_LOOKS ? ('time' as const) : undefined) };
      const files = new Map([
        [DATABASE, fileOf(input)],
        [`${DATABASE}-wal`, fileOf(new Uint8Array(0))],
      ]);
      let connection: SqliteConnection | undefined;
      try {
        connection = new SqliteConnection(library, vfs, files, clock);
        const reply = answer(connection, ask, 16_384);
        must(reply.kind !== 'error' || reply.code !== 'INTERNAL', 'a reply is an answer or a refusal');
      } catch (error) {
        const failure = toFailure(library, error, ask, connection);
        if (failure.code === 'INTERNAL') throw error;
        must(failure.message.length < 5_000, 'a refusal is bounded');
      } finally {
        connection?.close();
      }
    },
  },
];
