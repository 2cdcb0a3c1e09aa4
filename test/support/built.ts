/** Locations of the files that `build.ts` built for this run. */

import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

/** The URL of a built file; `path` is relative to `dist/`. */
export function builtUrl(path: string): URL {
  return new URL(`dist/${path}`, inject('builtPackage'));
}

/** The absolute path of a built file; `path` is relative to `dist/`. */
export function built(path: string): string {
  return fileURLToPath(builtUrl(path));
}
