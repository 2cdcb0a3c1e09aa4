/** The real path of a directory that a client names, also if it does not exist. */

import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OrielError } from '../errors.ts';

/** Pending lookups. They are shared: on a file system that never answers, each path blocks only one thread. */
const pending = new Map<string, Promise<string>>();

/** Timeout of a lookup in milliseconds. */
const PLACE_MS = 2_000;

/** Throws OrielError (`TIMEOUT`). */
export function lookUpRealPlace(path: string): Promise<string> {
  const known = pending.get(path);
  const lookup = known ?? realPlace(path);
  if (!known) {
    pending.set(path, lookup);
    void lookup.finally(() => pending.delete(path));
  }
  return Promise.race([lookup, afterwards(PLACE_MS)]);
}

function afterwards(ms: number): Promise<never> {
  return new Promise((_, reject) => {
    const message =
      'A root that the client declares could not be looked up in time. Make the same call again.';
    setTimeout(() => reject(new OrielError('TIMEOUT', message)), ms).unref();
  });
}

/** Maximum parent directories that are looked up; above that, the path is used as given. */
const MAX_PARENT_LOOKUPS = 64;

/**
 * The real path, or the path that it would have if it existed. The number of lookups does not depend on the result.
 * They run one after the other, so a lookup that never returns takes one thread. Never throws.
 */
async function realPlace(path: string): Promise<string> {
  let place: string | undefined;
  for (let [at, tried] = [path, 0]; tried < MAX_PARENT_LOOKUPS; [at, tried] = [dirname(at), tried + 1]) {
    const real = await realpath(at).catch(() => undefined);
    if (real !== undefined) place ??= join(real, path.slice(at.length));
    if (dirname(at) === at) break;
  }
  return place ?? path;
}
