/** Starts Node processes that know no path, no descriptor and no environment of ours, and says how one ended. */

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { parse } from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** The child ended in another way than by answering. */
export class ChildFailure extends Error {
  readonly why: 'crashed' | 'memory' | 'output' | 'slow';

  constructor(why: ChildFailure['why'], detail: string) {
    super(detail);
    this.name = 'ChildFailure';
    this.why = why;
  }
}

/** Node with nothing of our environment, outside of every directory of ours, and two pipes. */
export function spawnNode(args: readonly string[]): ChildProcessByStdio<Writable, Readable, null> {
  return spawn(process.execPath, args, {
    cwd: parse(process.execPath).root,
    // One arena: glibc otherwise keeps a heap for each thread.
    env: {
      MALLOC_ARENA_MAX: '1',
      ...(process.env['SystemRoot'] ? { SystemRoot: process.env['SystemRoot'] } : {}),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
    windowsHide: true,
  });
}
