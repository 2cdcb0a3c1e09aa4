/**
 * Parses the records of a zip's central directory. yauzl 3.4.0 was tried: it rejects the whole archive for one bad record,
 * for example one with the flag of strong encryption. Here the other entries are still listed.
 */

import { crc32 } from 'node:zlib';
import { readAt } from '../../access/bytes.ts';
import { OrielError } from '../../errors.ts';
import { binarySize } from '../../render/units.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import { archiveLimits } from './archive-limits.ts';
import type { MemberType } from './container.ts';
import { escapeName, printName } from './member-names.ts';
import { RECORD_SIGNATURE, type ZipDirectory } from './zip-directory.ts';

export interface ZipRecord {
  readonly name: string;
  readonly type: MemberType;
  readonly encrypted: boolean;
  /** Compression method: 0 stored, 8 deflate, … */
  readonly method: number;
  readonly crc: number;
  /** The declared numbers of packed and unpacked bytes. */
  readonly packed: number;
  readonly size: number;
  /** Byte offset of the local header. */
  readonly local: number;
}

const SIGNATURE_BYTES = Buffer.from('PK\x01\x02');
const RECORD_BYTES = 46;
/** Directory bytes per read: more than the largest record, whose three fields have at most 64 KiB each. */
const WINDOW = 256 << 10;
/** Directory bytes that are parsed before the event loop gets control again: escaping hidden characters is slow. */
const AT_ONCE = 16 << 10;

/**
 * Yields all readable records in batches. After them throws `CORRUPT` if the directory is damaged, or `LIMIT` if it is too
 * large: a sparse file can declare gigabytes of it.
 */
export async function* readRecords(
  source: ByteSource,
  directory: ZipDirectory,
  signal: AbortSignal,
): AsyncGenerator<ZipRecord[]> {
  let damagedAt: number | undefined;
  let lost = 0;
  for (let at = directory.start; at < directory.end;) {
    if (at - directory.start >= archiveLimits.directoryBytes) {
      const most = binarySize(archiveLimits.directoryBytes);
      throw new OrielError('LIMIT', `only the first ${most} of its zip directory are read`);
    }
    const window = Buffer.from(await readAt(source, at, Math.min(WINDOW, directory.end - at), signal));
    const isLast = at + window.length >= directory.end || window.length === 0;
    const { used, damaged, skipped } = yield* parseWindow(window, isLast, directory.shift);
    if (damaged !== undefined) damagedAt ??= at + damaged;
    lost += skipped;
    if (isLast || lost > archiveLimits.damagedBytes) break;
    at += used;
  }
  if (damagedAt !== undefined) {
    throw new OrielError('CORRUPT', `the zip directory is damaged at byte ${damagedAt}`);
  }
}

interface Parsed {
  /** The number of bytes of the window that were parsed. */
  readonly used: number;
  /** The offset in the window of the first bytes that are not a record. */
  readonly damaged?: number;
  /** The number of such bytes. */
  readonly skipped: number;
}

function* parseWindow(window: Buffer, isLast: boolean, shift: number): Generator<ZipRecord[], Parsed> {
  let records: ZipRecord[] = [];
  let yielded = 0;
  let damaged: number | undefined;
  let skipped = 0;
  let at = 0;
  while (at < window.length) {
    if (at - yielded > AT_ONCE) {
      yield records;
      records = [];
      yielded = at;
    }
    const length = recordLength(window, at);
    if (length !== undefined && at + length <= window.length) {
      records.push(parseRecord(window, at, shift));
      at += length;
      continue;
    }
    // The rest of this record is in the next window.
    if (!isLast && (length !== undefined || window.length - at < RECORD_BYTES)) break;
    damaged ??= at;
    const next = window.indexOf(SIGNATURE_BYTES, at + 1);
    const from = at;
    at = next === -1 ? Math.max(at + 1, window.length - (isLast ? 0 : SIGNATURE_BYTES.length - 1)) : next;
    skipped += at - from;
  }
  yield records;
  return { used: at, skipped, ...(damaged === undefined ? {} : { damaged }) };
}

/** Undefined if there is no record at `at`, or it is incomplete. */
function recordLength(window: Buffer, at: number): number | undefined {
  if (at + RECORD_BYTES > window.length || window.readUInt32LE(at) !== RECORD_SIGNATURE) return undefined;
  const [name, extra, comment] = [28, 30, 32].map((field) => window.readUInt16LE(at + field));
  return RECORD_BYTES + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
}

function parseRecord(window: Buffer, at: number, shift: number): ZipRecord {
  const flags = window.readUInt16LE(at + 8);
  const nameAt = at + RECORD_BYTES;
  const extraAt = nameAt + window.readUInt16LE(at + 28);
  const extra = window.subarray(extraAt, extraAt + window.readUInt16LE(at + 30));
  // A longer name cannot be typed; such a member is read by its number.
  const nameEnd = Math.min(extraAt, nameAt + archiveLimits.nameBytes + 1);
  const name = recordName(window.subarray(nameAt, nameEnd), extra, (flags & 0x800) !== 0);
  const [size, packed, local] = wideNumbers(extra, [
    window.readUInt32LE(at + 24),
    window.readUInt32LE(at + 20),
    window.readUInt32LE(at + 42),
  ]);
  return {
    name,
    type: recordType(name, window.readUInt16LE(at + 4) >> 8, window.readUInt32LE(at + 38)),
    // Bit 0: traditional or AES; bit 6: strong encryption; bit 13: masked headers.
    encrypted: (flags & 0x2041) !== 0,
    method: window.readUInt16LE(at + 10),
    crc: window.readUInt32LE(at + 16),
    packed,
    size,
    local: local + shift,
  };
}

/** The printable name of a record. Windows tools may separate directories by `\`. */
export function recordName(raw: Buffer, extra: Buffer, utf8: boolean): string {
  const better = extraField(extra, 0x7075);
  const name =
    better && better.length > 5 && better[0] === 1 && better.readUInt32LE(1) === crc32(raw)
      ? escapeName(better.toString('utf8', 5))
      : printName(raw, utf8 ? undefined : 'cp437');
  return name.replaceAll('\\', '/');
}

function recordType(name: string, madeBy: number, attributes: number): MemberType {
  // 3: Unix, 19: macOS. Other systems do not define the upper half of the attributes.
  const mode = madeBy === 3 || madeBy === 19 ? (attributes >>> 16) & 0xf000 : 0;
  if (mode === 0xa000) return 'symlink';
  if (mode === 0x4000 || name.endsWith('/')) return 'directory';
  if (mode === 0x1000) return 'fifo';
  if (mode === 0x2000 || mode === 0x6000) return 'device';
  return mode === 0xc000 ? 'other' : 'file';
}

/** The zip64 field contains only those numbers that did not fit into 32 bits, in this order. */
function wideNumbers(extra: Buffer, narrow: [number, number, number]): [number, number, number] {
  const field = extra.length === 0 ? undefined : extraField(extra, 0x0001);
  let at = 0;
  const widened = narrow.map((value) => {
    if (value !== 0xffffffff || !field || at + 8 > field.length) return value;
    at += 8;
    return Number(field.readBigUInt64LE(at - 8));
  });
  return [widened[0] ?? 0, widened[1] ?? 0, widened[2] ?? 0];
}

/** The extra field with this id. The search ends at a field with an invalid length. */
function extraField(extra: Buffer, id: number): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length;) {
    const length = extra.readUInt16LE(at + 2);
    if (at + 4 + length > extra.length) return undefined;
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
  return undefined;
}
