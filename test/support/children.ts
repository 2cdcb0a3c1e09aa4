/** What this process has started and holds open, as Linux tells it. */

import { readdirSync, readFileSync } from 'node:fs';

/** The converting children of `pid`, by their command lines. */
export function convertersOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readOr(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number),
  );
  return children.filter((child) => readOr(`/proc/${child}/cmdline`).includes('convert-child'));
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
