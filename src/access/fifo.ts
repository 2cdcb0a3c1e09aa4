/**
 * Real pipes, made as FIFOs that are unlinked at once. A small pool is kept open: making one starts a process
 * (Node has no other way), which takes as long as a short command. They are closed with the last session that used them.
 */

import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { arePipesInUse, usePipes } from './pipe-users.ts';
import { start } from './start.ts';

/** Both ends of a pipe that nobody else has. */
export interface PipeEnds {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/** Made by one process. */
const BATCH = 6;

/** When no more are left, others are made while nobody waits for them. */
const LOW = 2;

/** After so many milliseconds without a command the spare ones are closed. */
const IDLE_MS = 30_000;

const spare: PipeEnds[] = [];
let refilling = false;
let idle: NodeJS.Timeout | undefined;

/**
 * `count` pipes by way of `directory`, which is private to this user. Undefined if they cannot be had: no `mkfifo`, or
 * a file system that knows no FIFOs.
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

/** Commands that start at the same time may create more pipes than are kept. */
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
    // Some or none: the caller counts them.
  } finally {
    for (const path of paths) unlinkQuietly(path);
  }
  return opened;
}

/** A remaining name is removed with its directory. */
function unlinkQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The pipes work anyway.
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
