/** Lists the paths below a directory by modification time: newest first, equal times by path. */

import { OrielError } from '../../errors.ts';
import type { OpenedDirectory } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import { GapsSeen } from './gaps.ts';
import { sortInTurns } from '../../text/sort-in-turns.ts';
import { lookUntil } from './step-deadlines.ts';
import { collectWalk } from './collect-walk.ts';
import type { WalkOptions } from './walk-run.ts';

/** The most paths that are sorted, because all of them are in memory. */
const MOST_SORTED = 200_000;

interface Timed {
  readonly path: string;
  readonly time: number;
}

/** Throws `LIMIT` if there are too many to sort. */
export async function newestPaths(
  directory: OpenedDirectory,
  options: Pick<WalkOptions, 'filter' | 'named'>,
  call: Call,
): Promise<{ paths: string[]; gaps: GapsSeen }> {
  const timed: Timed[] = [];
  const wants = { is: 'paths', most: MOST_SORTED + 1, times: true } as const;
  const whole = { ...options, wants, deadline: lookUntil(call.deadline) };
  const gaps = await collectWalk(directory, whole, call, async (walk) => {
    for await (const { paths, times } of walk.timedPaths()) {
      for (const [i, path] of paths.entries()) timed.push({ path, time: times[i] ?? 0 });
    }
  });
  if (timed.length > MOST_SORTED) throw tooManyToSort(MOST_SORTED);
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
