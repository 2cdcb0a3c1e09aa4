/**
 * Descriptors that this process inherited and would pass on to its children. Node sets close-on-exec only for inherited
 * ones up to the first gap above 15, and for those that it opens itself.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { maxDescriptors } from '../files/descriptors.ts';

/** Source: asm-generic/fcntl.h; proc_pid_fdinfo(5) shows it among the flags, in octal. */
const O_CLOEXEC = 0o2000000;

let found: readonly number[] | undefined;

/**
 * Descriptors above 2 and below the limit. They are listed once, because this process itself opens none that
 * a child would inherit. Empty if there is no /proc.
 */
export function inheritedDescriptors(): readonly number[] {
  found ??= process.platform === 'linux' ? look() : [];
  return found;
}

function look(): number[] {
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
