/** Owns databases that are no files: a member of an archive is copied where a worker can read it at any offset. */

import type { OpenedFile } from '../../access/access.ts';
import type { Call } from '../../engine/call.ts';
import type { FileRef } from './protocol.ts';

/** Bytes up to which the copy stays in memory, shared with the worker. */
const IN_MEMORY = 16 * 1024 * 1024;

const CHUNK = 1024 * 1024;

export interface Copy {
  readonly file: FileRef;
  close(): Promise<void>;
}

export async function copyOf({ bytes, size }: OpenedFile, call: Call): Promise<Copy> {
  if (size <= IN_MEMORY) {
    const content = new Uint8Array(new SharedArrayBuffer(size));
    for await (const { part, at } of chunks(bytes, call)) content.set(part.subarray(0, size - at), at);
    return { file: { content }, close: () => Promise.resolve() };
  }
  const scratch = await call.session.scratch();
  try {
    for await (const { part } of chunks(bytes, call)) await scratch.append(part);
    return { file: { fd: scratch.fd }, close: () => scratch.close() };
  } catch (error) {
    await scratch.close();
    throw error;
  }
}

/** The content from its beginning; each part is only good until the next. */
async function* chunks(
  bytes: OpenedFile['bytes'],
  call: Call,
): AsyncGenerator<{ readonly part: Uint8Array; readonly at: number }> {
  const buffer = Buffer.alloc(CHUNK);
  for (let at = 0; ; at += CHUNK) {
    call.signal.throwIfAborted();
    const got = await bytes.readInto(buffer, at, call.signal);
    if (got > 0) yield { part: buffer.subarray(0, got), at };
    if (got < CHUNK) return;
  }
}
