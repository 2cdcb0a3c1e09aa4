/**
 * The worker thread for SQLite: takes a job, reads through the descriptors in it, replies, and waits for the next job. It
 * can be terminated at any time.
 *
 * It is used for many databases, of which nothing is left: the bytes are parsed by WebAssembly, whose connection with its
 * caches, settings and functions is closed after each, and our code keeps names and values in arrays and maps only.
 */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { asset } from '../../../files/package-files.ts';
import { dataOpener, readDirectly } from '../../data/table.ts';
import { RUNTIME } from '../../../process/runtime.ts';
import { LOADED } from '../../../process/worker-ending.ts';
import type { DataFile } from '../../data/record-bytes.ts';
import type { FileRef, SqliteJob, SqliteReply } from '../protocol.ts';
import { SqliteConnection } from './connection.ts';
import { DATA_TABLE, DataModule } from './data-table.ts';
import { loadLibrary } from './library.ts';
import { answer, toFailure } from './reply.ts';
import { SqlFailure, type StatementClock } from './statement.ts';
import { DATABASE, fileOf, mailFile, type ReadableFile, ReadOnlyVfs, rolledBack } from './vfs.ts';

const library = await loadLibrary(await asset('wasm/sqlite3.wasm'));
const vfs = new ReadOnlyVfs(library);

let dataModule: DataModule | undefined;

const STOPPED: readonly ReturnType<StatementClock['over']>[] = [undefined, 'cancelled', 'time'];

/** If the library's memory, which never shrinks, is above this many bytes, the thread is replaced. */
const RETIRE_BYTES = 48 * 1024 * 1024;

parentPort?.on('message', async ({ job, stop }: { job: SqliteJob; stop: Int32Array }) => {
  const reply = await run(job, stop);
  // After an unexpected failure the state of the library is unknown.
  const isSpoilt = reply.kind === 'error' && reply.code === 'INTERNAL';
  parentPort?.postMessage({ reply, retire: isSpoilt || library.wasm.heap8u().length > RETIRE_BYTES });
});
parentPort?.postMessage(LOADED);

async function run(job: SqliteJob, stop: Int32Array): Promise<SqliteReply> {
  const clock: StatementClock = { over: () => STOPPED[Atomics.load(stop, 0)] };
  const { db, wal, journal } = job.files;
  let connection: SqliteConnection | undefined;
  try {
    const stored = 'mailbox' in db ? mailFile(db.mailbox, clock) : readable(db);
    const files = new Map([
      [DATABASE, journal ? rolledBack(stored, readable(journal), clock) : stored],
      // SQLite opens the log of a database in WAL mode even if there is none.
      [`${DATABASE}-wal`, wal ? readable(wal) : readable({ content: new Uint8Array(0) })],
    ]);
    const open = job.data && (await dataOpener(job.data));
    let { ask } = job;
    if (open && (ask.kind === 'value' || ask.kind === 'shape')) {
      const direct = readDirectly(open({ size: stored.size(), read: timed(stored, clock) }), ask);
      if (direct) return direct;
      ask = SAMPLE;
    }
    const input = open && {
      module: (dataModule ??= new DataModule(library)),
      table: (file: DataFile) => open(file).table(),
    };
    connection = new SqliteConnection(library, vfs, files, clock, input);
    const reply = answer(connection, ask, job.room);
    if (ask === SAMPLE && connection.data)
      connection.data.facts.columns = connection.data.columns.map(({ name, type }) => [name, type]);
    return reply;
  } catch (error) {
    // A parser that was stopped by its file.
    if (job.data && !connection && clock.over() !== undefined)
      return toFailure(library, new SqlFailure(0, '', undefined, clock.over()), job.ask);
    return toFailure(library, error, job.ask, connection);
  } finally {
    connection?.close();
    for (const fd of opened.splice(0)) closeSync(fd);
  }
}

/** The rows that are the shape of a file. */
const SAMPLE = { kind: 'query', table: DATA_TABLE, limit: 5, offset: 0 } as const;

function timed(file: ReadableFile, clock: StatementClock): ReadableFile['read'] {
  return (target, offset) => {
    if (clock.over() !== undefined) throw new Error('time is over');
    return file.read(target, offset);
  };
}

const opened: number[] = [];

/** Under Deno each thread has descriptors of its own. */
function openAgain(fd: number): number {
  const own = openSync(`/dev/fd/${fd}`, 'r');
  opened.push(own);
  return own;
}

function readable(file: FileRef): ReadableFile {
  if ('mailbox' in file) throw new TypeError('only a database is read through a mailbox');
  if ('content' in file) return fileOf(file.content);
  const fd = RUNTIME === 'deno' ? openAgain(file.fd) : file.fd;
  return {
    size: () => fstatSync(fd).size,
    read(target, offset) {
      let got = 0;
      while (got < target.length) {
        const read = readSync(fd, target, got, target.length - got, offset + got);
        if (read === 0) break;
        got += read;
      }
      return got;
    },
  };
}
