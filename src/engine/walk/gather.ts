/** Runs a walk to its end, passes on its batches, and returns its gaps, also if it failed. */

import type { OpenedDirectory } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import { GapsSeen } from './gaps.ts';
import { WalkBroken, type WalkOptions, WalkRun } from './walk-run.ts';

/** `take` goes through what it wants of the walk, which is closed in the end, whatever happens. */
export async function gather(
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
