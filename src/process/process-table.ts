/** The running processes of Linux, from /proc. On other systems they are unknown. */

import { closeSync, type Dir, opendirSync, openSync, readdirSync, readSync, statSync } from 'node:fs';

export interface ProcessStat {
  readonly pid: number;
  readonly alive: boolean;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Start time in clock ticks since boot. */
  readonly began: number;
}

/** Ids of all processes in ascending order, read lazily; undefined if there is no /proc. */
export function listProcesses(): Iterable<number> | undefined {
  try {
    return idsIn(opendirSync('/proc', { bufferSize: 256 }));
  } catch {
    return undefined;
  }
}

function* idsIn(directory: Dir): Generator<number, void> {
  let last = 0;
  try {
    for (let entry = directory.readSync(); entry; entry = directory.readSync()) {
      if (!/^\d+$/.test(entry.name)) continue;
      last = Number(entry.name);
      yield last;
    }
    return;
  } catch {
    // If the kernel does not report types, Node calls lstat, which fails for a process that has ended meanwhile.
  } finally {
    directory.closeSync();
  }
  yield* idsAbove(last);
}

/** The ids above `last`, from names only, without lstat. */
function* idsAbove(last: number): Generator<number, void> {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  yield* ids
    .map(Number)
    .filter((id) => id > last)
    .sort((a, b) => a - b);
}

/** The id that was assigned last; undefined if unknown. Source: proc_loadavg(5). */
export function lastProcess(): number | undefined {
  const last = Number(readSmall('/proc/loadavg')?.trimEnd().split(' ').at(-1));
  // Some systems that emulate Linux always report 0.
  return last > 0 ? last : undefined;
}

/** Whether a process has this id, or may have it: a tenth of the time of `processStat` if there is none. */
export function isProcess(pid: number): boolean {
  try {
    return statSync(`/proc/${pid}`, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // SELinux denies access to processes of other domains.
    return true;
  }
}

/** Undefined if the process does not exist any more. Source: proc_pid_stat(5). */
export function processStat(pid: number): ProcessStat | undefined {
  const stat = readSmall(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // The name is in parentheses and may contain parentheses.
  const [state, ...numbers] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 20);
  const [parent = 0, group = 0, session = 0] = numbers.map(Number);
  // A zombie is dead; in a container without an init it may stay for ever.
  const alive = state !== 'Z' && state !== 'X';
  return { pid, alive, parent, group, session, began: Number(numbers[18]) };
}

/** Maximum number of reads of the environment, for a process that keeps calling execve. */
const MAX_ENVIRONMENT_READS = 4;

/**
 * Whether `token` (ASCII) is in the environment that a process was started with. Undefined if that is not
 * known yet: during execve(2) a process has neither environment nor arguments, and a file opened before it
 * reads as empty afterwards. So an environment counts as empty only if it is empty twice, with the same
 * arguments before, between and after. Source: environ_read in Linux.
 */
export function holdsToken(pid: number, token: string): boolean | undefined {
  let before: string | undefined;
  for (let tries = 0; tries < MAX_ENVIRONMENT_READS; tries += 1) {
    const held = environmentHolds(pid, token);
    if (held !== undefined) return held;
    const line = readSmall(`/proc/${pid}/cmdline`);
    if (line === undefined || (line !== '' && line === before)) return false;
    before = line;
  }
  return undefined;
}

/** Undefined if the environment is empty or may not be read. */
function environmentHolds(pid: number, token: string): boolean | undefined {
  return withFile(`/proc/${pid}/environ`, (fd) => {
    let kept = 0;
    for (let isEmpty = true; ; isEmpty = false) {
      const got = readSync(fd, CHUNK, kept, CHUNK.length - kept, null);
      if (got === 0) return isEmpty ? undefined : false;
      if (CHUNK.subarray(0, kept + got).includes(token)) return true;
      // The token may span two reads.
      const tail = Math.min(token.length, kept + got);
      CHUNK.copy(CHUNK, 0, kept + got - tail, kept + got);
      kept = tail;
    }
  });
}

/**
 * Shared, because all code that uses it is synchronous. Node's own readFileSync makes a new one of this size
 * for each file.
 */
const CHUNK = Buffer.allocUnsafeSlow(64 << 10);

function readSmall(path: string): string | undefined {
  return withFile(path, (fd) => CHUNK.toString('latin1', 0, readSync(fd, CHUNK, 0, CHUNK.length, null)));
}

/** Undefined if the file is gone or may not be read. */
function withFile<T>(path: string, read: (fd: number) => T): T | undefined {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return undefined;
  }
  try {
    return read(fd);
  } catch {
    return undefined;
  } finally {
    closeSync(fd);
  }
}
