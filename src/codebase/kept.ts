/** The tags of many files as bytes: how they are kept between processes. */

import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';

export interface KeptFile {
  /** Relative to the directory whose tags are kept together. */
  readonly path: string;
  /** The key of the identity of the bytes that were parsed. */
  readonly key: string;
  readonly tags: string;
}

/** Counted up when tags are made or written in another way. */
const VERSION = 'oriel tags 2\n';

/** Bytes of all of them, before they are packed. */
const MOST_BYTES = 256 << 20;

/** A fifth of the bytes, at 200 MB a second. */
const PACKING = { level: constants.Z_BEST_SPEED };

export function writeKept(files: readonly KeptFile[]): Uint8Array<ArrayBuffer> {
  const fields = files.flatMap(({ path, key, tags }) => [path, key, tags]);
  const packed = deflateRawSync(VERSION + fields.join('\0'), PACKING);
  return new Uint8Array(packed);
}

/** None of what was written by another version, or is damaged. */
export function readKept(bytes: Uint8Array): KeptFile[] {
  const text = unpacked(bytes);
  if (!text.startsWith(VERSION) || text.length === VERSION.length) return [];
  const fields = text.slice(VERSION.length).split('\0');
  const files: KeptFile[] = [];
  for (let i = 0; i + 2 < fields.length; i += 3) {
    const [path = '', key = '', tags = ''] = fields.slice(i, i + 3);
    files.push({ path, key, tags });
  }
  return files;
}

function unpacked(bytes: Uint8Array): string {
  try {
    return inflateRawSync(bytes, { maxOutputLength: MOST_BYTES }).toString();
  } catch {
    return '';
  }
}
