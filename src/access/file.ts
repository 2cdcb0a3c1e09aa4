/** Owns an open regular file: its bytes at offsets, its version, and whether it has changed since. */

import type { BigIntStats } from 'node:fs';
import type { OpenedFile } from './access.ts';
import { closeDescriptor, readDescriptor, statDescriptor } from './descriptors.ts';

export function openedFile(
  fd: number,
  path: string,
  stats: BigIntStats,
  sibling: (suffix: string) => Promise<OpenedFile | undefined>,
): OpenedFile {
  const size = Number(stats.size);
  const version = versionOf(stats);
  let open = true;
  return {
    is: 'file',
    path,
    size,
    mtimeMs: Number(stats.mtimeMs),
    fd,
    bytes: {
      size,
      version,
      // Bytes that were appended since are not of this version.
      readInto: (target, offset, signal) =>
        readDescriptor(fd, target.subarray(0, Math.max(0, size - offset)), offset, signal),
      // Not by the time of inode changes: a file that was merely replaced by another still has its content here.
      changed: async () => {
        const now = await statDescriptor(fd);
        return now.size !== stats.size || now.mtimeNs !== stats.mtimeNs;
      },
    },
    sibling,
    async close() {
      if (!open) return;
      open = false;
      await closeDescriptor(fd);
    },
  };
}

/** Content may only change when one of these does: device, inode, size, and the times of change in ns. */
function versionOf(stats: BigIntStats): string {
  return `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
}
