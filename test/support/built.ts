/** Where the build of this run lies. */

import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

/** The URL of a file by its path below `dist/`. */
export function builtUrl(path: string): URL {
  return new URL(`dist/${path}`, inject('builtPackage'));
}

/** The path of a file by its path below `dist/`. */
export function built(path: string): string {
  return fileURLToPath(builtUrl(path));
}
