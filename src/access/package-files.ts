/** Finds the package's own files (worker entries, assets, its manifest), wherever the bundler put this code. */

import { existsSync, readFileSync } from 'node:fs';

let root: URL | undefined;

/** For code that is not built: the package with the build that belongs to it, as a URL that ends in `/`. */
export function useBuiltPackage(url: string): void {
  root = new URL(url);
}

/** The directory that holds our package.json. */
function packageRoot(): URL {
  for (let at = new URL('./', import.meta.url); root === undefined; at = new URL('../', at)) {
    if (existsSync(new URL('package.json', at))) root = at;
    else if (at.pathname === new URL('../', at).pathname)
      throw new Error('The package is incomplete: package.json is missing.');
  }
  return root;
}

/** The URL of a file of the build, by its path below `dist/`: `"views/outline-worker.js"`. */
export function builtFile(path: string): URL {
  const url = new URL(`dist/${path}`, packageRoot());
  if (!existsSync(url)) throw new Error(`The package is incomplete: ${url.pathname} is missing.`);
  return url;
}

/** The package's version, from where it is declared. */
export function version(): string {
  return (JSON.parse(readFileSync(new URL('package.json', packageRoot()), 'utf8')) as { version: string })
    .version;
}
