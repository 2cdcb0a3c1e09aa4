/** Copies a database that is not a file, a member of an archive, so that a worker can read it at any offset. */

import { chunksOf } from '../../access/bytes.ts';
import type { OpenedFile } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import type { FileRef } from './protocol.ts';

/** Bytes up to which the copy is held in memory, shared with the worker. */
const IN_MEMORY = 16 * 1024 * 1024;

const CHUNK = 1024 * 1024;

export interface Copy {
  readonly file: FileRef;
  close(): Promise<void>;
}

export async function copyOf({ bytes, size }: OpenedFile, call: Call): Promise<Copy> {
  if (size <= IN_MEMORY) {
    const content = new Uint8Array(new SharedArrayBuffer(size));
    let at = 0;
    for await (const chunk of chunksOf(bytes, 0, size, CHUNK, call.signal)) {
      content.set(chunk, at);
      at += chunk.length;
    }
    return { file: { content }, close: () => Promise.resolve() };
  }
  const scratch = await call.session.scratch();
  try {
    for await (const chunk of chunksOf(bytes, 0, size, CHUNK, call.signal)) await scratch.append(chunk);
    return { file: { fd: scratch.fd }, close: () => scratch.close() };
  } catch (error) {
    await scratch.close();
    throw error;
  }
}
