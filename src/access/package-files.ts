/** Finds the package's own files (worker entries, assets, its manifest), wherever the bundler put this code. */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

let root: URL | undefined;
let findBuild: (() => URL) | undefined;

/** Sets how the directory is found that holds the build, for tests of the source code: a URL that ends with `/`. */
export function useBuild(find: () => URL): void {
  findBuild = find;
}

/** The directory with our package.json. */
function packageRoot(): URL {
  for (let at = new URL('./', import.meta.url); root === undefined; at = new URL('../', at)) {
    if (existsSync(new URL('package.json', at))) root = at;
    else if (at.pathname === new URL('../', at).pathname)
      throw new Error('The package is incomplete: package.json is missing.');
  }
  return root;
}

/** The absolute path of a directory of the package: `docs`. */
export function packageDirectory(name: string): string {
  return fileURLToPath(new URL(name, packageRoot()));
}

/** The URL of a file of the build, by its path below `dist/`: `"views/outline-worker.js"`. */
export function builtFile(path: string): URL {
  const url = new URL(`dist/${path}`, findBuild?.() ?? packageRoot());
  if (!existsSync(url)) throw new Error(`The package is incomplete: ${url.pathname} is missing.`);
  return url;
}

/** The version of this package, from its package.json. */
export function version(): string {
  return (JSON.parse(readFileSync(new URL('package.json', packageRoot()), 'utf8')) as { version: string })
    .version;
}

/** A digest that changes with the built code of an entry (see `builtFile`) and the installed versions of `packages`. */
export function digestOfCode(path: string, packages: readonly string[]): string {
  const entry = builtFile(path);
  const digest = createHash('sha256').update(readFileSync(entry));
  for (const name of packages) digest.update(`\0${name} ${installedVersion(name, fileURLToPath(entry))}`);
  return digest.digest('hex');
}

/** Empty for a package that is not installed. */
function installedVersion(name: string, from: string): string {
  for (let at = dirname(from); ; at = dirname(at)) {
    const manifest = join(at, 'node_modules', name, 'package.json');
    if (existsSync(manifest))
      return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
    if (at === dirname(at)) return '';
  }
}
