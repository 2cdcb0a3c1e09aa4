/**
 * Places of oriel itself that are wherever its user has them, also inside a root: kept outputs of all clients, caches, files
 * with tokens. What has roots reads none of them by path; a client reads its own outputs by the number that it was given.
 */

import { closeSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { within } from './paths.ts';

const places = new Set<string>();
const files = new Set<string>();

/** Distinguishes files, whatever their names; numbers of more than 53 bits are rounded. */
export function fileKey({
  dev,
  ino,
}: {
  readonly dev: bigint | number;
  readonly ino: bigint | number;
}): string {
  return `${Number(dev)}:${Number(ino)}`;
}

/** From now on no client reads the file, or what is in the directory, by its path. It need not be there yet. */
export function keepFromClients(path: string): void {
  places.add(realOf(path));
}

/**
 * The same for a file that is open at `fd`, and for every other name that it has. The descriptor stays open for as long as
 * this process lives: no other file can have its number.
 */
export function keepFileFromClients(path: string, fd: number, stats: Stats): void {
  keepFromClients(path);
  const key = fileKey(stats);
  if (files.has(key)) closeSync(fd);
  files.add(key);
}

/** By `fileKey`, those that no client reads by any name. None if there are no roots. */
export function filesKeptFromClients(roots: readonly string[]): ReadonlySet<string> {
  return roots.length === 0 ? NONE : files;
}

const NONE: ReadonlySet<string> = new Set();

/** Those that `roots` (real paths) do not name: one that is in such a place was meant. None if there are no roots. */
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
