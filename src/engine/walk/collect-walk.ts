/** Runs a walk, closes it, and returns its gaps, also if the walk failed after it had found something. */

import type { OpenedDirectory } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
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
