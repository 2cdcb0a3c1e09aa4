/** Reads a consistent state of a database without locks: if it changed meanwhile, reads again, until a deadline. */

import { setTimeout as sleep } from 'node:timers/promises';
import { OrielError } from '../../errors.ts';
import { readAt } from '../../text/bytes.ts';
import type { FileAccess, OpenedFile } from '../../types/access.ts';
import { type FileRef, type SqliteJob, SqliteRefusal } from './protocol.ts';

/** Milliseconds after which it gives up if the database changed during every attempt. */
const RETRY_MS = 3_000;

interface SnapshotAttempt {
  readonly access: FileAccess;
  readonly signal: AbortSignal;
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number;
}

export type ReadFiles<T> = (files: SqliteJob['files']) => Promise<T>;

/**
 * The result of an attempt during which the files did not change. `lend` runs one attempt with a worker; between attempts
 * the worker is free for other calls. Throws `BUSY`, and the errors of reading.
 */
export async function readConsistently<T>(
  opened: OpenedFile,
  { access, signal, deadline }: SnapshotAttempt,
  lend: <A>(attempt: (read: ReadFiles<T>) => Promise<A>) => Promise<A>,
): Promise<T> {
  let until: number | undefined;
  const reopen = async (): Promise<OpenedFile> => {
    const again = await access.open(opened.path, signal);
    if (again.kind === 'file') return again;
    await again.close();
    throw new OrielError('NOT_REGULAR', 'The database was replaced by a directory.');
  };
  for (let wait = 2; ; wait = Math.min(wait * 2, 100)) {
    const isFirst = wait === 2;
    const answer = await lend(async (read) => {
      // Counted from the start of the first attempt, without its wait for a worker.
      until ??= Math.min(deadline, performance.now() + RETRY_MS);
      const db = isFirst ? opened : await reopen();
      try {
        return await readOnce(db, reopen, read);
      } finally {
        if (db !== opened) await db.close();
      }
    });
    if (answer) return answer.value;
    // A random pause, so that readers do not retry in step with a writer.
    const pause = wait * (0.5 + Math.random());
    if (performance.now() + pause > (until ?? 0)) {
      throw new SqliteRefusal('BUSY', 'The database changed during every attempt to read it; call again');
    }
    await sleep(pause, undefined, { signal });
  }
}

/** Undefined if the database changed meanwhile. */
async function readOnce<T>(
  db: OpenedFile,
  reopen: () => Promise<OpenedFile>,
  read: ReadFiles<T>,
): Promise<{ value: T } | undefined> {
  const state = await readState(db, reopen);
  try {
    const value = await read({
      db: refTo(state.db),
      wal: state.wal ? refTo(state.wal) : undefined,
      journal: state.journal ? refTo(state.journal) : undefined,
    });
    return (await isUnchanged(state)) ? { value } : undefined;
  } finally {
    await state.close();
  }
}

function refTo({ fd }: OpenedFile): FileRef {
  if (fd === undefined) throw new OrielError('INTERNAL', 'A file beside the database has no descriptor.');
  return { fd };
}

// A snapshot of the state of a database that other processes write. It takes no lock and creates no file. After reading,
// `isUnchanged` tells whether anything that was read may have changed meanwhile.
//
// Sources: https://www.sqlite.org/fileformat2.html, https://www.sqlite.org/walformat.html.

/** The open files of a database, and values that change if its content may have changed. */
interface DatabaseState {
  readonly db: OpenedFile;
  /** The write-ahead log, if it is not empty. */
  readonly wal?: OpenedFile | undefined;
  /** The rollback journal, if there is an unfinished transaction. */
  readonly journal?: OpenedFile | undefined;
  /** File format versions and change counter: bytes 18 to 27 of the database, in hexadecimal. */
  readonly header: string;
  /** The header of the write-ahead log (salts, page size, sequence), which changes when the log restarts. */
  readonly walHeader: string;
  /** The number of committed frames at that time; absent if no process has an index of the log. */
  readonly frames?: number | undefined;
  readonly journalHeader: string;
  close(): Promise<void>;
}

/** The resolution of file times in ms: two writes within it may have the same time. */
const TICK_MS = 20;

/**
 * Takes a snapshot. `opened` stays open when the snapshot is closed; `reopen` opens the file that the path then names.
 */
async function readState(opened: OpenedFile, reopen: () => Promise<OpenedFile>): Promise<DatabaseState> {
  const held: OpenedFile[] = [];
  const hold = <F extends OpenedFile | undefined>(file: F): F => {
    if (file) held.push(file);
    return file;
  };
  const beside = async (suffix: string): Promise<OpenedFile | undefined> =>
    hold(await opened.sibling?.(suffix));
  const close = async (): Promise<void> => {
    await Promise.all(held.map((file) => file.close()));
  };
  try {
    const [wal, journal] = await both(beside('-wal'), beside('-journal'));
    const walHeader = wal ? await hexAt(wal, 0, 32) : '';
    if (wal && walHeader !== '') {
      // Opened after its log. If both were replaced in between, the final check finds another log at the path.
      const db = hold(await reopen());
      const frames = await framesIn(await beside('-shm'));
      if (!frames) await leaveTick(db);
      const header = await hexAt(db, 18, 10);
      return {
        db,
        wal,
        header,
        walHeader,
        journalHeader: '',
        frames: frames?.committed,
        close,
      };
    }
    const journalHeader = journal ? await liveJournal(journal) : '';
    await leaveTick(opened);
    const header = await hexAt(opened, 18, 10);
    return {
      db: opened,
      header,
      walHeader: '',
      journalHeader,
      journal: journalHeader !== '' && journal ? journal : undefined,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits for both even if one fails, so that the file of the other can be closed. */
async function both<T>(one: Promise<T>, other: Promise<T>): Promise<[T, T]> {
  await Promise.allSettled([one, other]);
  return [await one, await other];
}

/** Waits if the file was just written, because another write within the resolution would not change its time. */
async function leaveTick(db: OpenedFile): Promise<void> {
  const sinceWrite = Date.now() - db.mtimeMs;
  if (sinceWrite >= 0 && sinceWrite < TICK_MS) await sleep(TICK_MS);
}

async function isUnchanged(state: DatabaseState): Promise<boolean> {
  return state.wal ? logHolds(state) : fileHolds(state);
}

/**
 * Pages are read from the log as it was when it was opened, so later commits do not matter. But a checkpoint may copy later
 * commits into the database, and a restart overwrites the log.
 */
async function logHolds(state: DatabaseState): Promise<boolean> {
  const wal = await state.db.sibling?.('-wal');
  const shm = await state.db.sibling?.('-shm');
  try {
    if (!wal || (await hexAt(wal, 0, 32)) !== state.walHeader) return false;
    if (state.frames === undefined) return !(await state.db.bytes.changed?.());
    const frames = await framesIn(shm);
    return frames !== undefined && frames.copied <= state.frames;
  } finally {
    await Promise.all([wal?.close(), shm?.close()]);
  }
}

/** Without a log, writes go to the database itself: the journal appears first, the change counter changes last. */
async function fileHolds(state: DatabaseState): Promise<boolean> {
  const journal = await state.db.sibling?.('-journal');
  try {
    const journalHeader = journal ? await liveJournal(journal) : '';
    if (journalHeader !== state.journalHeader) return false;
    const [changed, header] = await Promise.all([state.db.bytes.changed?.(), hexAt(state.db, 18, 10)]);
    return !changed && header === state.header;
  } finally {
    await journal?.close();
  }
}

const INDEX_VERSION = 3_007_000;

/**
 * Reads from the shared index of the log how many frames are committed, and up to which one a checkpoint has begun to copy.
 * The header is stored twice and the second copy is written first, so if they differ, a write is in progress.
 */
async function framesIn(
  shm: OpenedFile | undefined,
): Promise<{ committed: number; copied: number } | undefined> {
  if (!shm) return undefined;
  const index = Buffer.from(await readAt(shm.bytes, 0, 136));
  if (index.length < 136) return undefined;
  const isLittle = index.readUInt32LE(0) === INDEX_VERSION;
  const at = (offset: number): number => (isLittle ? index.readUInt32LE(offset) : index.readUInt32BE(offset));
  if (at(0) !== INDEX_VERSION || !index.subarray(0, 48).equals(index.subarray(48, 96))) return undefined;
  const [committed, copied] = [at(16), Math.max(at(96), at(128))];
  // An index left behind by a crash that belongs to another log.
  return copied > committed ? undefined : { committed, copied };
}

/** The magic number of a live journal; with other bytes it is left over from a finished transaction. */
const JOURNAL_MAGIC = 'd9d505f920a163d7';

/** A value that differs between the journals of two transactions; empty for a finished transaction. */
async function liveJournal(journal: OpenedFile): Promise<string> {
  const header = await hexAt(journal, 0, 28);
  return header.startsWith(JOURNAL_MAGIC) ? `${header.slice(24)}` : '';
}

async function hexAt(file: OpenedFile, offset: number, length: number): Promise<string> {
  return Buffer.from(await readAt(file.bytes, offset, length)).toString('hex');
}
