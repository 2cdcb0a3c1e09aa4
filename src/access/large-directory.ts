/** The entries of a directory, as many as are sorted: of large directories a few at a time are in memory. */

import { queues } from '../queues/queue-table.ts';
import type { Entry, OpenedDirectory } from '../types/access.ts';

/** Of a larger directory any so many are listed: about 130 MiB. */
export const MOST_ENTRIES = 500_000;

/** So many need no slot: 64 calls hold about 80 MiB of them together. */
const FEW = 5_000;

export interface Listed {
  readonly entries: readonly Entry[];
  /** Whether there are others. */
  readonly more: boolean;
}

/** What `use` makes of the entries whose names begin with `prefix`; it holds none of them afterwards. */
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
