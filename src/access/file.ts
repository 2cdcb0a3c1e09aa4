/** An open regular file: its bytes at offsets, its identity, and whether it has changed since. */

import { type BigIntStats, fstatSync } from 'node:fs';
import { OrielError } from '../errors.ts';
import { Identity } from '../identity.ts';
import type { OpenedFile } from '../types/access.ts';
import { type Inspector, readDescriptor } from './descriptors.ts';
import { readLocalHead } from './warm-head.ts';

/** Read once and kept: they tell the kind and the encoding, and often they are the whole first page. */
const HEAD_BYTES = 64 << 10;

export function openedFile(
  fd: number,
  path: string,
  stats: BigIntStats,
  inspector: Pick<Inspector, 'isLocal' | 'stat' | 'close'>,
  sibling: (suffix: string) => Promise<OpenedFile | undefined>,
): OpenedFile {
  const size = Number(stats.size);
  let open = true;
  let reading = 0;
  /** A descriptor that is closed under a read may be another file's by the time the read gets to it. */
  const closeUnread = async (): Promise<void> => {
    if (!open && reading === 0) await inspector.close(fd, size);
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
    const got = inspector.isLocal ? readLocalHead(fd, stats, bytes) : readDescriptor(fd, bytes, 0);
    return bytes.subarray(0, await got);
  };
  const readInto = async (target: Uint8Array, offset: number, signal?: AbortSignal): Promise<number> => {
    // Bytes that were appended since do not belong to this identity.
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
      identity: Identity.file(stats, isSettled(stats)),
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

/** What a thread holds open at `fd` and closes itself, opened at the real `path`. */
export function lentFile(fd: number, path: string): OpenedFile {
  const stats = fstatSync(fd, { bigint: true });
  const never = (): Promise<undefined> => Promise.resolve(undefined);
  const inspector = { isLocal: false, stat: () => stats, close: () => undefined };
  return openedFile(fd, path, stats, inspector, never);
}

/**
 * A file system's clock may tick this slowly: of two writes within one tick the second does not show in the times.
 * Linux has had finer times only since 6.13, and not on every file system.
 */
const TICK_MS = 20;

/** Whether the next write will show. A time in the future is another machine's clock. */
function isSettled({ ctimeMs }: BigIntStats): boolean {
  const sinceChange = Date.now() - Number(ctimeMs);
  return sinceChange < 0 || sinceChange >= TICK_MS;
}
