/** Detects archives: decides by name and first bytes whether the source claims a file, and its format. */

import { isUtf8 } from 'node:buffer';
import { isSelector } from '../../selector/selection.ts';
import type { SourceSubject } from '../../types/call.ts';
import type { CompressionCodec } from './unpack.ts';

/** The formats that libarchive reads. `ar` is used for Debian packages and static libraries. */
export type IsolatedFormat = '7z' | 'rar' | 'ar' | 'cpio' | 'rpm' | 'cab' | 'iso';

type ArchiveFormatName = 'tar' | 'zip' | IsolatedFormat | CompressionCodec;

const NAMES =
  /\.(?:tar|tgz|tbz2?|txz|tzst|zip|jar|war|ear|aar|whl|egg|apk|vsix|xpi|ipa|nupkg|7z|rar|deb|rpm|cpio|cab|iso|gz|bz2|xz|zst)$/i;
/** Documents that are zip files: archives only when a member is named. */
const DOCUMENTS = /\.(?:epub|docx|xlsx|pptx|odt|ods|odp)$/i;
export const PACKED_TARS = /\.(?:tgz|tbz2?|txz|tzst|tar\.[a-z0-9]+)$/i;
/** A zip may begin with other data, such as a self-extractor. */
export const ZIPS =
  /\.(?:zip|jar|war|ear|aar|whl|egg|apk|vsix|xpi|ipa|nupkg|epub|docx|xlsx|pptx|odt|ods|odp)$/i;

const MAGIC: readonly (readonly [ArchiveFormatName, string])[] = [
  ['zip', 'PK\x03\x04'],
  ['zip', 'PK\x05\x06'],
  ['zip', 'PK\x07\x08'],
  ['7z', '7z\xbc\xaf\x27\x1c'],
  ['rar', 'Rar!\x1a\x07'],
  ['ar', '!<arch>\n'],
  ['rpm', '\xed\xab\xee\xdb'],
  ['cab', 'MSCF\0\0\0\0'],
  ['cpio', '070701'],
  ['cpio', '070702'],
  ['cpio', '070707'],
  ['gzip', '\x1f\x8b'],
  ['bzip2', 'BZh'],
  ['xz', '\xfd7zXZ\0'],
  ['zstd', '\x28\xb5\x2f\xfd'],
];

const MAGIC_START_BYTES: ReadonlySet<number | undefined> = new Set(
  MAGIC.map(([, magic]) => magic.charCodeAt(0)),
);

export function claimsArchive({ opened, name, head, rest }: SourceSubject): boolean {
  if (opened.kind !== 'file') return false;
  return (DOCUMENTS.test(name) && namesMember(rest)) || isArchive(name, head, opened.size);
}

/** Whether a file that is not a document is listed as an archive. */
export function isArchive(name: string, head: Uint8Array, size: number): boolean {
  if (NAMES.test(name)) return !isText(head, size);
  const format = formatOf(head);
  // A zip with the name of a document is one; another archive is not.
  return format !== undefined && (format !== 'zip' || !DOCUMENTS.test(name));
}

/** A short text with the name of an archive is read as text: a Git LFS pointer, a note, a stub for a test. */
function isText(head: Uint8Array, size: number): boolean {
  return size > 0 && size <= head.length && formatOf(head) === undefined && !head.includes(0) && isUtf8(head);
}

/** The format by the first bytes, which take precedence over the name: a `.zip` may be a tar. */
export function formatOf(head: Uint8Array): ArchiveFormatName | undefined {
  if (MAGIC_START_BYTES.has(head[0])) {
    const start = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, 16)).toString('latin1');
    for (const [format, magic] of MAGIC) if (start.startsWith(magic)) return plausible(format, start);
  }
  return head.length >= BLOCK_BYTES && isTarHeader(head) ? 'tar' : undefined;
}

export function isNamedArchive(name: string): boolean {
  return NAMES.test(name) || DOCUMENTS.test(name);
}

/** `notes.txt.gz` → `notes.txt`. */
export function unpackedName(name: string): string {
  return name.replace(/\.(?:gz|bz2|xz|zst)$/i, '').replace(/\.svgz$/i, '.svg');
}

const GIT_STORE =
  /^(?:(?:PACK|DIRC)\0\0\0[\x02-\x04]|\xfftOc\0\0\0\x02|MIDX[\x01\x02]|# v[23] git bundle\n(?:@|-?[\da-fA-F]{40})|x(?:[\x01\x9c\xda]|\^[^ -~]))/;
const GIT_START_BYTES: ReadonlySet<number | undefined> = new Set(Buffer.from('PDM#x\xff', 'latin1'));

/** Whether git may keep files in it: a pack or its index, a bundle, the index of a work tree, packed as an object. */
export function isGitStore(head: Uint8Array): boolean {
  return GIT_START_BYTES.has(head[0]) && GIT_STORE.test(Buffer.from(head.subarray(0, 64)).toString('latin1'));
}

/** Of a zip that has members: before its first one, and at its end. Before both may be anything. */
export const ZIP_START = Buffer.from('PK\x03\x04');
export const ZIP_END = Buffer.from('PK\x05\x06');
/** Bytes at the end that are searched for the end record: at most 65,535 of a comment, the rest for junk after it. */
export const ZIP_TAIL_BYTES = 2 * 65_536;

/** Whether private files may be stored in a file, by its first bytes and at least its last `ZIP_TAIL_BYTES`. */
export function mayStoreFiles(head: Uint8Array, end: Uint8Array): boolean {
  const tail = Buffer.from(end.buffer, end.byteOffset, end.length).subarray(-ZIP_TAIL_BYTES);
  return isGitStore(head) || (tail.includes(0) && tail.includes(ZIP_END));
}

const GZIP_START = Buffer.from('\x1f\x8b\x08', 'latin1');
const MAX_GZIP_NAME_BYTES = 4096;
/** Up to the end of a name, with an extra field of 65,535 bytes before it. */
export const MAX_GZIP_HEAD_BYTES = 12 + 65_535 + MAX_GZIP_NAME_BYTES;

/** The names in a part of a gzip file, which may be several files one after the other, the last one before `end`. Source: RFC 1952, 2.3. */
export function* namesInGzip(packed: Buffer, end: number): Generator<string> {
  let at = packed.indexOf(GZIP_START);
  for (; at !== -1 && at < end; at = packed.indexOf(GZIP_START, at + 1)) {
    const flags = packed[at + 3] ?? 0;
    if (!(flags & 8) || at + 12 > packed.length) continue;
    const from = flags & 4 ? at + 12 + packed.readUInt16LE(at + 10) : at + 10;
    const name = packed.subarray(from, from + MAX_GZIP_NAME_BYTES);
    yield name.toString('latin1').replace(/\0.*/s, '');
  }
}

/** Checks more bytes for formats with a short magic: the first block of bzip2, the octal or hexadecimal header of cpio. */
function plausible(format: ArchiveFormatName, start: string): ArchiveFormatName | undefined {
  if (format === 'cpio') return /^07070[127][\da-f]{10}/i.test(start) ? format : undefined;
  if (format !== 'bzip2') return format;
  return /^BZh[1-9](?:1AY&SY|\x17rE8P\x90)/.test(start) ? format : undefined;
}

function namesMember(rest: string): boolean {
  // `report.epub:p3-5` selects pages of the document.
  return rest !== '' && !rest.startsWith('?') && !/^p\d/.test(rest) && !isSelector(rest);
}

// The checksum of a tar header, by which tars are detected: the oldest ones have no magic number.

export const BLOCK_BYTES = 512;

/** Whether `head` starts with a tar header, that is, with a block whose checksum is correct. */
export function isTarHeader(head: Uint8Array): boolean {
  const block = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, BLOCK_BYTES));
  return block.length === BLOCK_BYTES && block[0] !== 0 && checksumHolds(block);
}

/** Whether the checksum is correct. The sum counts its own field as spaces; old writers added signed bytes. */
export function checksumHolds(block: Buffer): boolean {
  const said = octal(block.toString('latin1', 148, 156));
  // The fast exit for nearly every file that is not a tar.
  if (Number.isNaN(said)) return false;
  let unsigned = 0;
  let signed = 0;
  for (let at = 0; at < BLOCK_BYTES; at += 1) {
    const byte = at >= 148 && at < 156 ? 0x20 : (block[at] ?? 0);
    unsigned += byte;
    signed += byte > 127 ? byte - 256 : byte;
  }
  return said === unsigned || said === signed;
}

/** `"  0000644\0"` → 420; an empty field is 0, anything else NaN. */
export function octal(text: string): number {
  const digits = text.replace(/^[ \0]+/, '').replace(/[ \0].*$/s, '');
  if (digits === '') return 0;
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number.NaN;
}
