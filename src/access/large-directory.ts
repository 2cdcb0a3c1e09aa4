/**
 * Reads the entries of a directory for sorting. Only a few large directories are in memory at the same time.
 */

import { queues } from '../queues/queue-table.ts';
import type { Entry, OpenedDirectory } from '../types/access.ts';

/** Maximum entries that are listed, about 130 MiB. Of a larger directory, the file system determines which ones. */
export const MOST_ENTRIES = 500_000;

/** Directories with at most this many entries need no slot: in 64 calls they take about 80 MiB together. */
const FEW = 5_000;

export interface Listed {
  readonly entries: readonly Entry[];
  /** Whether there are others. */
  readonly more: boolean;
}

/** Calls `use` with the entries whose names begin with `prefix`, and returns its result. `use` must not keep the entries. */
export async function withEntries<T>(
  directory: OpenedDirectory,
  signal: AbortSignal,
  use: (listed: Listed) => Promise<T>,
  prefix = '',
): Promise<T> {
  const few = await directory.list(FEW, signal, prefix);
  if (!few.more) return use(few);
  return queues.listings.run(async () => use(await directory.list(MOST_ENTRIES, signal, prefix)), { signal });
}
