/**
 * Private files of oriel that may be inside a root: kept outputs of all clients, caches, token files. With
 * roots, none of them is read by its path; a client reads its own outputs by their number.
 */

import { closeSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { within } from './paths.ts';

const places = new Set<string>();
const files = new Set<string>();

/** A key for a file that does not depend on its name; device and inode numbers of more than 53 bits are rounded. */
export function fileKey({
  dev,
  ino,
}: {
  readonly dev: bigint | number;
  readonly ino: bigint | number;
}): string {
  return `${Number(dev)}:${Number(ino)}`;
}

/** From now on no client can read the file, or files in the directory, by path. It need not exist yet. */
export function keepFromClients(path: string): void {
  places.add(realOf(path));
}

/**
 * The same for the file open at `fd`, under all of its names. The descriptor stays open for as long as this process lives,
 * so that the inode number cannot be reused.
 */
export function keepFileFromClients(path: string, fd: number, stats: Stats): void {
  keepFromClients(path);
  const key = fileKey(stats);
  if (files.has(key)) closeSync(fd);
  files.add(key);
}

/** The files (by `fileKey`) that no client can read by any name. Empty without roots. */
export function filesKeptFromClients(roots: readonly string[]): ReadonlySet<string> {
  return roots.length === 0 ? NONE : files;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * The places that no client can read, except those that contain one of `roots` (real paths): such a root was
 * chosen on purpose. Empty without roots.
 */
export function keptFromClients(roots: readonly string[]): readonly string[] {
  if (roots.length === 0) return [];
  return [...places].filter((place) => !roots.some((root) => within(root, place)));
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realOf(above), basename(path));
  }
}
