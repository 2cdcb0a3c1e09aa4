/** Decides whether bytes are text, and gives the media type of binaries. */

import { headOf } from '../access/bytes.ts';
import { HEAD_BYTES } from '../text/encoding.ts';
import type { ByteSource } from '../types/byte-source.ts';
import type { Encoding } from '../types/encoding.ts';

/** In place of the media type of a binary that has none. */
export const UNKNOWN_BINARY = 'NUL bytes';

/** The media type of a binary by its first bytes; undefined for text. */
export async function typeOfBytes(
  bytes: ByteSource,
  encoding: Encoding,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (encoding.unit > 1) return undefined;
  const start = headOf(bytes, signal);
  const head = start instanceof Promise ? await start : start;
  if (!isBinary(head)) return undefined;
  const { fileTypeFromBuffer } = await import('file-type');
  const type = await fileTypeFromBuffer(head).catch(() => undefined);
  return type?.mime ?? UNKNOWN_BINARY;
}

const PDF = Buffer.from('%PDF-');

/**
 * Whether data that begins with `bytes` is binary: there is a NUL in the first 4 KiB, or it is a PDF, the one common binary
 * format that often begins with plain text.
 */
export function isBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, HEAD_BYTES);
  return head.includes(0) || PDF.equals(head.subarray(0, PDF.length));
}
