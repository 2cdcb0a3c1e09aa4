/** Owns finding the package's own built files: worker entries and assets, from source (tests) or from dist. */

import { existsSync } from 'node:fs';

/** `dist/` with a slash at its end: this file lies in `dist/access/`, or in `src/access/` when run from source. */
const built = new URL(import.meta.url.endsWith('.ts') ? '../../dist/' : '../', import.meta.url);

/** The URL of a file of the build, by its path below `dist/`: `"views/outline-worker.js"`. */
export function builtFile(path: string): URL {
  const url = new URL(path, built);
  if (!existsSync(url)) throw new Error(`The package is incomplete: ${url.pathname} is missing.`);
  return url;
}
