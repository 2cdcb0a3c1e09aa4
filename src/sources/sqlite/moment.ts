/**
 * The state of a database that others write. No lock is taken and no file is made; after reading, this tells whether
 * anything that was read can have changed meanwhile.
 *
 * Sources: https://www.sqlite.org/fileformat2.html, https://www.sqlite.org/walformat.html.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { readAt } from '../../access/bytes.ts';
import type { OpenedFile } from '../../types/access.ts';

/** The files of one database, and values that change when its content may have changed. */
export interface Moment {
  readonly db: OpenedFile;
  /** Present when it is not empty. */
  readonly wal?: OpenedFile;
  /** Present when it can be rolled back. */
  readonly journal?: OpenedFile;
  /** File format versions and change counter: bytes 18 to 27 of the database. */
  readonly header: string;
  /** Salts, page size and sequence of the write-ahead log since its last restart. */
  readonly walHeader: string;
  /** Committed frames at that time; absent when no process has an index of the log. */
  readonly frames?: number;
  readonly journalHeader: string;
  close(): Promise<void>;
}

/** Resolution of file times: two writes within it can have the same time. */
const TICK_MS = 20;

/**
 * The state of the database now. `opened` stays open when the moment is closed; `reopen` opens what the same path names
 * then.
 */
export async function takeMoment(opened: OpenedFile, reopen: () => Promise<OpenedFile>): Promise<Moment> {
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
      // Opened after its log: if both were replaced in between, the log at that path is another one by the final check.
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
        ...(frames && { frames: frames.committed }),
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
      ...(journalHeader !== '' && journal && { journal }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits for both even when one fails, so that the file of the other can be closed. */
async function both<T>(one: Promise<T>, other: Promise<T>): Promise<[T, T]> {
  await Promise.allSettled([one, other]);
  return [await one, await other];
}

/** A file that was written just now can be written again without a change of its time. */
async function leaveTick(db: OpenedFile): Promise<void> {
  const sinceWrite = Date.now() - db.mtimeMs;
  if (sinceWrite >= 0 && sinceWrite < TICK_MS) await sleep(TICK_MS);
}

/** Whether nothing that was read at `moment` has changed since. */
export async function stillHolds(moment: Moment): Promise<boolean> {
  return moment.wal ? logHolds(moment) : fileHolds(moment);
}

/**
 * Pages come from the log as it was when it was opened; later commits do not affect them. A checkpoint that copies later
 * commits into the database does, and so does a restart that overwrites the log.
 */
async function logHolds(moment: Moment): Promise<boolean> {
  const wal = await moment.db.sibling?.('-wal');
  const shm = await moment.db.sibling?.('-shm');
  try {
    if (!wal || (await hexAt(wal, 0, 32)) !== moment.walHeader) return false;
    if (moment.frames === undefined) return !(await moment.db.bytes.changed?.());
    const frames = await framesIn(shm);
    return frames !== undefined && frames.copied <= moment.frames;
  } finally {
    await Promise.all([wal?.close(), shm?.close()]);
  }
}

/** Without a log, writes go to the database itself: the journal appears first, the change counter moves last. */
async function fileHolds(moment: Moment): Promise<boolean> {
  const journal = await moment.db.sibling?.('-journal');
  try {
    const journalHeader = journal ? await liveJournal(journal) : '';
    if (journalHeader !== moment.journalHeader) return false;
    const [changed, header] = await Promise.all([moment.db.bytes.changed?.(), hexAt(moment.db, 18, 10)]);
    return !changed && header === moment.header;
  } finally {
    await journal?.close();
  }
}

/** Version of the index in `-shm`. */
const INDEX_VERSION = 3_007_000;

/**
 * From the shared index of the log: how many frames are committed, and up to which one a checkpoint has begun to copy.
 * Its header is stored twice, and the second copy is written first: when they differ, a write is in progress.
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
  // Left behind by a crash, and not about this log.
  return copied > committed ? undefined : { committed, copied };
}

/** The magic of a journal: anything else is left over from a finished transaction. */
const JOURNAL_MAGIC = 'd9d505f920a163d7';

/** What distinguishes the journals of two transactions; empty for a finished one. */
async function liveJournal(journal: OpenedFile): Promise<string> {
  const header = await hexAt(journal, 0, 28);
  return header.startsWith(JOURNAL_MAGIC) ? `${header.slice(24)}` : '';
}

async function hexAt(file: OpenedFile, offset: number, length: number): Promise<string> {
  return Buffer.from(await readAt(file.bytes, offset, length)).toString('hex');
}
