/** Finds the central directory of a zip, even with a comment or junk after it, or other data in front of the archive. */

import { readAt } from '../../access/bytes.ts';
import { OrielError } from '../../errors.ts';
import type { ByteSource } from '../../types/byte-source.ts';

export interface ZipDirectory {
  readonly start: number;
  readonly end: number;
  /** Number of records as declared; the real number may differ. */
  readonly count: number;
  /** The number of bytes in front of the zip (a self-extractor), to be added to all offsets in it. */
  readonly shift: number;
}

/** The signature of each directory record. */
export const RECORD_SIGNATURE = 0x02014b50;

const END_BYTES = 22;
const END_SIGNATURE = 0x06054b50;
/** Bytes at the end that are searched for the end record: at most 65,535 of a comment, the rest for junk after it. */
const TAIL_BYTES = 2 * 65_536;
/** The most signatures that are tried, because a hostile tail can consist of nothing else. */
const END_TRIES = 32;

/** Finds the directory from the end of the file. Throws `CORRUPT` if there is none. */
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

/** Undefined if the signature occurs by chance, in a comment or a stored member. */
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

/** The zip64 end record, if a locator precedes the end record at `at`. */
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
