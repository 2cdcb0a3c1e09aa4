/** An open regular file: its bytes at offsets, its version, and whether it has changed since. */

import type { BigIntStats } from 'node:fs';
import { OrielError } from '../errors.ts';
import type { OpenedFile } from '../types/access.ts';
import { type Inspector, readDescriptor } from './descriptors.ts';

/** Read once and kept: they tell the kind and the encoding, and often they are the whole first page. */
const HEAD_BYTES = 64 << 10;

export function openedFile(
  fd: number,
  path: string,
  stats: BigIntStats,
  inspector: Inspector,
  sibling: (suffix: string) => Promise<OpenedFile | undefined>,
): OpenedFile {
  const size = Number(stats.size);
  const version = versionOf(stats);
  let open = true;
  let reading = 0;
  /** A descriptor that is closed under a read may be another file's by the time the read gets to it. */
  const closeUnread = async (): Promise<void> => {
    if (!open && reading === 0) await inspector.close(fd);
  };
  const whileOpen = async <T>(read: () => T | Promise<T>): Promise<T> => {
    if (!open) throw new OrielError('CANCELLED', 'The call is over.');
    reading += 1;
    try {
      return await read();
    } finally {
      reading -= 1;
      if (!open) await closeUnread();
    }
  };
  let head: Promise<Uint8Array> | undefined;
  const readHead = async (): Promise<Uint8Array> => {
    const bytes = Buffer.allocUnsafe(Math.min(size, HEAD_BYTES));
    return bytes.subarray(0, await readDescriptor(fd, bytes, 0));
  };
  const readInto = async (target: Uint8Array, offset: number, signal?: AbortSignal): Promise<number> => {
    // Bytes that were appended since are not of this version.
    const wanted = target.subarray(0, Math.max(0, size - offset));
    if (offset + wanted.length > HEAD_BYTES) return readDescriptor(fd, wanted, offset, signal);
    signal?.throwIfAborted();
    head ??= readHead();
    const part = (await head).subarray(offset, offset + wanted.length);
    wanted.set(part);
    return part.length;
  };
  return {
    is: 'file',
    path,
    size,
    mtimeMs: Number(stats.mtimeMs),
    fd,
    bytes: {
      size,
      version,
      readInto: (target, offset, signal) => whileOpen(() => readInto(target, offset, signal)),
      // Not by the time of inode changes: a file that was merely replaced by another still has its content here.
      changed: async () => {
        const now = await whileOpen(() => inspector.stat(fd));
        return now.size !== stats.size || now.mtimeNs !== stats.mtimeNs;
      },
    },
    sibling,
    async close() {
      if (!open) return;
      open = false;
      await closeUnread();
    },
  };
}

/** Content may only change when one of these does: device, inode, size, and the times of change in ns. */
function versionOf(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}
