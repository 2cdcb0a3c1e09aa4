/** Detects archives: which names and first bytes the source claims, and the format by the first bytes. */

import { isUtf8 } from 'node:buffer';
import { isSelector } from '../../selector/selection.ts';
import type { Subject } from '../../types/resource.ts';
import type { Codec } from './codecs.ts';
import { isTarHeader } from './tar-checksum.ts';

export type Format = 'tar' | 'zip' | '7z' | 'rar' | Codec;

const NAMES =
  /\.(?:tar|tgz|tbz2?|txz|tzst|zip|jar|war|ear|aar|whl|egg|apk|vsix|xpi|ipa|nupkg|7z|rar|gz|bz2|xz|zst)$/i;
/** Documents that are zip files: archives only when a member is named. */
const DOCUMENTS = /\.(?:epub|docx|xlsx|pptx|odt|ods|odp)$/i;
/** Compressed, but claimed by the image source. */
const FOREIGN = /\.svgz$/i;
/** Names of compressed tars. */
const PACKED_TARS = /\.(?:tgz|tbz2?|txz|tzst|tar\.[a-z0-9]+)$/i;
const ZIPS = /\.(?:zip|jar|war|ear|aar|whl|egg|apk|vsix|xpi|ipa|nupkg|epub|docx|xlsx|pptx|odt|ods|odp)$/i;

const MAGIC: readonly (readonly [Format, string])[] = [
  ['zip', 'PK\x03\x04'],
  ['zip', 'PK\x05\x06'],
  ['zip', 'PK\x07\x08'],
  ['7z', '7z\xbc\xaf\x27\x1c'],
  ['rar', 'Rar!\x1a\x07'],
  ['gzip', '\x1f\x8b'],
  ['bzip2', 'BZh'],
  ['xz', '\xfd7zXZ\0'],
  ['zstd', '\x28\xb5\x2f\xfd'],
];

export function claimsArchive(subject: Subject): boolean {
  if (subject.opened.is !== 'file') return false;
  if (NAMES.test(subject.name)) return !isText(subject.head, subject.opened.size);
  if (DOCUMENTS.test(subject.name)) return namesMember(subject.rest);
  return !FOREIGN.test(subject.name) && formatOf(subject.head) !== undefined;
}

/** A short text with the name of an archive is read as text: a Git LFS pointer, a note, a stub for a test. */
function isText(head: Uint8Array, size: number): boolean {
  return size > 0 && size <= head.length && formatOf(head) === undefined && !head.includes(0) && isUtf8(head);
}

/** The format by the first bytes. It has precedence over the name: a `.zip` may be a tar. */
export function formatOf(head: Uint8Array): Format | undefined {
  const start = Buffer.from(head.subarray(0, 16)).toString('latin1');
  for (const [format, magic] of MAGIC) if (start.startsWith(magic)) return plausible(format, start);
  return isTarHeader(head) ? 'tar' : undefined;
}

export function isNamedArchive(name: string): boolean {
  return NAMES.test(name) || DOCUMENTS.test(name);
}

/** Needed because a zip may begin with other data: a program that unpacks it. */
export function isNamedZip(name: string): boolean {
  return ZIPS.test(name);
}

export function isNamedPackedTar(name: string): boolean {
  return PACKED_TARS.test(name);
}

/** `notes.txt.gz` → `notes.txt`. */
export function unpackedName(name: string): string {
  return name.replace(/\.(?:gz|bz2|xz|zst)$/i, '');
}

/** The three letters of bzip2 are too short to decide: the signature of the first block is checked as well. */
function plausible(format: Format, start: string): Format | undefined {
  if (format !== 'bzip2') return format;
  return /^BZh[1-9](?:1AY&SY|\x17rE8P\x90)/.test(start) ? format : undefined;
}

function namesMember(rest: string): boolean {
  // `report.epub:p3-5` selects pages of the document.
  return rest !== '' && !rest.startsWith('?') && !/^p\d/.test(rest) && !isSelector(rest);
}
