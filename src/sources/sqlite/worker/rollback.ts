/**
 * Reads a database with the journal of an unfinished transaction. The journal has the previous content of changed pages, so
 * the database is read as it was before the transaction. Nothing is written back.
 *
 * Source of the format: https://www.sqlite.org/fileformat2.html#the_rollback_journal.
 */

import { Refusal, TOO_LONG } from '../sqlite-refusal.ts';
import type { ReadableFile } from './vfs.ts';
import type { Clock } from './statement-limits.ts';

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
const MOST_PAGES = 1 << 20;

/**
 * The database as it was before the transaction in `journal`. Throws `TIMEOUT` at the deadline of `clock`, and `BUSY` for a
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
    // The first of several records of a page has the oldest content.
    if (!pages.has(page)) pages.set(page, at + 4);
    at += record.length;
  }
  return at;
}

function checkTime(clock: Clock): void {
  if (clock.over() !== undefined) throw new Refusal('TIMEOUT', TOO_LONG);
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
