/**
 * Builds what is tested, once for each run and in a directory of its own: `dist/` may be in use. Says at the end which
 * tests were left out, because a program is missing; with ORIEL_TEST_ALL=1 that is an error at once.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestProject } from 'vitest/node';
import { leftOut, missingPrograms } from './programs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the directory that holds package.json and `dist/`; it ends in `/`. */
    builtPackage: string;
    /** Names of programs that are not there. */
    missingPrograms: readonly string[];
  }
}

const home = resolve('.build', String(process.pid));

const missing = missingPrograms();

export function setup(project: TestProject): void {
  if (missing.length > 0 && process.env['ORIEL_TEST_ALL']) throw new Error(leftOut(missing));
  build();
  // What one run has cached says nothing about the next one.
  process.env['XDG_CACHE_HOME'] = join(home, 'cache');
  project.provide(
    'missingPrograms',
    missing.map(({ name }) => name),
  );
  project.onTestsRerun(async () => build());
  project.provide('builtPackage', pathToFileURL(`${home}/`).href);
}

function build(): void {
  execFileSync(process.execPath, ['scripts/build.mjs', home], { stdio: 'inherit' });
  // The manual is part of the package.
  if (!existsSync(join(home, 'docs'))) symlinkSync(resolve('docs'), join(home, 'docs'));
}

export function teardown(): void {
  rmSync(home, { recursive: true, force: true });
  if (missing.length > 0) console.log(leftOut(missing));
}
