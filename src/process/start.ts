/** Starts child processes with the given streams, and without the descriptors that this process inherited. */

import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { inheritedDescriptors } from './inherited.ts';

export type StreamEnd = number | 'pipe' | 'ignore' | undefined;

export interface ProcessStartOptions extends Omit<SpawnOptions, 'stdio' | 'shell'> {
  /** Standard input, output and error, and further ones. */
  readonly stdio: readonly StreamEnd[];
}

/** As `spawn`. Also throws the system's error if there are no descriptors. */
export function start(command: string, args: readonly string[], options: ProcessStartOptions): ChildProcess {
  const stdio = [...options.stdio];
  const inherited = inheritedDescriptors().filter((fd) => fd >= stdio.length);
  if (inherited.length === 0) return spawn(command, args, { ...options, stdio });
  // Above 2, "ignore" would pass on an inherited descriptor, so it is replaced by /dev/null.
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
