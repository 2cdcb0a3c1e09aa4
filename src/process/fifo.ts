/**
 * A pool of real pipes, made as FIFOs that are unlinked immediately. Node can only make one by starting a process, which takes
 * as long as a short command, so a few are kept ready. They are closed with the last session that used them.
 */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { arePipesInUse, usePipes } from '../files/descriptors.ts';
import { start } from './start.ts';

/** Both ends of a pipe, which no other process has. */
interface PipeEnds {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/** Number of pipes that one process makes. */
const BATCH = 6;

/** The pool is refilled in the background when at most this many are left. */
const LOW = 2;

/** After this many milliseconds without a command the pool is closed. */
const IDLE_MS = 30_000;

const spare: PipeEnds[] = [];
let refilling = false;
let idle: NodeJS.Timeout | undefined;

/**
 * Takes `count` pipes. The FIFOs are made in `directory`, which is private to this user. Undefined if they cannot be made:
 * there is no `mkfifo`, or the file system does not support FIFOs.
 */
export async function takePipes(directory: string, count: number): Promise<PipeEnds[] | undefined> {
  usePipes(directory, closeSparePipes);
  const taken = spare.splice(0, count);
  if (taken.length < count) {
    taken.push(...(await makePipes(directory)));
    keep(taken.splice(count));
  }
  if (taken.length < count) {
    for (const ends of taken) closeBoth(ends);
    return undefined;
  }
  if (spare.length <= LOW) void refill(directory);
  clearTimeout(idle);
  idle = setTimeout(closeSparePipes, IDLE_MS).unref();
  return taken;
}

export function closeSparePipes(): void {
  for (const ends of spare.splice(0)) closeBoth(ends);
}

export function closeBoth({ readEnd, writeEnd }: PipeEnds): void {
  closeSync(writeEnd);
  closeSync(readEnd);
}

async function refill(directory: string): Promise<void> {
  if (refilling) return;
  refilling = true;
  keep(await makePipes(directory));
  refilling = false;
  if (!arePipesInUse()) closeSparePipes();
}

/** Adds pipes to the pool, and closes those that are too many: commands that start together may make several batches. */
function keep(made: PipeEnds[]): void {
  spare.push(...made.splice(0, Math.max(0, BATCH - spare.length)));
  for (const ends of made) closeBoth(ends);
}

/** The pipes of a batch that could be opened; there may be too few descriptors for all. */
async function makePipes(directory: string): Promise<PipeEnds[]> {
  const paths = Array.from({ length: BATCH }, () =>
    join(directory, `pipe-${randomBytes(8).toString('hex')}`),
  );
  const opened: PipeEnds[] = [];
  try {
    await once(start('mkfifo', ['-m', '600', ...paths], { stdio: ['ignore', 'ignore', 'ignore'] }), 'close');
    for (const path of paths) opened.push(openEnds(path));
  } catch {
    // Perhaps not all were opened; the caller counts them.
  } finally {
    for (const path of paths) unlinkQuietly(path);
  }
  return opened;
}

/** A name that remains is removed later with its directory. */
function unlinkQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The pipes work without this.
  }
}

/** The reading end first and without blocking: opening the writing end alone would wait for a reader. */
function openEnds(path: string): PipeEnds {
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { readEnd, writeEnd: openSync(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(readEnd);
    throw error;
  }
}
