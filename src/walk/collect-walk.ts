/** Runs a walk, closes it, and returns its gaps, also if the walk failed after it had found something. */

import { OrielError } from '../errors.ts';
import { sortInTurns } from '../queues/turns.ts';
import type { OpenedDirectory } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import { GapsSeen } from './gaps.ts';
import { WalkBroken, type WalkOptions, WalkRun } from './walk-run.ts';

/** `take` consumes the walk; afterwards the walk is closed in any case. */
export async function collectWalk(
  directory: OpenedDirectory,
  options: WalkOptions,
  call: Call,
  take: (run: WalkRun) => Promise<void>,
): Promise<GapsSeen> {
  const gaps = new GapsSeen();
  const run = await WalkRun.start(directory, options, call);
  try {
    await take(run);
  } catch (error) {
    if (!(error instanceof WalkBroken)) throw error;
    gaps.broken = true;
  } finally {
    await run.close();
  }
  gaps.add(run.gaps);
  return gaps;
}

// Lists the paths below a directory by modification time: newest first, equal times by path.

/** The most paths that are sorted, because all of them are in memory. */
const MAX_SORTED_PATHS = 200_000;

interface Timed {
  readonly path: string;
  readonly time: number;
}

/** Throws `LIMIT` if there are too many to sort. */
export async function newestPaths(
  directory: OpenedDirectory,
  options: Pick<WalkOptions, 'filter' | 'named' | 'front'>,
  call: Call,
): Promise<{ paths: string[]; gaps: GapsSeen }> {
  const timed: Timed[] = [];
  const wants = { kind: 'paths', most: MAX_SORTED_PATHS + 1, times: true } as const;
  const whole = { ...options, wants, deadline: lookUntil(call.deadline) };
  const gaps = await collectWalk(directory, whole, call, async (walk) => {
    for await (const { paths, times } of walk.found()) {
      for (const [i, path] of paths.entries()) timed.push({ path, time: times?.[i] ?? 0 });
    }
  });
  if (timed.length > MAX_SORTED_PATHS) throw tooManyToSort(MAX_SORTED_PATHS);
  const sorted = await sortInTurns(
    timed,
    (file) => file,
    (a, b) => b.time - a.time,
  );
  return { paths: sorted.map(({ path }) => path), gaps };
}

export function tooManyToSort(most: number): OrielError {
  return new OrielError(
    'LIMIT',
    `More than ${most} files would have to be sorted by time. Narrow the path or the pattern, or leave out sort.`,
  );
}

// Deadlines for the steps of a search or a walk.

/** The most milliseconds reserved for later steps. */
const RESERVE_MS = 2000;

/** Milliseconds reserved for ranking each file, on a busy machine. */
const RESERVE_EACH_MS = 0.1;

/**
 * The deadline of a step, in milliseconds of `performance.now()`, for work with the given `deadline`. Some time is reserved
 * for later steps, so that the results found so far can still be shown.
 */
export function lookUntil(deadline: number): number {
  const left = deadline - performance.now();
  return deadline - Math.min(RESERVE_MS, left / 4);
}

/** The most milliseconds of a long step, for calls without a timeout: a timer cannot wait forever. */
const MAX_STEP_MS = 3_600_000;

/** The deadline of the first of two long steps: half of the remaining time. */
export function halfUntil(deadline: number): number {
  const now = performance.now();
  return now + Math.min((deadline - now) / 2, MAX_STEP_MS);
}

/**
 * The deadline of a step whose `count` results are processed after it. A quarter of the time or more is reserved (at most
 * half): on a busy machine processing takes seconds, and a partial answer is better than none.
 */
export function gatherUntil(deadline: number, count: number): number {
  const now = performance.now();
  const left = Math.min(deadline - now, MAX_STEP_MS);
  const reserve = Math.max(RESERVE_MS + count * RESERVE_EACH_MS, left / 4);
  return now + left - Math.min(reserve, left / 2);
}
