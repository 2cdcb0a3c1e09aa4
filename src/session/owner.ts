/** Names of private files that tell which process made them: what a killed process of this machine has left is removed at once. */

import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errno } from '../access/system-failure.ts';

/** Hexadecimal digits that identify the machine and the process id namespace. */
const HERE_DIGITS = 8;

let here: string | undefined;

/** `PID-` and 16 hexadecimal digits, half of them random. */
export function ownName(): string {
  return `${process.pid}-${placeHere() ?? random()}${random()}`;
}

/** Whether `name` belongs to a process of this machine that no longer runs. */
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
 * Undefined if unknown; then leftovers are removed by age. A directory may be shared with other machines and
 * containers.
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
