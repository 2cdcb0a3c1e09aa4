/**
 * Tar archives. A plain tar is read by seeking from header to header, a compressed one as a stream. Members have the byte
 * offset of their content in the (unpacked) tar. modern-tar 0.8.6 was tried: it only streams, so listing a tar of 300
 * members and 315 MB reads 315 MB, where this reads 1.3 MB; and it gives no offsets by which to open a member.
 */

import { OrielError } from '../../errors.ts';
import { chunksOf, sliceBytes } from '../../text/bytes.ts';
import type { ByteSource } from '../../types/access.ts';
import { type ByteCursor, SeekingCursor, StreamCursor } from './cursor.ts';
import { BLOCK_BYTES, checksumHolds, octal } from './detect.ts';
import { archiveLimits, UnpackBudget } from './limits.ts';
import { type ArchiveContainer, type ArchiveMember, type MemberType, printName } from './members.ts';
import { type CompressionCodec, unpackAlone, WORKING, workingAlone } from './unpack.ts';

interface TarMember extends ArchiveMember {
  /** The byte offset and length of the stored content. */
  readonly at: number;
  readonly stored: number;
  /** For a sparse file the byte offset of its first header: it is unpacked from there. */
  readonly sparseFrom?: number | undefined;
}

/** Yields the members from the position of `cursor` on. Throws `CORRUPT` at the first damaged header. */
async function* readMembers(cursor: ByteCursor): AsyncGenerator<TarMember[]> {
  let next: TarOverrides = {};
  let global: TarOverrides = {};
  /** The offset of the first header that belongs to the next member, if one has come. */
  let pendingFrom: number | undefined;
  for (;;) {
    const at = cursor.position;
    const block = await cursor.read(BLOCK_BYTES);
    // The zeros at the end may be missing.
    if (block.length === 0 && pendingFrom === undefined) return;
    if (block.length < BLOCK_BYTES) throw endedIn(`the header at byte ${at}`);
    const header = parseHeader(Buffer.from(block), at);
    if (!header && pendingFrom !== undefined) throw endedIn(`the headers before byte ${at}`);
    if (!header) return;
    if ('xgLK'.includes(header.flag)) {
      const said = await readOverrides(cursor, header, at);
      if (header.flag === 'g') global = { ...global, ...said };
      else {
        next = { ...next, ...said };
        pendingFrom ??= at;
      }
      continue;
    }
    if (header.moreMap) await skipSparseMap(cursor);
    const member = await readMember(cursor, header, { ...global, ...next }, pendingFrom ?? at);
    yield [member];
    if (cursor.position < member.at + padded(member.stored) && member.trouble === undefined)
      throw endedIn(`the block at byte ${at}`);
    next = {};
    pendingFrom = undefined;
  }
}

async function readMember(
  cursor: ByteCursor,
  header: TarHeader,
  said: TarOverrides,
  from: number,
): Promise<TarMember> {
  const at = cursor.position;
  const name = said.sparseName ?? said.name ?? header.name;
  const type = tarType(header, name);
  const stored = hasBody(header.flag) ? (said.size ?? header.size) : 0;
  const real = said.realSize ?? header.realSize;
  const there = Math.min(stored, await cursor.skip(padded(stored)));
  const link = said.link ?? header.link;
  return {
    name,
    type,
    size: real ?? stored,
    at,
    stored: there,
    sparseFrom: header.flag === 'S' || said.sparse === true ? from : undefined,
    link: type === 'symlink' || type === 'hardlink' ? link : undefined,
    trouble: there < stored ? `the archive ends inside it, after ${there} of ${stored} bytes` : undefined,
  };
}

async function readOverrides(cursor: ByteCursor, header: TarHeader, at: number): Promise<TarOverrides> {
  if (header.size > archiveLimits.metaBytes) {
    throw new OrielError('LIMIT', `the tar header at byte ${at} has ${header.size} bytes of names`);
  }
  const body = Buffer.from(await cursor.read(header.size));
  const padding = padded(header.size) - header.size;
  if (body.length < header.size || (await cursor.skip(padding)) < padding)
    throw endedIn(`the header at byte ${at}`);
  if (header.flag === 'L') return { name: longName(body) };
  if (header.flag === 'K') return { link: longName(body) };
  return parsePax(body, at);
}

async function skipSparseMap(cursor: ByteCursor): Promise<void> {
  for (let blocks = 0; blocks < archiveLimits.metaBytes / BLOCK_BYTES; blocks += 1) {
    const block = await cursor.read(BLOCK_BYTES);
    if (block.length < BLOCK_BYTES) throw endedIn('a sparse map');
    if (block[504] !== 1) return;
  }
}

function endedIn(part: string): OrielError {
  return new OrielError('CORRUPT', `the tar ends inside ${part}`);
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES;
}

/** `read` gives bytes of the tar. Throws `LIMIT` for a sparse file whose declared size, which can be a petabyte, is too large. */
function contentOf(
  { at, stored, size = 0, sparseFrom: from }: TarMember,
  read: (from: number, end: number) => AsyncIterable<Uint8Array>,
  budget: UnpackBudget,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const end = at + stored;
  if (from === undefined) return read(at, end);
  if (size > archiveLimits.memberBytes)
    throw new OrielError('LIMIT', `it is a sparse file that declares ${size} bytes`);
  return unpackAlone(NO_FRONT, { size: end - from, read: () => read(from, end) }, budget, signal);
}

const NO_FRONT = new Uint8Array(0);

const TAR_CHUNK_BYTES = 64 << 10;

export class PlainTar implements ArchiveContainer {
  readonly format = 'tar';
  readonly #source: ByteSource;
  readonly #budget: UnpackBudget;

  constructor(source: ByteSource, budget = new UnpackBudget()) {
    this.#source = source;
    this.#budget = budget;
  }

  entries(signal: AbortSignal): AsyncIterable<ArchiveMember[]> {
    return readMembers(new SeekingCursor(this.#source, signal));
  }

  open(member: TarMember, signal: AbortSignal): AsyncIterable<Uint8Array> {
    const read = (from: number, end: number): AsyncIterable<Uint8Array> =>
      chunksOf(this.#source, from, end, TAR_CHUNK_BYTES, signal);
    return contentOf(member, read, this.#budget, signal);
  }

  working(member: TarMember): number {
    return member.sparseFrom === undefined ? TAR_CHUNK_BYTES : workingAlone(member.stored);
  }

  inPlace(member: TarMember): Promise<ByteSource | undefined> {
    return Promise.resolve(
      member.sparseFrom === undefined ? sliceBytes(this.#source, member.at, member.stored) : undefined,
    );
  }
}

const SUFFIXES: Record<CompressionCodec, string> = {
  gzip: 'gz',
  bzip2: 'bz2',
  xz: 'xz',
  zstd: 'zst',
  deflate: 'z',
};

/** A tar in a compressed stream, which `unpack` unpacks from its start for each listing and each member. */
export function packedTar(
  codec: CompressionCodec,
  budget: UnpackBudget,
  unpack: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
): ArchiveContainer {
  async function* at<T>(
    from: number,
    read: (cursor: StreamCursor) => AsyncIterable<T>,
    signal: AbortSignal,
  ): AsyncGenerator<T> {
    const cursor = new StreamCursor(unpack(signal));
    try {
      await cursor.skip(from);
      yield* read(cursor);
    } finally {
      await cursor.close();
    }
  }
  return {
    format: `tar.${SUFFIXES[codec]}`,
    entries: (signal) => at(0, readMembers, signal),
    working: ({ sparseFrom, stored }: TarMember) =>
      WORKING[codec] + (sparseFrom === undefined ? 0 : workingAlone(stored)),
    open: (member: TarMember, signal) =>
      contentOf(
        member,
        (from, end) => at(from, (cursor) => cursor.stream(end - from), signal),
        budget,
        signal,
      ),
  };
}

// Parses one tar header: ustar, GNU and pax, base-256 numbers, checksums. modern-tar 0.8.6 was tried: it has no parser for
// single headers, and decodes names as UTF-8 with replacement characters, so that different undecodable names become equal.

interface TarHeader {
  readonly name: string;
  readonly flag: string;
  /** Bytes after the header, without the padding to whole blocks. */
  readonly size: number;
  readonly link: string;
  /** The expanded size in bytes of an old GNU sparse file. */
  readonly realSize?: number | undefined;
  /** Whether an old GNU sparse map continues in the following blocks. */
  readonly moreMap?: boolean | undefined;
}

/** Fields from a pax or GNU long-name header that override those of the next member. */
interface TarOverrides {
  name?: string | undefined;
  link?: string | undefined;
  size?: number | undefined;
  realSize?: number | undefined;
  sparse?: boolean | undefined;
  /** The name of a sparse file; `name` is then that of its packed form. */
  sparseName?: string | undefined;
}

/** Undefined for a block of zeros (the end). Throws `CORRUPT` for an invalid header. `at` is its byte offset, for messages. */
function parseHeader(block: Buffer, at: number): TarHeader | undefined {
  if (block[0] === 0 && block.every((byte) => byte === 0)) return undefined;
  if (!checksumHolds(block)) throw new OrielError('CORRUPT', `the tar header at byte ${at} is damaged`);
  const flag = String.fromCharCode(block[156] || 0x30);
  const magic = block.toString('latin1', 257, 265);
  const prefix = magic === 'ustar\x0000' ? printName(field(block, 345, 155)) : '';
  const name = printName(field(block, 0, 100));
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    flag,
    size: hasBody(flag) ? number(block, 124, 12, at) : 0,
    link: printName(field(block, 157, 100)),
    ...(flag === 'S' ? { realSize: number(block, 483, 12, at), moreMap: block[482] === 1 } : {}),
  };
}

/** By the flag of the header. */
const TYPES: Readonly<Record<string, MemberType>> = {
  1: 'hardlink',
  2: 'symlink',
  3: 'device',
  4: 'device',
  5: 'directory',
  6: 'fifo',
  V: 'other',
  M: 'other',
  D: 'other',
};

function tarType({ flag }: TarHeader, name: string): MemberType {
  // v7 archives mark directories only by a trailing slash.
  return TYPES[flag] ?? (name.endsWith('/') ? 'directory' : 'file');
}

/** Parses the records of a pax header: `"27 path=dir/name.txt\n…"`. Stops at the first record with an invalid length. */
function parsePax(body: Buffer, at: number): TarOverrides {
  const said: TarOverrides = {};
  for (let offset = 0; offset < body.length;) {
    const space = body.indexOf(0x20, offset);
    const length = space === -1 ? Number.NaN : Number(body.toString('latin1', offset, space));
    if (!Number.isInteger(length) || length < 5 || offset + length > body.length) break;
    const equals = body.indexOf(0x3d, space);
    if (equals === -1 || equals >= offset + length) break;
    const value = body.subarray(equals + 1, offset + length - 1);
    applyRecord(said, body.toString('latin1', space + 1, equals), value, at);
    offset += length;
  }
  return said;
}

function longName(body: Buffer): string {
  return printName(field(body, 0, body.length));
}

function applyRecord(said: TarOverrides, key: string, value: Buffer, at: number): void {
  if (key.startsWith('GNU.sparse.')) said.sparse = true;
  if (key === 'GNU.sparse.name') said.sparseName = printName(value);
  else if (key === 'GNU.sparse.realsize' || key === 'GNU.sparse.size') said.realSize = decimal(value, at);
  else if (key === 'path') said.name = printName(value);
  else if (key === 'linkpath') said.link = printName(value);
  else if (key === 'size') said.size = decimal(value, at);
}

/** Whether content follows the header. Links, devices, directories and FIFOs have none, whatever their size field says. */
function hasBody(flag: string): boolean {
  return !(flag >= '1' && flag <= '6');
}

function field(block: Buffer, start: number, length: number): Buffer {
  const part = block.subarray(start, start + length);
  const end = part.indexOf(0);
  return end === -1 ? part : part.subarray(0, end);
}

/** Parses octal text, or base-256 if the first bit is set. Throws for a negative size: seeking by it would loop. */
function number(block: Buffer, start: number, length: number, at: number): number {
  const bytes = block.subarray(start, start + length);
  const first = bytes[0] ?? 0;
  if (first & 0x40 && first & 0x80) {
    throw new OrielError('CORRUPT', `the tar header at byte ${at} has a negative size`);
  }
  const value = first & 0x80 ? base256(bytes) : octal(bytes.toString('latin1'));
  if (!Number.isSafeInteger(value)) {
    throw new OrielError('CORRUPT', `the tar header at byte ${at} has an invalid size`);
  }
  return value;
}

function base256(bytes: Buffer): number {
  let value = (bytes[0] ?? 0) & 0x3f;
  for (const byte of bytes.subarray(1)) value = value * 256 + byte;
  return value;
}

function decimal(value: Buffer, at: number): number {
  const digits = value.toString('latin1');
  const size = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
  if (!Number.isSafeInteger(size)) {
    throw new OrielError('CORRUPT', `the pax header at byte ${at} has an invalid size`);
  }
  return size;
}
