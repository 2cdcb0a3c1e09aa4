/** How much memory a process and its descendants take. */

import { readFileSync } from 'node:fs';
import { listProcesses, processStat } from '../../access/process-table.ts';

/** Resident megabytes of a process and its descendants; undefined if unknown. */
export function treeMb(pid: number | undefined): number | undefined {
  const listed = pid === undefined ? undefined : listProcesses();
  if (!listed) return undefined;
  const all = [...listed];
  const parents = new Map(all.map((one) => [one, processStat(one)?.parent]));
  const isBelow = (one: number | undefined): boolean =>
    one !== undefined && one > 1 && (one === pid || isBelow(parents.get(one)));
  return all.filter(isBelow).reduce((sum, one) => sum + residentMb(one), 0);
}

function residentMb(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
