/** CPU time of this process. */

import { readFileSync } from 'node:fs';

/** Clock ticks of Linux in a second. */
const TICKS = 100;

/** Seconds of user and system time, with those of ended child processes where there is `/proc`. */
export function cpuSeconds(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // Behind the name: utime, stime, cutime and cstime are fields 14 to 17 of proc(5).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) / TICKS, 0);
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}
