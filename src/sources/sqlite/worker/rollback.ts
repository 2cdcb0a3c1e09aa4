/**
 * Owns a transaction that is under way or was never finished: its journal holds the pages as they were before. Read
 * through it, the database is what it was when the transaction began, and nothing has to be written back.
 *
 * The journal's format: https://www.sqlite.org/fileformat2.html#the_rollback_journal.
 */

import { Refusal, TOO_LONG } from '../refusal.ts';
import type { ReadableFile } from './vfs.ts';
import type { Clock } from './work.ts';

const MAGIC = Buffer.from('d9d505f920a163d7', 'hex');

/** Bytes of a segment's header that mean something; it takes a whole sector. */
const HEADER = 28;

/** The number of records where the journal was not synced: as many as there are. */
const UNCOUNTED = 0xffff_ffff;

interface Journal {
  /** Where each page's old content is: page number (1-based) to offset. */
  readonly pages: ReadonlyMap<number, number>;
  readonly pageSize: number;
  /** Pages of the database before the transaction. */
  readonly size: number;
}

/** Pages that one transaction may have changed: half a gigabyte of small ones, and what a thread can remember. */
const MOST_PAGES = 1 << 20;

/**
 * The database as it was before the transaction of `journal`. Throws `TIMEOUT` when `clock` says so, and `BUSY` for a
 * transaction that is too large.
 */
export function rolledBack(db: ReadableFile, journal: ReadableFile, clock: Clock): ReadableFile {
  const found = readJournal(journal, clock);
  if (!found) return db;
  const { pages, pageSize, size } = found;
  const end = size * pageSize;
  return {
    size: () => end,
    read(target, offset) {
      const length = Math.min(target.length, end - offset);
      let got = 0;
      // SQLite reads a page at a time, or a part of the first.
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

/** Undefined for a journal of a finished transaction. */
function readJournal(journal: ReadableFile, clock: Clock): Journal | undefined {
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
    if (pages.size + records > MOST_PAGES) throw new Refusal('BUSY', 'A very large transaction is under way');
    const segment = { start: at + first.sectorSize, records, pageSize: first.pageSize, nonce };
    const end = readRecords(journal, segment, pages, clock);
    // A record that is not whole was never followed by a change of the database.
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

/** Notes where the old pages are. Gives the end of the last record, or nothing when one was damaged. */
function readRecords(
  journal: ReadableFile,
  { start, records, pageSize, nonce }: Segment,
  pages: Map<number, number>,
  clock: Clock,
): number | undefined {
  const record = Buffer.alloc(pageSize + 8);
  let at = start;
  for (let read = 0; read < records; read++) {
    if (read % 1000 === 0) checkTime(clock);
    journal.read(record, at);
    const page = record.readUInt32BE(0);
    if (page === 0 || record.readUInt32BE(pageSize + 4) !== checksum(record, pageSize, nonce))
      return undefined;
    // The first record of a page is the older one.
    if (!pages.has(page)) pages.set(page, at + 4);
    at += record.length;
  }
  return at;
}

function checkTime(clock: Clock): void {
  if (clock.over() !== undefined) throw new Refusal('TIMEOUT', TOO_LONG);
}

/** The sum of every 200th byte from the end, which notices pages that were not written. */
function checksum(record: Buffer, pageSize: number, nonce: number): number {
  let sum = nonce;
  for (let at = pageSize - 200; at > 0; at -= 200) sum = (sum + (record[4 + at] as number)) >>> 0;
  return sum;
}

function isPowerOfTwo(value: number, least: number, most: number): boolean {
  return value >= least && value <= most && (value & (value - 1)) === 0;
}
