/** Runs commands through the engine, each in a temporary folder and with a session that is closed after the test. */

import { mkdtempSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createAccess } from '../../src/files/local.ts';
import { defaultSettings } from '../../src/assemble.ts';
import { run } from '../../src/call/run.ts';
import { outputDisplays } from '../../src/render/display.ts';
import { createSession } from '../../src/session/session.ts';
import { LocalSpills, type SpillOptions } from '../../src/session/spills.ts';
import type { Progress } from '../../src/types/session.ts';
import type { Limits } from '../../src/types/excerpt.ts';
import type { RunRequest } from '../../src/types/request.ts';
import type { RunResult, RunStream } from '../../src/types/result.ts';
import type { RunSettings } from '../../src/types/settings.ts';
import { testCall } from './open-source.ts';

export const outputLimits: Limits = {
  lines: 2_000,
  answerLines: Number.POSITIVE_INFINITY,
  bytes: 50 << 10,
  line: 50 << 10,
  tokens: Number.POSITIVE_INFINITY,
  window: 64 << 10,
  windowMax: 256 << 10,
  countBytes: 1 << 30,
};

export interface Bench {
  readonly folder: string;
  readonly spills: LocalSpills;
  readonly progress: Progress[];
  run(command: string, over?: Partial<RunRequest>, signal?: AbortSignal): Promise<RunResult>;
}

export interface BenchOptions {
  readonly limits?: Partial<Limits>;
  readonly settings?: Partial<RunSettings>;
  readonly spills?: SpillOptions;
  readonly roots?: (folder: string) => string[];
}

/** Registers what ends something: `onTestFinished`, or `afterAll` for what the tests of a file share. */
export type AtEnd = (end: () => Promise<void> | void) => void;

export function temporaryFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'oriel-test-')));
  // Pipes for further commands may just be made there. Only the asynchronous removal lists the directory again.
  atEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  return folder;
}

export function bench(options: BenchOptions = {}): Bench {
  const folder = temporaryFolder();
  const spills = new LocalSpills({ state: temporaryFolder(), ...options.spills });
  onTestFinished(() => spills.close());
  const progress: Progress[] = [];
  const call = (signal: AbortSignal) =>
    testCall({
      signal,
      limits: { ...outputLimits, ...options.limits },
      settings: { ...defaultSettings, run: { ...defaultSettings.run, ...options.settings } },
      access: createAccess({ cwd: folder, roots: options.roots?.(folder) ?? [], allow: [] }),
      session: { ...createSession(), spills },
      now: Date.now,
      progress: (event) => void progress.push(event),
    });
  return {
    folder,
    spills,
    progress,
    run: (command, over = {}, signal = new AbortController().signal) =>
      run(
        { kind: 'run', command, streams: 'merged', keep: 'tail', snap: 'line', display: 'terminal', ...over },
        call(signal),
      ),
  };
}

/** The displayed text of a stream (0-based index), its parts joined by `…`. */
export function shown(result: RunResult, stream = 0): string {
  const { excerpt } = result.streams[stream] as RunStream;
  const display = outputDisplays[result.display];
  return excerpt.parts.map((lines) => lines.map((line) => display.show(line)).join('')).join('…');
}

/**
 * A command that sleeps, with seconds that no other process of this machine has in its command line, for `living`: other
 * tests run at the same time. Digits that are appended make several of them.
 */
export function nap(seconds: number): string {
  return `sleep ${seconds}.${String(process.pid).padStart(7, '0')}`;
}

/** Command lines of running processes that contain `marker`. */
export function living(marker: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
      return line.includes(marker) ? [line] : [];
    } catch {
      return [];
    }
  });
}
