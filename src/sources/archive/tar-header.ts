/**
 * Parses one tar header: ustar, GNU and pax, base-256 numbers, checksums. modern-tar 0.8.6 was tried: it has no parser for
 * single headers, and decodes names as UTF-8 with replacement characters, so that different undecodable names become equal.
 */

import { OrielError } from '../../errors.ts';
import type { MemberType } from './container.ts';
import { printName } from './member-names.ts';
import { checksumHolds, octal } from './tar-checksum.ts';

export interface TarHeader {
  readonly name: string;
  readonly flag: string;
  /** Bytes after the header, without the padding to whole blocks. */
  readonly size: number;
  readonly link: string;
  /** The expanded size in bytes of an old GNU sparse file. */
  readonly realSize?: number;
  /** Whether an old GNU sparse map continues in the following blocks. */
  readonly moreMap?: boolean;
}

/** Fields from a pax or GNU long-name header that override those of the next member. */
export interface TarOverrides {
  name?: string;
  link?: string;
  size?: number;
  realSize?: number;
  sparse?: boolean;
  /** The name of a sparse file; `name` is then that of its packed form. */
  sparseName?: string;
}

/** Undefined for a block of zeros (the end). Throws `CORRUPT` for an invalid header. `at` is its byte offset, for messages. */
export function parseHeader(block: Buffer, at: number): TarHeader | undefined {
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

export function tarType(header: TarHeader, name: string): MemberType {
  switch (header.flag) {
    case '1':
      return 'hardlink';
    case '2':
      return 'symlink';
    case '3':
    case '4':
      return 'device';
    case '5':
      return 'directory';
    case '6':
      return 'fifo';
    case 'V':
    case 'M':
    case 'D':
      return 'other';
    default:
      // v7 archives mark directories only by a trailing slash.
      return name.endsWith('/') ? 'directory' : 'file';
  }
}

/** Parses the records of a pax header: `"27 path=dir/name.txt\n…"`. Stops at the first record with an invalid length. */
export function parsePax(body: Buffer, at: number): TarOverrides {
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

/** The text of a GNU `L` or `K` header. */
export function longName(body: Buffer): string {
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
export function hasBody(flag: string): boolean {
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
