/**
 * Zip archives: a listing reads only the central directory, a member only its own bytes. yauzl 3.4.0 was tried: it makes two
 * reads per entry (200,002 for 100,000 entries), rejects archives with bytes before or after them (self-extractors,
 * appended signatures), and ends the listing at the first bad record.
 */

import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { isOrielError, OrielError } from '../../errors.ts';
import { binarySize } from '../../render/display.ts';
import { chunksOf, readAt, sliceBytes } from '../../text/bytes.ts';
import type { ByteSource } from '../../types/access.ts';
import { ZIP_END, ZIP_TAIL_BYTES } from './detect.ts';
import { archiveLimits, type UnpackBudget } from './limits.ts';
import {
  type ArchiveContainer,
  type ArchiveMember,
  escapeName,
  type MemberType,
  printName,
} from './members.ts';
import { guessNameEncoding } from './name-encoding.ts';
import {
  type CompressionCodec,
  decompress,
  type PackedInput,
  unpackAlone,
  WORKING,
  workingAlone,
} from './unpack.ts';

type ZipMember = ArchiveMember & ZipRecord;

const LOCAL_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
/** The largest number of bytes in a local header without further fields. */
const MAX_LOCAL_NUMBER = 0xffffffff;
const NEAR_BYTES = 4_096;
const ZIP_CHUNK_BYTES = 256 << 10;

/** The factor by which a codec can enlarge a short content that it cannot compress. */
const MAX_PACKED_FACTOR = 2;

/** Compression methods. Source: APPNOTE.TXT 4.4.5. */
const CODECS = new Map<number, CompressionCodec>([
  [8, 'deflate'],
  [12, 'bzip2'],
  [93, 'zstd'],
  [95, 'xz'],
]);

const LIBARCHIVE_METHODS = new Set([14, 98]);

const UNREAD_METHODS = new Map([
  [1, 'Shrink'],
  [6, 'Implode'],
  [9, 'Deflate64'],
  [97, 'WavPack'],
]);

/** Of the flags only this one is about LZMA: the stream has an end mark. Source: APPNOTE.TXT 4.4.4. */
const END_MARK = 0x2;
const UTF8_NAME = 0x800;

export class ZipArchive implements ArchiveContainer {
  readonly format = 'zip';
  readonly #source: ByteSource;
  readonly #size: number;
  readonly #budget: UnpackBudget;
  /** The most members whose local headers are compared with the directory. */
  readonly #compared: number;
  /** Bytes of the file from an offset on, with the local header that was read last. */
  #read = { at: 0, bytes: Buffer.alloc(0) };

  constructor(
    source: ByteSource,
    size: number,
    budget: UnpackBudget,
    compared: number = archiveLimits.localHeaders,
  ) {
    this.#source = source;
    this.#size = size;
    this.#budget = budget;
    this.#compared = compared;
  }

  async *entries(signal: AbortSignal): AsyncGenerator<ArchiveMember[]> {
    const directory = await findDirectory(this.#source, this.#size, signal);
    // Not for a remote archive, where each header would be a request.
    const compare = !this.#source.remote && directory.count <= this.#compared;
    let seen = 0;
    for await (const records of readRecords(this.#source, directory, signal)) {
      const members: ArchiveMember[] = [];
      for (const record of records) {
        const found = record.type === 'symlink' ? await this.#withTarget(record, signal) : record;
        const isCompared = compare && seen < this.#compared;
        seen += 1;
        const local = isCompared ? await this.#localNames(record, signal) : [];
        const names = new Set([record.name, ...(record.names ?? []), ...local]);
        const member = names.size > 1 ? { ...found, names: [...names] } : found;
        const [other = record.name] = local;
        if (other === record.name) members.push(member);
        else {
          members.push({ ...member, trouble: `its local header calls it ${other}` });
          const trouble = `the zip directory calls it ${member.name}`;
          members.push({ ...member, name: other, alias: true, trouble });
        }
      }
      yield members;
    }
  }

  async *open(member: ZipMember, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    if (member.encrypted) {
      throw new OrielError('ENCRYPTED', 'it is encrypted (7z or unzip unpacks it with its password)');
    }
    const start = await this.#dataStart(member, signal);
    const end = Math.max(start, Math.min(start + member.packed, this.#size));
    const read = (): AsyncIterable<Uint8Array> => chunksOf(this.#source, start, end, ZIP_CHUNK_BYTES, signal);
    const packed = { size: end - start, read };
    let crc = 0;
    let size = 0;
    for await (const chunk of this.#unpacked(member, packed, signal)) {
      crc = crc32(chunk, crc);
      size += chunk.length;
      yield chunk;
    }
    if (size !== member.size) {
      throw new OrielError('CORRUPT', `it has ${size} bytes, and ${member.size} were declared`);
    }
    if (crc !== member.crc) throw new OrielError('CORRUPT', 'its CRC does not match');
  }

  #unpacked(
    { method, flags, crc, packed: length, size }: ZipMember,
    packed: PackedInput,
    signal: AbortSignal,
  ): AsyncIterable<Uint8Array> {
    const codec = CODECS.get(method);
    if (codec) return decompress(codec, packed, this.#budget, signal);
    if (method === 0) return packed.read();
    if (!LIBARCHIVE_METHODS.has(method)) {
      const name = UNREAD_METHODS.get(method) ?? `the zip method ${method}`;
      throw new OrielError(
        'UNSUPPORTED',
        `it is compressed with ${name}, which is not supported (7z unpacks it)`,
      );
    }
    if (size > MAX_LOCAL_NUMBER) {
      const [is, most] = [size, MAX_LOCAL_NUMBER].map((bytes) => binarySize(bytes));
      throw new OrielError('LIMIT', `a member of its kind is unpacked up to ${most}, and it declares ${is}`);
    }
    // A zip of its own: libarchive reads it by its local header.
    const header = Buffer.alloc(LOCAL_BYTES + 1, 'x');
    header.fill(0, 0, LOCAL_BYTES);
    header.writeUInt32LE(LOCAL_SIGNATURE, 0);
    header.writeUInt16LE(flags & END_MARK, 6);
    header.writeUInt16LE(method, 8);
    header.writeUInt32LE(crc, 14);
    header.writeUInt32LE(Math.min(length, MAX_LOCAL_NUMBER), 18);
    header.writeUInt32LE(size, 22);
    header.writeUInt16LE(1, 26);
    return unpackAlone(header, packed, this.#budget, signal);
  }

  working({ method, packed }: ZipMember): number {
    const codec = CODECS.get(method);
    if (codec) return WORKING[codec];
    return LIBARCHIVE_METHODS.has(method) ? workingAlone(packed) : ZIP_CHUNK_BYTES;
  }

  /** A member without compression is read at its offset. Its CRC is not checked, because that would need all of its bytes. */
  async inPlace(member: ZipMember, signal: AbortSignal): Promise<ByteSource | undefined> {
    const stored = member.method === 0 && !member.encrypted && member.packed === member.size;
    const least = this.#source.remote ? ZIP_CHUNK_BYTES : archiveLimits.spoolMemory;
    if (!stored || member.size <= least) return undefined;
    const start = await this.#dataStart(member, signal);
    return start + member.size <= this.#size ? sliceBytes(this.#source, start, member.size) : undefined;
  }

  /** Adds the target of a symlink, which is its content. A content that is longer than declared gives no target. */
  async #withTarget(
    record: ZipRecord,
    signal: AbortSignal,
  ): Promise<ZipRecord & { link?: string | undefined }> {
    const { linkBytes } = archiveLimits;
    if (record.encrypted || record.size > linkBytes || record.packed > MAX_PACKED_FACTOR * linkBytes)
      return record;
    try {
      const target = Buffer.alloc(record.size);
      let length = 0;
      for await (const chunk of this.open(record, signal)) {
        if (length + chunk.length > target.length) return record;
        target.set(chunk, length);
        length += chunk.length;
      }
      return { ...record, link: printName(target) };
    } catch (error) {
      signal.throwIfAborted();
      if (isOrielError(error)) return record;
      throw error;
    }
  }

  /** The names in the local header: some tools unpack the member under them. */
  async #localNames(record: ZipRecord, signal: AbortSignal): Promise<readonly string[]> {
    const fixed = await this.#localHeader(record, signal);
    if (!fixed) return [];
    const nameBytes = fixed.readUInt16LE(26);
    const length = nameBytes + fixed.readUInt16LE(28);
    const rest = await this.#near(record.local + LOCAL_BYTES, length, signal);
    const utf8 = (fixed.readUInt16LE(6) & UTF8_NAME) !== 0;
    // Cut to the same length as the name in the directory record.
    const compared = Math.min(nameBytes, archiveLimits.nameBytes + 1);
    return zipRecordNames(rest.subarray(0, compared), rest.subarray(nameBytes), utf8, record.guess);
  }

  async #dataStart(member: ZipRecord, signal: AbortSignal): Promise<number> {
    const fixed = await this.#localHeader(member, signal);
    if (!fixed) throw new OrielError('CORRUPT', 'its local header is damaged');
    return member.local + LOCAL_BYTES + fixed.readUInt16LE(26) + fixed.readUInt16LE(28);
  }

  async #localHeader(record: ZipRecord, signal: AbortSignal): Promise<Buffer | undefined> {
    if (record.local < 0 || record.local + LOCAL_BYTES > this.#size) return undefined;
    const fixed = await this.#near(record.local, LOCAL_BYTES, signal);
    return fixed.length === LOCAL_BYTES && fixed.readUInt32LE(0) === LOCAL_SIGNATURE ? fixed : undefined;
  }

  /** Headers of small members are near each other: they are not read one by one. */
  async #near(offset: number, length: number, signal: AbortSignal): Promise<Buffer> {
    const { at, bytes } = this.#read;
    if (offset < at || offset + length > at + bytes.length) {
      const read = await readAt(this.#source, offset, Math.max(length, NEAR_BYTES), signal);
      this.#read = { at: offset, bytes: Buffer.from(read) };
    }
    const from = offset - this.#read.at;
    return this.#read.bytes.subarray(from, from + length);
  }
}

// Parses the records of a zip's central directory. yauzl 3.4.0 was tried: it rejects the whole archive for one bad record,
// for example one with the flag of strong encryption. Here the other entries are still listed.

interface ZipRecord {
  readonly name: string;
  readonly names: readonly string[] | undefined;
  readonly guess: string | undefined;
  readonly type: MemberType;
  readonly encrypted: boolean;
  /** Compression method: 0 stored, 8 deflate, … */
  readonly method: number;
  readonly flags: number;
  readonly crc: number;
  /** As declared: packed and unpacked bytes. */
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
  let guess: string | undefined;
  for (let at = directory.start; at < directory.end;) {
    if (at - directory.start >= archiveLimits.directoryBytes) {
      const most = binarySize(archiveLimits.directoryBytes);
      throw new OrielError('LIMIT', `only the first ${most} of its zip directory are read`);
    }
    const window = Buffer.from(await readAt(source, at, Math.min(WINDOW, directory.end - at), signal));
    const isLast = at + window.length >= directory.end || window.length === 0;
    if (at === directory.start) guess = guessNameEncoding(localNames(window));
    const { used, damaged, skipped } = yield* parseWindow(window, isLast, directory.shift, guess);
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
  readonly damaged?: number | undefined;
  readonly skipped: number;
}

const MAX_GUESS_NAMES = 200;

/** The names at the start of a directory that are in the encoding of the system that wrote it. */
function localNames(window: Buffer): Buffer[] {
  const names: Buffer[] = [];
  for (let at = 0; names.length < MAX_GUESS_NAMES;) {
    const length = recordLength(window, at);
    if (length === undefined || at + length > window.length) break;
    const name = window.subarray(at + RECORD_BYTES, at + RECORD_BYTES + window.readUInt16LE(at + 28));
    const isMarked = (window.readUInt16LE(at + 8) & UTF8_NAME) !== 0;
    if (!isMarked && !isUtf8(name)) names.push(name);
    at += length;
  }
  return names;
}

function* parseWindow(
  window: Buffer,
  isLast: boolean,
  shift: number,
  guess: string | undefined,
): Generator<ZipRecord[], Parsed> {
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
      records.push(parseRecord(window, at, shift, guess));
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
  return { used: at, skipped, damaged };
}

/** Undefined if there is no record at `at`, or it is incomplete. */
function recordLength(window: Buffer, at: number): number | undefined {
  if (at + RECORD_BYTES > window.length || window.readUInt32LE(at) !== RECORD_SIGNATURE) return undefined;
  const [name, extra, comment] = [28, 30, 32].map((field) => window.readUInt16LE(at + field));
  return RECORD_BYTES + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
}

function parseRecord(window: Buffer, at: number, shift: number, guess: string | undefined): ZipRecord {
  const flags = window.readUInt16LE(at + 8);
  const nameAt = at + RECORD_BYTES;
  const extraAt = nameAt + window.readUInt16LE(at + 28);
  const extra = window.subarray(extraAt, extraAt + window.readUInt16LE(at + 30));
  // A longer name cannot be typed; such a member is read by its number.
  const nameEnd = Math.min(extraAt, nameAt + archiveLimits.nameBytes + 1);
  const names = zipRecordNames(window.subarray(nameAt, nameEnd), extra, (flags & UTF8_NAME) !== 0, guess);
  const [name] = names;
  const [size, packed, local] = wideNumbers(extra, [
    window.readUInt32LE(at + 24),
    window.readUInt32LE(at + 20),
    window.readUInt32LE(at + 42),
  ]);
  return {
    name,
    names: names.length > 1 ? names : undefined,
    guess,
    type: recordType(name, window.readUInt16LE(at + 4) >> 8, window.readUInt32LE(at + 38)),
    // Bit 0: traditional or AES; bit 6: strong encryption; bit 13: masked headers.
    encrypted: (flags & 0x2041) !== 0,
    method: window.readUInt16LE(at + 10),
    flags,
    crc: window.readUInt32LE(at + 16),
    packed,
    size,
    local: local + shift,
  };
}

/**
 * The printable name of a record, and after it the one for programs that do not know the field of the first. Windows tools may
 * separate directories by `\`.
 */
function zipRecordNames(
  raw: Buffer,
  extra: Buffer,
  utf8: boolean,
  guess = 'cp437',
): readonly [string, ...string[]] {
  const plain = printName(raw, utf8 ? undefined : guess).replaceAll('\\', '/');
  const better = extraField(extra, 0x7075);
  if (!better || better.length <= 5 || better[0] !== 1 || better.readUInt32LE(1) !== crc32(raw))
    return [plain];
  return [escapeName(better.toString('utf8', 5)).replaceAll('\\', '/'), plain];
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

// Finds the central directory of a zip, even with a comment or junk after it, or other data in front of the archive.

interface ZipDirectory {
  readonly start: number;
  readonly end: number;
  /** Number of records as declared; the real number may differ. */
  readonly count: number;
  /** The number of bytes in front of the zip (a self-extractor), to be added to all offsets in it. */
  readonly shift: number;
}

const RECORD_SIGNATURE = 0x02014b50;

const END_BYTES = 22;
/** The most signatures that are tried, because a hostile tail can consist of nothing else. */
const END_TRIES = 32;

/** Whether the file is a zip with members, whatever it begins with: a program that unpacks itself. */
export async function endsAsZip(source: ByteSource, size: number, signal: AbortSignal): Promise<boolean> {
  try {
    return (await findDirectory(source, size, signal)).count > 0;
  } catch (error) {
    if (!isOrielError(error) || error.code !== 'CORRUPT') throw error;
    return false;
  }
}

/** Finds the directory from the end of the file. Throws `CORRUPT` if there is none. */
async function findDirectory(source: ByteSource, size: number, signal: AbortSignal): Promise<ZipDirectory> {
  const tailAt = Math.max(0, size - ZIP_TAIL_BYTES);
  const tail = Buffer.from(await readAt(source, tailAt, size - tailAt, signal));
  let at = tail.length - END_BYTES + 1;
  for (let tries = 0; at > 0 && tries < END_TRIES; tries += 1) {
    at = tail.lastIndexOf(ZIP_END, at - 1);
    const found = at === -1 ? undefined : await directoryAt(source, tail, at, tailAt, signal);
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
    const first = count > 0 ? await readAt(source, from, SIGNATURE_BYTES.length, signal) : SIGNATURE_BYTES;
    if (SIGNATURE_BYTES.equals(first)) return { start: from, end, count, shift: candidate };
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
