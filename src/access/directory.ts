/** An open directory: its entries and their stats, read through the descriptor, so that renames have no effect. */

import { type BigIntStats, type Dirent, type Stats, constants } from 'node:fs';
import { lstat, opendir, readlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Entry, OpenedDirectory } from '../types/access.ts';
import {
  hasDescriptorPaths,
  type Inspector,
  inspectorOf,
  openDescriptor,
  untilDescriptors,
} from './descriptors.ts';
import { isShortage } from './system-failure.ts';
import { isKernelFile } from './kernel-files.ts';
import { isKept, type KeptFiles } from './private-files.ts';

const ENTER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export function openedDirectory(
  fd: number,
  path: string,
  stats: BigIntStats,
  inspector: Inspector,
  /** What is neither listed nor entered. */
  kept: KeptFiles,
): OpenedDirectory {
  /** A path to this directory that stays valid when it is renamed. */
  const self = hasDescriptorPaths() ? `/proc/self/fd/${fd}` : path;
  let open = true;
  const hidden = new Set(
    kept.places.filter((place) => dirname(place) === path).map((place) => basename(place)),
  );
  return {
    is: 'directory',
    path,
    fd,
    mtimeMs: Number(stats.mtimeMs),
    async list(most, signal, prefix = '') {
      const entries: Entry[] = [];
      for await (const entry of await opendir(self, { bufferSize: 512 })) {
        signal?.throwIfAborted();
        if (hidden.has(entry.name) || !entry.name.startsWith(prefix)) continue;
        if (entries.length === most) return { entries, more: true };
        entries.push({ name: entry.name, type: typeOf(entry) });
      }
      return { entries, more: false };
    },
    async stat(name) {
      const found = await lstat(`${self}/${name}`, { bigint: true }).catch(() => undefined);
      if (!found) return undefined;
      return {
        name,
        type: typeOf(found),
        size: Number(found.size),
        mtimeMs: Number(found.mtimeMs),
        ino: found.ino,
      };
    },
    linkTarget: (name) => readlink(`${self}/${name}`).catch(() => undefined),
    async enter(name) {
      const inner = await untilDescriptors(() => openDescriptor(`${self}/${name}`, ENTER)).catch(
        (error: unknown) => {
          // The entry may exist, so the result would be wrong without it.
          if (isShortage(error)) throw error;
          return undefined;
        },
      );
      if (inner === undefined) return undefined;
      const at = `${path === '/' ? '' : path}/${name}`;
      const of = inspectorOf(at);
      let entered: OpenedDirectory | undefined;
      try {
        const found = await of.stat(inner);
        // Virtual file systems of the kernel are never entered from here, only by their own paths if these are allowed.
        const again = hasDescriptorPaths() ? `/proc/self/fd/${inner}` : at;
        const isKernels = found.dev !== stats.dev && (await isKernelFile(at, again, found.dev));
        if (!isKernels && !isKept(kept, found)) entered = openedDirectory(inner, at, found, of, kept);
        return entered;
      } finally {
        if (!entered) await of.close(inner);
      }
    },
    async close() {
      if (!open) return;
      open = false;
      await inspector.close(fd);
    },
  };
}

function typeOf(entry: Dirent | Stats | BigIntStats): Entry['type'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isFIFO()) return 'fifo';
  if (entry.isSocket()) return 'socket';
  return entry.isCharacterDevice() || entry.isBlockDevice() ? 'device' : 'unknown';
}
