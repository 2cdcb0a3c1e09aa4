/**
 * Vitest's global setup: where the build of these sources is, an empty cache directory for the run, and at the end which
 * tests were skipped because a program is missing; with ORIEL_TEST_ALL=1 that is an error at the start.
 */

import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { leftOut, missingPrograms } from './programs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory of the package that is built from these sources; it exists when a test needed it (built.ts). */
    buildDirectory: string;
  }
}

const missing = missingPrograms();
const cache = mkdtempSync(join(tmpdir(), 'oriel-test-cache-'));

export function setup(project: TestProject): void {
  if (missing.length > 0 && process.env['ORIEL_TEST_ALL']) throw new Error(leftOut(missing));
  process.env['XDG_CACHE_HOME'] = cache;
  const provide = (): void => project.provide('buildDirectory', buildDirectory());
  provide();
  project.onTestsRerun(async () => provide());
}

export function teardown(): void {
  rmSync(cache, { recursive: true, force: true });
  if (missing.length > 0) console.log(leftOut(missing));
}

/** Named after the sources; with ORIEL_TEST_BUILD that directory, for runs with changed sources and the same build. */
function buildDirectory(): string {
  const given = process.env['ORIEL_TEST_BUILD'];
  if (given) return resolve(given);
  const sources = ['src', 'scripts'].flatMap((directory) =>
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const digest = createHash('sha256');
  for (const path of ['package-lock.json', 'package.json', ...sources.toSorted()])
    digest.update(`${path}\0`).update(readFileSync(path));
  return resolve('.build/tests', digest.digest('hex').slice(0, 16));
}
