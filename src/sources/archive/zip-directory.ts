/**
 * Owns a zip's directory: where it is, and what each record in it says. Written here and not taken from a library
 * because the common ones give up the whole archive for one record (a flag, an extra field, a comment length),
 * while here a bad record costs itself alone.
 */

import { crc32 } from 'node:zlib';
import type { ByteSource } from '../../access/bytes.ts';
import { readAt } from '../../access/bytes.ts';
import { OrielError } from '../../errors.ts';
import type { MemberType } from './container.ts';
import type { SeekingCursor } from './cursor.ts';
import { escapeName, printName } from './names.ts';

export interface ZipRecord {
  readonly name: string;
  readonly type: MemberType;
  readonly encrypted: boolean;
  /** Compression method: 0 stored, 8 deflate, … */
  readonly method: number;
  readonly crc: number;
  /** Bytes as stored and as unpacked, both as declared. */
  readonly packed: number;
  readonly size: number;
  /** Byte offset of the local header. */
  readonly local: number;
}

export interface ZipDirectory {
  readonly start: number;
  readonly end: number;
  /** Records as declared; fewer or more may be there. */
  readonly count: number;
  /** Bytes that were put in front of the zip: every offset in it is off by them. */
  readonly shift: number;
}

const END_BYTES = 22;
const END_SIGNATURE = 0x06054b50;
const RECORD_BYTES = 46;
const RECORD_SIGNATURE = 0x02014b50;
/** A comment of 65,535 bytes, and as much junk after the archive as is put up with. */
const TAIL_BYTES = 2 * 65_536;
/** A tail made of nothing but signatures is not searched for ever. */
const END_TRIES = 32;

/** Finds the directory from the end of the file. Throws `CORRUPT` where there is none. */
export async function findDirectory(
  source: ByteSource,
  size: number,
  signal: AbortSignal,
): Promise<ZipDirectory> {
  const tailAt = Math.max(0, size - TAIL_BYTES);
  const tail = Buffer.from(await readAt(source, tailAt, size - tailAt, signal));
  let tries = 0;
  for (let at = tail.length - END_BYTES; at >= 0 && tries < END_TRIES; at -= 1) {
    if (tail.readUInt32LE(at) !== END_SIGNATURE) continue;
    tries += 1;
    const found = await directoryAt(source, tail, at, tailAt, signal);
    if (found) return found;
  }
  throw new OrielError('CORRUPT', 'the zip directory at its end is missing: the file may be cut short');
}

/** Undefined where the signature stands by chance, in a comment or in a stored member. */
async function directoryAt(
  source: ByteSource,
  tail: Buffer,
  at: number,
  tailAt: number,
  signal: AbortSignal,
): Promise<ZipDirectory | undefined> {
  const wide = await wideEnd(source, tail, at, signal);
  const count = wide?.count ?? tail.readUInt16LE(at + 10);
  const length = wide?.length ?? tail.readUInt32LE(at + 12);
  const start = wide?.start ?? tail.readUInt32LE(at + 16);
  const end = wide?.at ?? tailAt + at;
  const shift = end - (start + length);
  for (const candidate of shift === 0 ? [0] : [shift, 0]) {
    const from = start + candidate;
    if (from < 0 || from > end) continue;
    if (count === 0 || (await startsWith(source, from, RECORD_SIGNATURE, signal))) {
      return { start: from, end, count, shift: candidate };
    }
  }
  return undefined;
}

/** The zip64 end record, when a locator stands before the end record at `at`. */
async function wideEnd(
  source: ByteSource,
  tail: Buffer,
  at: number,
  signal: AbortSignal,
): Promise<{ at: number; count: number; length: number; start: number } | undefined> {
  if (at < 20 || tail.readUInt32LE(at - 20) !== 0x07064b50) return undefined;
  const offset = Number(tail.readBigUInt64LE(at - 12));
  if (!Number.isSafeInteger(offset) || offset > (source.size ?? 0)) return undefined;
  const end = Buffer.from(await readAt(source, offset, 56, signal));
  if (end.length < 56 || end.readUInt32LE(0) !== 0x06064b50) return undefined;
  return {
    at: offset,
    count: Number(end.readBigUInt64LE(32)),
    length: Number(end.readBigUInt64LE(40)),
    start: Number(end.readBigUInt64LE(48)),
  };
}

async function startsWith(
  source: ByteSource,
  offset: number,
  signature: number,
  signal: AbortSignal,
): Promise<boolean> {
  const bytes = Buffer.from(await readAt(source, offset, 4, signal));
  return bytes.length === 4 && bytes.readUInt32LE(0) === signature;
}

/** The record in front of `cursor`, or undefined at the end. Throws `CORRUPT` where the chain breaks. */
export async function readRecord(
  cursor: SeekingCursor,
  directory: ZipDirectory,
): Promise<ZipRecord | undefined> {
  const at = cursor.position;
  if (at >= directory.end) return undefined;
  const fixed = Buffer.from(await cursor.read(RECORD_BYTES));
  if (fixed.length < RECORD_BYTES || fixed.readUInt32LE(0) !== RECORD_SIGNATURE) {
    throw new OrielError('CORRUPT', `the zip directory is damaged at byte ${at}`);
  }
  const nameBytes = fixed.readUInt16LE(28);
  const extraBytes = fixed.readUInt16LE(30);
  const rest = Buffer.from(await cursor.read(nameBytes + extraBytes));
  await cursor.skip(fixed.readUInt16LE(32));
  return parseRecord(fixed, rest.subarray(0, nameBytes), rest.subarray(nameBytes), directory.shift);
}

/** Moves on to the next record after a damaged one; false where there is none. */
export async function findNextRecord(
  cursor: SeekingCursor,
  from: number,
  directory: ZipDirectory,
): Promise<boolean> {
  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(RECORD_SIGNATURE);
  for (let at = from; at < directory.end;) {
    cursor.position = at;
    const window = Buffer.from(await cursor.read(Math.min(64 << 10, directory.end - at)));
    const found = window.indexOf(signature);
    cursor.position = at + found;
    if (found !== -1) return true;
    if (window.length < 4) return false;
    at += window.length - 3;
  }
  return false;
}

function parseRecord(fixed: Buffer, rawName: Buffer, extra: Buffer, shift: number): ZipRecord {
  const flags = fixed.readUInt16LE(8);
  const name = recordName(rawName, extra, (flags & 0x800) !== 0);
  const [size, packed, local] = wideNumbers(extra, [
    fixed.readUInt32LE(24),
    fixed.readUInt32LE(20),
    fixed.readUInt32LE(42),
  ]);
  return {
    name,
    type: recordType(name, fixed.readUInt16LE(4) >> 8, fixed.readUInt32LE(38)),
    // Bit 0: traditional or AES; bit 6: strong encryption; bit 13: masked headers.
    encrypted: (flags & 0x2041) !== 0,
    method: fixed.readUInt16LE(10),
    crc: fixed.readUInt32LE(16),
    packed,
    size,
    local: local + shift,
  };
}

/** Names from Windows tools may separate directories by `\`. */
export function recordName(raw: Buffer, extra: Buffer, utf8: boolean): string {
  const better = extraField(extra, 0x7075);
  const name =
    better && better.length > 5 && better[0] === 1 && better.readUInt32LE(1) === crc32(raw)
      ? escapeName(better.toString('utf8', 5))
      : printName(raw, utf8 ? undefined : 'cp437');
  return name.replaceAll('\\', '/');
}

function recordType(name: string, madeBy: number, attributes: number): MemberType {
  // 3: Unix, 19: macOS. Others leave the upper half of the attributes undefined.
  const mode = madeBy === 3 || madeBy === 19 ? (attributes >>> 16) & 0xf000 : 0;
  if (mode === 0xa000) return 'symlink';
  if (mode === 0x4000 || name.endsWith('/')) return 'directory';
  if (mode === 0x1000) return 'fifo';
  if (mode === 0x2000 || mode === 0x6000) return 'device';
  return mode === 0xc000 ? 'other' : 'file';
}

/** Numbers that did not fit in 32 bits stand in the zip64 field, in this order, only those that did not. */
function wideNumbers(extra: Buffer, narrow: [number, number, number]): [number, number, number] {
  const field = extraField(extra, 0x0001);
  let at = 0;
  const widened = narrow.map((value) => {
    if (value !== 0xffffffff || !field || at + 8 > field.length) return value;
    at += 8;
    return Number(field.readBigUInt64LE(at - 8));
  });
  return [widened[0] ?? 0, widened[1] ?? 0, widened[2] ?? 0];
}

/** The extra field with this id; what does not add up ends the search. */
function extraField(extra: Buffer, id: number): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length;) {
    const length = extra.readUInt16LE(at + 2);
    if (at + 4 + length > extra.length) return undefined;
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
  return undefined;
}
