/**
 * Reads the first bytes of a file on a local file system. If the file was just read, they are in the page cache: reading
 * them on the main thread takes 2 to 15 µs, through a thread 20 to 50. Any other read may wait for a disk and is done in a
 * thread.
 *
 * The open file is checked, not its path: it must be the same unchanged file on a local file system.
 */

import { type BigIntStats, readSync } from 'node:fs';
import { readDescriptor } from './descriptors.ts';
import { isOnLocalMount } from './mounts.ts';

const RECENT_MS = 1_000;
const MOST_RECENT = 256;

/**
 * Many concurrent calls must not block the event loop: after this many ms in one turn, heads are read in
 * threads.
 */
const TURN_MS = 10;

interface Recent {
  readonly stats: BigIntStats;
  /** When it was last read. */
  at: number;
  /** Determined when it is read for the second time, because most files are read once. */
  isLocal?: boolean;
}

/** By inode number. */
const recent = new Map<bigint, Recent>();

/** Fills `target` from the start of the regular file that is open at `fd`; fewer bytes only at its end. */
export function readLocalHead(fd: number, stats: BigIntStats, target: Uint8Array): number | Promise<number> {
  const now = performance.now();
  const known = recentlyRead(stats, now);
  if (!known || isTurnOver(now)) return readInThread(fd, stats, target, known);
  known.isLocal ??= isOnLocalMount(fd);
  if (!known.isLocal) return readInThread(fd, stats, target, known);
  known.at = now;
  return readNow(fd, target);
}

function recentlyRead(stats: BigIntStats, now: number): Recent | undefined {
  const known = recent.get(stats.ino);
  if (!known || now - known.at > RECENT_MS) return undefined;
  const { dev, size, mtimeNs, ctimeNs } = known.stats;
  const isSame =
    stats.dev === dev && stats.size === size && stats.mtimeNs === mtimeNs && stats.ctimeNs === ctimeNs;
  return isSame ? known : undefined;
}

async function readInThread(
  fd: number,
  stats: BigIntStats,
  target: Uint8Array,
  known: Recent | undefined,
): Promise<number> {
  const got = await readDescriptor(fd, target, 0);
  const at = performance.now();
  if (known) {
    known.at = at;
  } else if (got === target.length) {
    if (recent.size >= MOST_RECENT) recent.clear();
    recent.set(stats.ino, { stats, at });
  }
  return got;
}

function readNow(fd: number, target: Uint8Array): number {
  let filled = 0;
  while (filled < target.length) {
    const got = readSync(fd, target, filled, target.length - filled, filled);
    if (got === 0) break;
    filled += got;
  }
  return filled;
}

/** When the first head of this turn of the event loop was read. */
let turnBegan: number | undefined;

function isTurnOver(now: number): boolean {
  if (turnBegan !== undefined) return now - turnBegan > TURN_MS;
  turnBegan = now;
  setImmediate(() => (turnBegan = undefined));
  return false;
}
