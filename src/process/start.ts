/**
 * Starts child processes with the given streams, and without descriptors that this process inherited: Node sets close-on-exec
 * only for inherited ones up to the first gap above 15, and for those that it opens itself.
 */

import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { maxDescriptors } from '../files/descriptors.ts';

/** As `spawn`. Also throws the system's error if there are no descriptors. */
export function startProcess(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const { stdio: given = 'pipe' } = options;
  const stdio = Array.isArray(given) ? [...given] : Array.from({ length: 3 }, () => given);
  const inherited = inheritedDescriptors().filter((fd) => fd >= stdio.length);
  if (inherited.length === 0) return spawn(command, [...args], { ...options, stdio });
  // Above 2, "ignore" would pass on an inherited descriptor, so it is replaced by /dev/null.
  const opened: number[] = [];
  try {
    for (const fd of inherited) {
      while (stdio.length < fd) stdio.push('ignore');
      // Each its own: Deno does not pass on a descriptor twice.
      opened.push((stdio[fd] = openSync('/dev/null', 'r')));
    }
    return spawn(command, [...args], { ...options, stdio });
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/** Source: asm-generic/fcntl.h; proc_pid_fdinfo(5) shows it among the flags, in octal. */
const O_CLOEXEC = 0o2000000;

let found: readonly number[] | undefined;

/**
 * Descriptors above 2 and below the limit. They are listed once, because this process itself opens none that
 * a child would inherit. Empty if there is no /proc.
 */
function inheritedDescriptors(): readonly number[] {
  found ??= process.platform === 'linux' ? readInherited() : [];
  return found;
}

function readInherited(): number[] {
  const limit = maxDescriptors() ?? Number.POSITIVE_INFINITY;
  try {
    return readdirSync('/proc/self/fdinfo')
      .map(Number)
      .filter((fd) => fd > 2 && fd < limit && isPassedOn(fd));
  } catch {
    return [];
  }
}

function isPassedOn(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & O_CLOEXEC) === 0;
  } catch {
    // This is the descriptor with which the list was read.
    return false;
  }
}
