/** What this process has started and holds open, as Linux tells it. */

import { readdirSync, readFileSync } from 'node:fs';

/** The converting children of `pid`. */
export const convertersOf = (pid: number): number[] => childrenOf(pid, 'convert-child');

/** The children of `pid` in whose command lines `part` stands: others watch over them. */
export function childrenOf(pid: number, part: string): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readOr(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number),
  );
  return children.filter((child) => readOr(`/proc/${child}/cmdline`).includes(part));
}

export function openDescriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

/** Empty for a process that has ended. */
function readOr(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
