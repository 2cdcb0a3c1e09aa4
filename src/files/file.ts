/** An open regular file: its bytes at offsets, its identity, and whether it has changed since. */

import { type BigIntStats, closeSync, constants, fstatSync, readSync } from 'node:fs';
import { OrielError } from '../errors.ts';
import { Identity, isSettled } from '../identity.ts';
import type { OpenedFile } from '../types/access.ts';
import {
  type DescriptorInspector,
  hasDescriptorPaths,
  openDescriptor,
  readDescriptor,
  untilDescriptors,
} from './descriptors.ts';
import { isShortage } from './system-failure.ts';

/** Bytes at the start that are read once and cached: the kind and the encoding are detected from them. */
const HEAD_BYTES = 64 << 10;

const BY_DESCRIPTOR = hasDescriptorPaths();
const AGAIN = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

export function openedFile(
  fd: number,
  path: string,
  stats: BigIntStats,
  inspector: Pick<DescriptorInspector, 'isLocal' | 'stat' | 'close'>,
  sibling: (suffix: string) => Promise<OpenedFile | undefined>,
): OpenedFile {
  const size = Number(stats.size);
  let open = true;
  let reading = 0;
  /** If a descriptor is closed during a read, its number may belong to another file when the read runs. */
  const closeUnread = (): void | Promise<void> => {
    if (!open && reading === 0) return inspector.close(fd, size);
  };
  const untilRead = async <T>(read: T | Promise<T>): Promise<T> => {
    reading += 1;
    try {
      return await read;
    } finally {
      reading -= 1;
      if (!open) await closeUnread();
    }
  };
  let head: Promise<Uint8Array> | undefined;
  const readHead = async (): Promise<Uint8Array> => {
    const bytes = Buffer.allocUnsafe(Math.min(size, HEAD_BYTES));
    const isNow = inspector.isLocal && !isTurnOver();
    return bytes.subarray(0, isNow ? readNow(fd, bytes) : await readDescriptor(fd, bytes, 0));
  };
  return {
    kind: 'file',
    path,
    size,
    mtimeMs: Number(stats.mtimeMs),
    fd,
    bytes: {
      size,
      identity: Identity.file(stats, isSettled(stats)),
      async readInto(target, offset, signal) {
        if (!open) throw new OrielError('CANCELLED', 'The call is over.');
        // Bytes that were appended since do not belong to this identity.
        const wanted = target.subarray(0, Math.max(0, size - offset));
        if (offset + wanted.length > HEAD_BYTES) return untilRead(readDescriptor(fd, wanted, offset, signal));
        signal?.throwIfAborted();
        head ??= readHead();
        const part = (await untilRead(head)).subarray(offset, offset + wanted.length);
        wanted.set(part);
        return part.length;
      },
      // Does not compare ctime: a file that was replaced by another still has its content here.
      changed: async () => {
        if (!open) throw new OrielError('CANCELLED', 'The call is over.');
        const now = await untilRead(inspector.stat(fd));
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

/** A file that a thread holds open. */
interface LentDescriptor {
  readonly fd: number;
  readonly dev: number;
  readonly ino: number;
}

/**
 * Opens a file again that a thread has open, because the thread may die and its descriptor number may be
 * reused. Undefined if that has already happened.
 */
export async function lentFile(lent: LentDescriptor, path: string): Promise<OpenedFile | undefined> {
  // Under Deno the descriptors of a thread are not known in others, but their paths are.
  if (!('Deno' in globalThis) && !isStill(lent, lent.fd)) return undefined;
  // Without paths for descriptors, the descriptor of the thread itself must be used.
  const fd = BY_DESCRIPTOR
    ? await untilDescriptors(() => openDescriptor(`/proc/self/fd/${lent.fd}`, AGAIN)).catch(gone)
    : lent.fd;
  if (fd === undefined) return undefined;
  const close = (): void => {
    if (fd !== lent.fd) closeSync(fd);
  };
  if (!isStill(lent, fd)) {
    close();
    return undefined;
  }
  const stats = fstatSync(fd, { bigint: true });
  const never = (): Promise<undefined> => Promise.resolve(undefined);
  return openedFile(fd, path, stats, { isLocal: false, stat: () => stats, close }, never);
}

function isStill({ dev, ino }: LentDescriptor, fd: number): boolean {
  try {
    const stats = fstatSync(fd);
    return stats.dev === dev && stats.ino === ino;
  } catch {
    return false;
  }
}

function gone(error: unknown): undefined {
  if (isShortage(error)) throw error;
}

// The start of a file on a local file system is usually in the page cache: reading it on the main thread takes 2 to 15 µs,
// through a thread 20 to 50.

/** Many concurrent calls must not block the event loop: after this many ms in one turn, heads are read in threads. */
const TURN_MS = 10;

/** When the first head of this turn of the event loop was read. */
let turnBegan: number | undefined;

function isTurnOver(): boolean {
  const now = performance.now();
  if (turnBegan !== undefined) return now - turnBegan > TURN_MS;
  turnBegan = now;
  setImmediate(() => (turnBegan = undefined));
  return false;
}

/** Fills `target` from the start of the file; fewer bytes only at its end. */
function readNow(fd: number, target: Uint8Array): number {
  let filled = 0;
  while (filled < target.length) {
    const got = readSync(fd, target, filled, target.length - filled, filled);
    if (got === 0) break;
    filled += got;
  }
  return filled;
}
