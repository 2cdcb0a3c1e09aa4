/**
 * Places of oriel itself that lie wherever its user has them, also inside a root: kept outputs of all clients, caches, files
 * with tokens. What has roots reads none of them by path; a client reads its own outputs by the number that it was given.
 */

import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { within } from './paths.ts';

const places = new Set<string>();

/** From now on no client reads the file, or what lies in the directory, by its path. It need not be there yet. */
export function keepFromClients(path: string): void {
  places.add(realOf(path));
}

/** Those that `roots` (real paths) do not name: one that lies in such a place was meant. None where there are no roots. */
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
