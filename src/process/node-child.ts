/** Starts Node child processes without our environment and working directory, and classifies their exits. */

import type { ChildProcessByStdio } from 'node:child_process';
import { parse } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { OrielError } from '../errors.ts';
import { isRuntimeProgram, RUNTIME } from './runtime.ts';
import { startProcess } from './start.ts';

/** The child ended without an answer. */
export class ChildFailure extends Error {
  /** `ended`: it was killed from outside or could not be started, so its input may be valid. */
  readonly why: 'crashed' | 'ended' | 'memory' | 'output' | 'slow';

  constructor(why: ChildFailure['why'], detail: string) {
    super(detail);
    this.name = 'ChildFailure';
    this.why = why;
  }
}

/** Signals with which the system ends a process because of its own fault. */
const FAULTS: ReadonlySet<NodeJS.Signals | null> = new Set([
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGSEGV',
  'SIGSYS',
  'SIGTRAP',
]);

export function childEndFailure(code: number | null, signal: NodeJS.Signals | null): ChildFailure {
  const why = signal === null || FAULTS.has(signal) ? 'crashed' : 'ended';
  return new ChildFailure(why, `ended with ${signal ?? `code ${code}`}`);
}

/** Starts this runtime with an almost empty environment, in the root directory of the disk, with two pipes. Throws OrielError (`UNSUPPORTED`). */
export function spawnNode(args: readonly string[]): ChildProcessByStdio<Writable, Readable, null> {
  if (!isRuntimeProgram())
    throw new OrielError(
      'UNSUPPORTED',
      'Documents, images and pages are not read by a program that was compiled with Deno or Node: it would start itself again.',
    );
  const child = startProcess(process.execPath, args, {
    cwd: parse(process.execPath).root,
    // One malloc arena: otherwise glibc keeps a heap for each thread.
    env: {
      MALLOC_ARENA_MAX: '1',
      // Its results must not depend on the time zone of the machine.
      TZ: 'UTC',
      // A program that Bun compiled is a Bun, too.
      BUN_BE_BUN: RUNTIME === 'bun' ? '1' : undefined,
      SystemRoot: process.env['SystemRoot'] || undefined,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  return child as ChildProcessByStdio<Writable, Readable, null>;
}
