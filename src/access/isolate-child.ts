/** Starts Node processes that know no path, no descriptor and no environment of ours, and says how one ended. */

import type { ChildProcessByStdio } from 'node:child_process';
import { parse } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { start } from './start.ts';

/** The child ended in another way than by answering. */
export class ChildFailure extends Error {
  /** `ended`: it was killed from outside or could not be started, which says nothing about its input. */
  readonly why: 'crashed' | 'ended' | 'memory' | 'output' | 'slow';

  constructor(why: ChildFailure['why'], detail: string) {
    super(detail);
    this.name = 'ChildFailure';
    this.why = why;
  }
}

/** What the system ends a process with for what it did itself. */
const FAULTS: ReadonlySet<NodeJS.Signals | null> = new Set([
  'SIGABRT',
  'SIGBUS',
  'SIGFPE',
  'SIGILL',
  'SIGSEGV',
  'SIGSYS',
  'SIGTRAP',
]);

export function endedWith(code: number | null, signal: NodeJS.Signals | null): ChildFailure {
  const why = signal === null || FAULTS.has(signal) ? 'crashed' : 'ended';
  return new ChildFailure(why, `ended with ${signal ?? `code ${code}`}`);
}

/** Node with nothing of our environment, outside of every directory of ours, and two pipes. */
export function spawnNode(args: readonly string[]): ChildProcessByStdio<Writable, Readable, null> {
  const child = start(process.execPath, args, {
    cwd: parse(process.execPath).root,
    // One arena: glibc otherwise keeps a heap for each thread.
    env: {
      MALLOC_ARENA_MAX: '1',
      // What it makes of its bytes does not depend on the location of the machine.
      TZ: 'UTC',
      ...(process.env['SystemRoot'] ? { SystemRoot: process.env['SystemRoot'] } : {}),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
  return child as ChildProcessByStdio<Writable, Readable, null>;
}
