/**
 * Vitest's global setup: builds the package once per run, into a separate directory because `dist/` may be in use. Reports
 * at the end which tests were skipped because a program is missing; with ORIEL_TEST_ALL=1 that is an error at the start.
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
    /** Names of the optional programs that are not installed. */
    missingPrograms: readonly string[];
  }
}

const home = resolve('.build', String(process.pid));

const missing = missingPrograms();

export function setup(project: TestProject): void {
  if (missing.length > 0 && process.env['ORIEL_TEST_ALL']) throw new Error(leftOut(missing));
  build();
  // Each run starts with an empty cache directory.
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
  // The package includes docs/.
  if (!existsSync(join(home, 'docs'))) symlinkSync(resolve('docs'), join(home, 'docs'));
}

export function teardown(): void {
  rmSync(home, { recursive: true, force: true });
  if (missing.length > 0) console.log(leftOut(missing));
}
