/** The built package that tests start. The first test that needs it builds it; later runs use it until the sources change. */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import { useBuild } from '../../src/files/package-files.ts';
import { cpuSeconds } from './cpu-seconds.ts';

let spent = 0;

/** The directory that holds package.json and `dist/`. */
export function builtPackage(home = inject('buildDirectory')): string {
  if (existsSync(home)) return home;
  const before = cpuSeconds();
  // Several workers may need it at once: the script makes them wait for each other.
  execFileSync(process.execPath, ['scripts/build.mjs', '--once', home], { stdio: 'inherit' });
  spent += cpuSeconds() - before;
  return home;
}

/** CPU seconds that this process has spent on builds. */
export function buildSeconds(): number {
  return spent;
}

/** Code under test loads its workers and grammars from this build. */
export function useTestBuild(): void {
  useBuild(() => pathToFileURL(`${builtPackage()}/`));
}

/** The URL of a built file; `path` is relative to `dist/`. */
export function builtUrl(path: string): URL {
  return pathToFileURL(built(path));
}

/** The absolute path of a built file; `path` is relative to `dist/`. */
export function built(path: string): string {
  return join(builtPackage(), 'dist', path);
}
