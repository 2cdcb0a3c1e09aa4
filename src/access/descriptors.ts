/** Owns file descriptors: opening them patiently when they run out, reading at offsets, asking what they are. */

import * as fs from 'node:fs';
import { promisify } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { isShortage } from './failure.ts';

const openFile = promisify(fs.open);
const closeFile = promisify(fs.close);
const fstatFile = promisify(fs.fstat) as (fd: number, options: { bigint: true }) => Promise<fs.BigIntStats>;

/** How long an open waits for other calls to give descriptors back. */
const PATIENCE_MS = 2_000;

export async function openDescriptor(path: string, flags: number): Promise<number> {
  const until = performance.now() + PATIENCE_MS;
  for (let wait = 5; ; wait = Math.min(wait * 2, 100)) {
    try {
      return await openFile(path, flags);
    } catch (error) {
      if (!isShortage(error) || performance.now() > until) throw error;
      await sleep(wait);
    }
  }
}

export async function closeDescriptor(fd: number): Promise<void> {
  await closeFile(fd).catch(() => undefined);
}

export function statDescriptor(fd: number): Promise<fs.BigIntStats> {
  return fstatFile(fd, { bigint: true });
}

/** Fills `target` from byte `offset`; fewer bytes only at the end of the file. */
export async function readDescriptor(
  fd: number,
  target: Uint8Array,
  offset: number,
  signal?: AbortSignal,
): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    signal?.throwIfAborted();
    const got = await readOnce(fd, target, filled, offset + filled);
    if (got === 0) break;
    filled += got;
  }
  return filled;
}

function readOnce(fd: number, target: Uint8Array, at: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(fd, target, at, target.length - at, position, (error, got) => {
      if (error) reject(error);
      else resolve(got);
    });
  });
}

/** How many this process may have; undefined where that is not to be known. Source: proc_pid_limits(5). */
export function mostDescriptors(): number | undefined {
  try {
    const limits = fs.readFileSync('/proc/self/limits', 'latin1');
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]) || undefined;
  } catch {
    return undefined;
  }
}
