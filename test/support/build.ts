/** Builds what is tested, once for each run and in a directory of its own: `dist/` may be in use. */

import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the directory that holds package.json and `dist/`; it ends in `/`. */
    builtPackage: string;
  }
}

const home = resolve('.build', String(process.pid));

export function setup(project: TestProject): void {
  build();
  project.onTestsRerun(async () => build());
  project.provide('builtPackage', pathToFileURL(`${home}/`).href);
}

function build(): void {
  execFileSync(process.execPath, ['scripts/build.mjs', home], { stdio: 'inherit' });
}

export function teardown(): void {
  rmSync(home, { recursive: true, force: true });
}
