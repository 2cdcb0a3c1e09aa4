/** Names of private files that identify the process that made them, so leftovers of a killed process can be removed immediately. */

import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errno } from '../access/system-failure.ts';

/** Hexadecimal digits that identify the machine and the process id namespace. */
const HERE_DIGITS = 8;

let here: string | undefined;

/** A new name: `PID-` and 16 hexadecimal digits, eight for the machine and eight random ones. */
export function ownName(): string {
  return `${process.pid}-${placeHere() ?? random()}${random()}`;
}

/** Whether `name` is such a name, or that of something that is being removed. */
export function isOwnName(name: string): boolean {
  return /^\d+-[0-9a-f]{16}(?:-removed-\d+)?$/.test(name);
}

/** Whether `name` was made by a process of this machine that no longer runs. */
export function isLeftBehind(name: string): boolean {
  const [, pid = '', place = ''] = /^(\d+)-([0-9a-f]{16})(?![0-9a-f])/.exec(name) ?? [];
  return place !== '' && place.slice(0, HERE_DIGITS) === placeHere() && !isRunning(Number(pid));
}

export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errno(error) === 'EPERM';
  }
}

/**
 * Identifies the machine (or container) and its boot, because a directory may be shared with others. Undefined if
 * unknown; then leftovers are removed by age.
 */
function placeHere(): string | undefined {
  if (here !== undefined) return here;
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1');
    const place = `${hostname()}\0${boot}\0${readlinkSync('/proc/self/ns/pid')}`;
    here = createHash('sha256').update(place).digest('hex').slice(0, HERE_DIGITS);
  } catch {
    // No /proc.
  }
  return here;
}

const random = (): string => randomBytes(HERE_DIGITS / 2).toString('hex');
