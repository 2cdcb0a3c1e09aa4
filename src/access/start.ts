/** Starts child processes: they get the streams that they are given, and no descriptor that this process has inherited. */

import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { inheritedDescriptors } from './inherited.ts';

export type StreamEnd = number | 'pipe' | 'ignore' | undefined;

export interface StartOptions extends Omit<SpawnOptions, 'stdio' | 'shell'> {
  /** Standard input, output and error, and further ones. */
  readonly stdio: readonly StreamEnd[];
}

/** As `spawn`. Throws what it throws, and the system's error without descriptors. */
export function start(command: string, args: readonly string[], options: StartOptions): ChildProcess {
  const stdio = [...options.stdio];
  const inherited = inheritedDescriptors().filter((fd) => fd >= stdio.length);
  if (inherited.length === 0) return spawn(command, args, { ...options, stdio });
  // "ignore" passes on what has a number above 2.
  const nothing = openSync('/dev/null', 'r');
  try {
    for (const fd of inherited) {
      while (stdio.length < fd) stdio.push('ignore');
      stdio[fd] = nothing;
    }
    return spawn(command, args, { ...options, stdio });
  } finally {
    closeSync(nothing);
  }
}
