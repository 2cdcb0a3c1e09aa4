/** Owns the verdict "this is no text", and what to call what it is instead. */

import { type ByteSource, readAt } from '../access/bytes.ts';
import type { Encoding } from '../text/encoding.ts';

const HEAD_BYTES = 4096;

/** The type of a binary, by its first bytes; undefined for text. */
export async function typeOfBytes(
  bytes: ByteSource,
  encoding: Encoding,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (encoding.unit > 1) return undefined;
  const head = await readAt(bytes, 0, HEAD_BYTES, signal);
  if (!head.includes(0) && !isPdf(head)) return undefined;
  const { fileTypeFromBuffer } = await import('file-type');
  const type = await fileTypeFromBuffer(head).catch(() => undefined);
  return type?.mime ?? 'NUL bytes';
}

/** PDF is the one common binary that often begins with a page of plain text. */
function isPdf(head: Uint8Array): boolean {
  return head[0] === 0x25 && head[1] === 0x50 && head[2] === 0x44 && head[3] === 0x46 && head[4] === 0x2d;
}
