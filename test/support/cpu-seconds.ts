/** CPU time of this process and its children. */

import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks of Linux in a second. */
const TICKS = 100;

/**
 * Seconds of user and system time of this process, of its children, those that rest in a pool too, and of what ended. Without
 * `/proc` only of this process.
 */
export function cpuSeconds(): number {
  try {
    return secondsOf('self');
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}

function secondsOf(process: string): number {
  const stat = readFileSync(`/proc/${process}/stat`, 'utf8');
  // Behind the name: utime, stime, cutime and cstime are fields 14 to 17 of proc(5).
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) / TICKS, 0);
  return childrenOf(process).reduce((sum, child) => sum + secondsIfAlive(child), own);
}

/** A process that ended meanwhile is counted by its parent. */
function secondsIfAlive(process: string): number {
  try {
    return secondsOf(process);
  } catch {
    return 0;
  }
}

/** A child belongs to the thread that started it. */
function childrenOf(process: string): string[] {
  return readdirSync(`/proc/${process}/task`).flatMap((thread) => {
    try {
      return readFileSync(`/proc/${process}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean);
    } catch {
      return []; // The thread ended.
    }
  });
}
