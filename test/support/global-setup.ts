/**
 * Vitest's global setup: where the build of these sources is, an empty cache directory for the run, and at the end which
 * tests were skipped because a program is missing; with ORIEL_TEST_ALL=1 that is an error at the start.
 */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { builtPackage } from './built.ts';
import { leftOut, missingPrograms } from './programs.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory of the package that is built from these sources; it exists when a test needed it (built.ts). */
    buildDirectory: string;
  }
}

const missing = missingPrograms();
const cache = mkdtempSync(join(tmpdir(), 'oriel-test-cache-'));

/** In the environment of what this run starts. */
const RUN = `ORIEL_TEST_RUN=${process.pid}`;

/** Ends what a run has left, also a killed one, and workers that loop: waits for the end of its input, which is ours. */
const CLEANUP = `
  cat
  # What ends with its parent has ended then.
  sleep 0.3
  for process in $(grep -lsz '^${RUN}$' /proc/[0-9]*/environ); do
    process=\${process%/environ}
    left="$left$(tr '\\0' ' ' <"$process/cmdline" | cut -c 1-200)
"
    kill -9 "\${process#/proc/}"
  done
  [ -z "$left" ] || echo "Left behind by tests, and killed:
$left"`;

let cleanup: ReturnType<typeof startCleanup> | undefined;

function startCleanup() {
  const child = spawn('sh', ['-c', CLEANUP], { stdio: ['pipe', 'inherit', 'ignore'], detached: true });
  child.unref();
  return child;
}

/** Each project has a module of its own of this file; the first one cleans up for all. */
export function setup(project: TestProject): void {
  if (missing.length > 0 && process.env['ORIEL_TEST_ALL']) throw new Error(leftOut(missing));
  if (process.env['ORIEL_TEST_RUN'] !== String(process.pid)) cleanup = startCleanup();
  process.env['ORIEL_TEST_RUN'] = String(process.pid);
  process.env['XDG_CACHE_HOME'] = cache;
  // Otherwise bash runs ~/.bashrc if its input is a socket, as Node's pipes are. Source: run_startup_files in shell.c of bash.
  process.env['SHLVL'] = '2';
  const provide = (): void => project.provide('buildDirectory', buildDirectory());
  provide();
  // Named files build if they need it. Of all files the first ones would, within the time limits of their calls.
  if (!process.argv.some((word) => word.startsWith('test/'))) builtPackage(buildDirectory());
  project.onTestsRerun(async () => provide());
}

/** After the workers of all projects have ended. */
export async function teardown(): Promise<void> {
  rmSync(cache, { recursive: true, force: true });
  if (!cleanup) return;
  const ended = once(cleanup, 'exit');
  cleanup.stdin.end();
  await ended;
  if (missing.length > 0) console.log(leftOut(missing));
}

/** Named after the sources; with ORIEL_TEST_BUILD that directory, for runs with changed sources and the same build. */
function buildDirectory(): string {
  const given = process.env['ORIEL_TEST_BUILD'];
  if (given) return resolve(given);
  const sources = ['src', 'packages', 'scripts', 'packaging/agents'].flatMap((directory) =>
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !/[\\/]dist(?:[\\/]|$)/.test(entry.parentPath))
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const digest = createHash('sha256');
  for (const path of ['package-lock.json', 'package.json', ...sources.toSorted()])
    digest.update(`${path}\0`).update(readFileSync(path));
  return resolve('.build/tests', digest.digest('hex').slice(0, 16));
}
