/** Child processes and open file descriptors, read from Linux's /proc. */

import { readdirSync, readFileSync } from 'node:fs';

/** Process ids of the converter children of `pid`. */
export const convertersOf = (pid: number): number[] => childrenOf(pid, 'convert-child');

/** Process ids of the children of `pid` whose command line contains `part`. */
export function childrenOf(pid: number, part: string): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readOr(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number),
  );
  return children.filter((child) => readOr(`/proc/${child}/cmdline`).includes(part));
}

/** A zombie is not. */
export function isAlive(pid: number): boolean {
  const stat = readOr(`/proc/${pid}/stat`);
  return stat !== '' && !/\) [ZX] /.test(stat);
}

export function openDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

/** The file's content; empty if the process has ended. */
function readOr(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
