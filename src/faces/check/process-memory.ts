/** How much memory a process and its descendants take. */

import { readFileSync } from 'node:fs';
import { runningIn, type Tree } from '../../access/tree-members.ts';

/** Resident megabytes of a process and its descendants, also of those that left it, by their token; undefined if unknown. */
export function treeMb(tree: Tree | undefined): number | undefined {
  return (tree && runningIn(tree))?.reduce((sum, pid) => sum + residentMb(pid), 0);
}

function residentMb(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
