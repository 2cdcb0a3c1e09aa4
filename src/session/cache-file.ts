/** The file format of the cache on disk: each value is encrypted with a key derived from its cache key, which is not stored. */

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { CachePart } from '../types/session.ts';
import { lengthOf, readParts } from './cache-parts.ts';

/** Increment the number when the layout of a file changes. */
const MAGIC = Buffer.from('orielc1\n');
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Bytes of a file in addition to its value. */
export const HEADER_BYTES: number = MAGIC.length + IV_BYTES + TAG_BYTES;

/** Bytes that are encrypted in one step. */
const PIECE = 256 << 10;

/** `size`: bytes of the whole value. The buffer of `piece` is reused for the next piece. */
export interface DecryptedPiece {
  readonly piece: Buffer;
  readonly size: number;
}

/** The file name for a cache key: a digest, so only a process that knows the key can find the file. */
export function fileNameOf(key: string): string {
  return digest('name', key).toString('hex');
}

/** Writes the value of `key`, encrypted, at the start of the file. */
export async function encrypt(handle: FileHandle, key: string, parts: readonly CachePart[]): Promise<void> {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', digest('cipher', key), iv, { authTagLength: TAG_BYTES });
  const size = lengthOf(parts);
  for (let at = 0; at < size; at += PIECE) {
    const piece = cipher.update(await readParts(parts, at, Math.min(PIECE, size - at)));
    await writeAll(handle, piece, HEADER_BYTES + at);
  }
  cipher.final();
  await writeAll(handle, Buffer.concat([MAGIC, iv, cipher.getAuthTag()]), 0);
}

/**
 * Yields the value of `key` from a file of `fileBytes` bytes. Returns false for a file with another layout. Throws after
 * the last piece if the file is damaged, forged, or of another key, so use the pieces only when it has returned.
 */
export async function* decrypt(
  handle: FileHandle,
  key: string,
  fileBytes: number,
): AsyncGenerator<DecryptedPiece, boolean> {
  const size = fileBytes - HEADER_BYTES;
  if (size < 0) return false;
  const header = await readAll(handle, 0, HEADER_BYTES);
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) return false;
  const iv = header.subarray(MAGIC.length, MAGIC.length + IV_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', digest('cipher', key), iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(header.subarray(MAGIC.length + IV_BYTES));
  // One buffer for all pieces, because buffers stay resident until V8 collects them.
  const encrypted = Buffer.allocUnsafeSlow(Math.min(PIECE, size));
  for (let at = 0; at < size; at += PIECE) {
    const piece = await readInto(handle, HEADER_BYTES + at, encrypted.subarray(0, size - at));
    yield { piece: decipher.update(piece), size };
  }
  // Throws if a single bit differs.
  decipher.final();
  return true;
}

function digest(use: 'name' | 'cipher', key: string): Buffer {
  return createHash('sha256').update(`${use}\0${key}`).digest();
}

function readAll(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  return readInto(handle, at, Buffer.allocUnsafe(length));
}

async function readInto(handle: FileHandle, at: number, bytes: Buffer): Promise<Buffer> {
  for (let filled = 0; filled < bytes.length;) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, at + filled);
    if (bytesRead === 0) throw new Error('the file has become shorter');
    filled += bytesRead;
  }
  return bytes;
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, at: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const step = await handle.write(bytes, written, bytes.length - written, at + written);
    written += step.bytesWritten;
  }
}
