/**
 * The file layer (VFS) of SQLite. It can open only the database and its write-ahead log; it cannot write, lock, create or
 * delete. Other requests are answered as on a read-only disk.
 */

import type { Sqlite3Result } from '@sqlite.org/sqlite-wasm';
import { LruMap } from '../../../session/snapshots.ts';
import { type BlockMailbox, MAIL, MAIL_BYTES, SqliteRefusal, TOO_LONG } from '../protocol.ts';
import type { SqliteLibrary } from './library.ts';
import type { StatementClock } from './statement.ts';

/** A file that is read synchronously, which is acceptable in a worker. */
export interface ReadableFile {
  size(): number;
  readonly remote?: boolean | undefined;
  /** Fills `target` from `offset` and returns the number of bytes read, fewer only at the end. Throws if reading fails. */
  read(target: Uint8Array, offset: number): number;
}

/** Bytes in memory as a file. */
export function fileOf(content: Uint8Array): ReadableFile {
  return {
    size: () => content.length,
    read(target, offset) {
      const part = content.subarray(offset, offset + target.length);
      target.set(part);
      return part.length;
    },
  };
}

export const VFS_NAME = 'oriel-readonly';
export const DATABASE = 'database';

/** The size of SQLite's `sqlite3_file` in bytes: one pointer to its methods. */
const FILE_STRUCT = 4;

/** Files by the names under which SQLite opens them: `database`, `database-wal`. */
export type DatabaseFiles = ReadonlyMap<string, ReadableFile>;

export class ReadOnlyVfs {
  /** Called before every read; throws or interrupts at the deadline. */
  beforeRead: () => void = () => {};
  /** The number of bytes read, a measure of work that is independent of the machine. */
  bytesRead = 0;

  #files: DatabaseFiles = new Map();
  readonly #opened = new Map<number, ReadableFile>();

  constructor(library: SqliteLibrary) {
    const { capi, wasm } = library;
    const io = new capi.sqlite3_io_methods();
    const vfs = new capi.sqlite3_vfs();
    Object.assign(io, { $iVersion: 1 });
    vfs.$iVersion = 1;
    vfs.$szOsFile = FILE_STRUCT;
    vfs.$mxPathname = 64;
    const nameAt = (pointer: number): string => (pointer === 0 ? '' : (wasm.cstrToJs(pointer) ?? ''));

    library.vfs.installVfs({
      io: {
        struct: io,
        methods: {
          xClose: (file) => {
            this.#opened.delete(file);
            return 0;
          },
          xRead: (file, target, length, offset) => {
            try {
              this.beforeRead();
              this.bytesRead += length;
              const place = wasm.heap8u().subarray(Number(target), Number(target) + length);
              const got = this.#opened.get(file)?.read(place, Number(offset)) ?? 0;
              if (got === length) return 0;
              // SQLite requires zeros in the rest, for example for the header of an empty file.
              place.fill(0, got);
              return capi.SQLITE_IOERR_SHORT_READ;
            } catch {
              return capi.SQLITE_IOERR_READ;
            }
          },
          xFileSize: (file, sizeAt) => {
            try {
              wasm.poke64(sizeAt, BigInt(this.#opened.get(file)?.size() ?? 0));
              return 0;
            } catch {
              return capi.SQLITE_IOERR_FSTAT;
            }
          },
          xWrite: () => capi.SQLITE_READONLY,
          xTruncate: () => capi.SQLITE_READONLY,
          xSync: () => 0,
          xLock: () => 0,
          xUnlock: () => 0,
          xCheckReservedLock: (_file, answerAt) => {
            wasm.poke32(answerAt, 0);
            return 0;
          },
          xFileControl: () => capi.SQLITE_NOTFOUND,
          xDeviceCharacteristics: () => 0,
        },
      },
      vfs: {
        name: VFS_NAME,
        struct: vfs,
        methods: {
          xOpen: (_vfs, name, file, flags, flagsAt) => {
            const found = this.#files.get(nameAt(name));
            if (!found) return capi.SQLITE_CANTOPEN;
            const struct = new capi.sqlite3_file(file);
            struct.$pMethods = io.pointer;
            struct.dispose();
            this.#opened.set(file, found);
            const readOnly = flags & ~(capi.SQLITE_OPEN_READWRITE | capi.SQLITE_OPEN_CREATE);
            if (flagsAt) wasm.poke32(flagsAt, readOnly | capi.SQLITE_OPEN_READONLY);
            return 0;
          },
          xAccess: (_vfs, name, _flags, answerAt) => {
            wasm.poke32(answerAt, this.#exists(nameAt(name)) ? 1 : 0);
            return 0;
          },
          xFullPathname: (_vfs, name, size, target) =>
            wasm.cstrncpy(target, name, size) < size ? 0 : capi.SQLITE_CANTOPEN,
          xDelete: () => capi.SQLITE_IOERR_DELETE,
          xRandomness: (_vfs, length, target) => {
            crypto.getRandomValues(wasm.heap8u().subarray(Number(target), Number(target) + length));
            return length as Sqlite3Result;
          },
          xSleep: () => 0,
          xCurrentTime: (_vfs, target) => {
            // The Julian day number; 2,440,587.5 is 1970-01-01.
            wasm.poke(target, 2_440_587.5 + Date.now() / 86_400_000, 'double');
            return 0;
          },
          xGetLastError: () => 0,
        },
      },
    });
  }

  serve(files: DatabaseFiles): void {
    this.#files = files;
  }

  #exists(name: string): boolean {
    try {
      return (this.#files.get(name)?.size() ?? 0) > 0;
    } catch {
      return false;
    }
  }
}

// A remote database in a worker: requests a block from the main thread and blocks until it is there.

/** The most cached blocks (8 MiB). */
const MAX_CACHED_BLOCKS = 128;

/** Milliseconds between checks of the clock while waiting. */
const LOOK_MS = 20;

export function mailFile(mailbox: BlockMailbox, clock: StatementClock): ReadableFile {
  const blocks = new LruMap<Uint8Array>(MAX_CACHED_BLOCKS);
  const blockOf = (no: number): Uint8Array => {
    const known = blocks.get(`${no}`);
    if (known) return known;
    const block = ask(mailbox, no * MAIL_BYTES, clock);
    blocks.set(`${no}`, block);
    return block;
  };
  return {
    remote: true,
    size: () => mailbox.size,
    read(target, offset) {
      let got = 0;
      while (got < target.length && offset + got < mailbox.size) {
        const at = offset + got;
        const no = Math.floor(at / MAIL_BYTES);
        const part = blockOf(no).subarray(at - no * MAIL_BYTES, at - no * MAIL_BYTES + target.length - got);
        if (part.length === 0) break;
        target.set(part, got);
        got += part.length;
      }
      return got;
    },
  };
}

/** Requests a block. Throws if the main thread could not read it, or after the deadline. */
function ask({ state, offset, data }: BlockMailbox, at: number, clock: StatementClock): Uint8Array {
  offset[0] = at;
  Atomics.store(state, 0, MAIL.asked);
  Atomics.notify(state, 0);
  for (;;) {
    const now = Atomics.load(state, 0);
    if (now === MAIL.answered) break;
    if (now !== MAIL.asked || clock.over() !== undefined) throw new Error('not read');
    Atomics.wait(state, 0, MAIL.asked, LOOK_MS);
  }
  return data.slice(0, Atomics.load(state, 1));
}

// Reads a database with the journal of an unfinished transaction. The journal has the previous content of changed pages, so
// the database is read as it was before the transaction. Nothing is written back.
//
// Source of the format: https://www.sqlite.org/fileformat2.html#the_rollback_journal.

const MAGIC = Buffer.from('d9d505f920a163d7', 'hex');

/** The used bytes of a segment's header, which takes a whole sector. */
const HEADER = 28;

/** The number of records in a journal that was not synced; it means as many as follow. */
const UNCOUNTED = 0xffff_ffff;

interface Journal {
  /** The offsets of the old contents of pages, by page number (1-based). */
  readonly pages: ReadonlyMap<number, number>;
  readonly pageSize: number;
  /** The number of pages of the database before the transaction. */
  readonly size: number;
}

/** The most changed pages of a transaction (half a gigabyte of small pages), to bound the memory of the worker. */
const MAX_JOURNAL_PAGES = 1 << 20;

/**
 * The database as it was before the transaction in `journal`. Throws `TIMEOUT` at the deadline of `clock`, and `BUSY` for a
 * transaction that is too large.
 */
export function rolledBack(db: ReadableFile, journal: ReadableFile, clock: StatementClock): ReadableFile {
  const found = readJournal(journal, clock);
  if (!found) return db;
  const { pages, pageSize, size } = found;
  const end = size * pageSize;
  return {
    size: () => end,
    read(target, offset) {
      const length = Math.min(target.length, end - offset);
      let got = 0;
      // SQLite reads one page at a time, or a part of the first page.
      while (got < length) {
        const at = offset + got;
        const inPage = at % pageSize;
        const part = target.subarray(got, Math.min(length, got + pageSize - inPage));
        const place = pages.get(Math.floor(at / pageSize) + 1);
        const read = place === undefined ? db.read(part, at) : journal.read(part, place + inPage);
        got += read;
        if (read < part.length) break;
      }
      return Math.max(0, got);
    },
  };
}

/** Undefined for the journal of a finished transaction. */
function readJournal(journal: ReadableFile, clock: StatementClock): Journal | undefined {
  const pages = new Map<number, number>();
  const length = journal.size();
  let first: { pageSize: number; sectorSize: number; size: number } | undefined;
  for (let at = 0; at + HEADER <= length;) {
    checkTime(clock);
    const header = Buffer.alloc(HEADER);
    journal.read(header, at);
    if (!header.subarray(0, 8).equals(MAGIC)) break;
    first ??= {
      size: header.readUInt32BE(16),
      sectorSize: header.readUInt32BE(20),
      pageSize: header.readUInt32BE(24),
    };
    if (!isPowerOfTwo(first.pageSize, 512, 65_536) || !isPowerOfTwo(first.sectorSize, 32, 65_536))
      return undefined;
    const counted = header.readUInt32BE(8);
    const fitting = Math.floor((length - at - first.sectorSize) / (first.pageSize + 8));
    const records = Math.max(0, counted === UNCOUNTED ? fitting : Math.min(counted, fitting));
    const nonce = header.readUInt32BE(12);
    if (pages.size + records > MAX_JOURNAL_PAGES)
      throw new SqliteRefusal('BUSY', 'A very large transaction is under way');
    const segment = { start: at + first.sectorSize, records, pageSize: first.pageSize, nonce };
    const end = readRecords(journal, segment, pages, clock);
    // An incomplete record does not matter, because the database is changed only after a record is complete.
    if (end === undefined) break;
    at = Math.ceil(end / first.sectorSize) * first.sectorSize;
  }
  return first && { pages, ...first };
}

interface Segment {
  readonly start: number;
  readonly records: number;
  readonly pageSize: number;
  readonly nonce: number;
}

/** Collects the offsets of old pages. Returns the end of the last record; undefined if one is damaged. */
function readRecords(
  journal: ReadableFile,
  { start, records, pageSize, nonce }: Segment,
  pages: Map<number, number>,
  clock: StatementClock,
): number | undefined {
  const record = Buffer.alloc(pageSize + 8);
  let at = start;
  for (let read = 0; read < records; read++) {
    if (read % 1000 === 0) checkTime(clock);
    journal.read(record, at);
    const page = record.readUInt32BE(0);
    if (page === 0 || record.readUInt32BE(pageSize + 4) !== checksum(record, pageSize, nonce))
      return undefined;
    // The first of several records of a page has the oldest content.
    if (!pages.has(page)) pages.set(page, at + 4);
    at += record.length;
  }
  return at;
}

function checkTime(clock: StatementClock): void {
  if (clock.over() !== undefined) throw new SqliteRefusal('TIMEOUT', TOO_LONG);
}

/** The checksum over every 200th byte from the end. It detects pages that were not written. */
function checksum(record: Buffer, pageSize: number, nonce: number): number {
  let sum = nonce;
  for (let at = pageSize - 200; at > 0; at -= 200) sum = (sum + (record[4 + at] as number)) >>> 0;
  return sum;
}

function isPowerOfTwo(value: number, least: number, most: number): boolean {
  return value >= least && value <= most && (value & (value - 1)) === 0;
}
