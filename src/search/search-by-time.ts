/**
 * A search sorted by modification time: a first search finds the files that contain matches, then those that belong to the
 * page are searched again in order.
 */

import { join } from 'node:path';
import { findEncoding } from '../code/text-input.ts';
import { isOrielError, OrielError } from '../errors.ts';
import { isFault } from '../files/system-failure.ts';
import type { OpenedDirectory } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { CountRequest, SearchRequest } from '../types/request.ts';
import { newestPaths, tooManyToSort } from '../walk/collect-walk.ts';
import type { WalkOptions } from '../walk/walk-run.ts';
import { MAX_PAGE_RESULTS } from './page-bounds.ts';
import { recordGap } from './search-run.ts';
import { CountSink, type PathNaming, type SearchSink } from './sinks.ts';
import { openedInput } from './whole-text-input.ts';

/** Throws `BAD_INPUT` for searches that cannot be sorted by time. */
export function checkSort({ sort, inside }: SearchRequest | CountRequest): void {
  if (sort !== 'time' || inside !== 'below') return;
  const next = JSON.stringify({ inside: false, sort });
  throw new OrielError(
    'BAD_INPUT',
    'Members of documents and archives cannot be sorted by time. Use sort=time without inside, or inside without sort.',
    { next },
  );
}

interface Walked {
  readonly directory: OpenedDirectory;
  readonly options: Pick<WalkOptions, 'filter' | 'named'>;
  readonly names: PathNaming;
}

/** `walk` searches all texts in the order of paths. Throws `LIMIT` if there are too many files to sort. */
export async function takeByTime(
  { directory, options, names }: Walked,
  sink: SearchSink,
  walk: (sink: SearchSink, names: PathNaming) => Promise<void>,
  call: Call,
): Promise<void> {
  const { request, gaps } = sink.search;
  const all: CountRequest = { ...request, kind: 'count', counts: true, offset: 0, limit: MAX_PAGE_RESULTS };
  const counts = new CountSink(all, call);
  await walk(counts, { shown: (path) => path });
  counts.refuseIfBroken();
  const matches = counts.all;
  if (!matches) throw tooManyToSort(MAX_PAGE_RESULTS);
  gaps.add(counts.search.gaps);
  const newest = await newestPaths(directory, options, call);
  gaps.addAgain(newest.gaps);
  for (const path of newest.paths) {
    const count = matches.get(path);
    if (count === undefined) continue;
    const taken = sink.knows(names.shown(path), count);
    if (taken === 'enough') return;
    if (taken === 'wanted' && !(await searchAgain(join(directory.path, path), path, names, sink, call)))
      return;
  }
}

/** Returns false if the page is full. Files that were removed meanwhile are skipped; other failures are recorded as gaps. */
async function searchAgain(
  real: string,
  path: string,
  names: PathNaming,
  sink: SearchSink,
  call: Call,
): Promise<boolean> {
  try {
    const opened = await call.access.open(real, call.signal);
    try {
      if (opened.kind !== 'file') return true;
      const encoding = await findEncoding(opened.bytes, call);
      return await sink.take(openedInput(opened, path, encoding, sink.search), names);
    } finally {
      await opened.close();
    }
  } catch (error) {
    call.signal.throwIfAborted();
    if (isOrielError(error) && error.code === 'BAD_REGEX') throw error;
    if (isFault(error)) sink.search.breakOff(error);
    else recordGap(error, names.shown(path), sink.search, call);
    return !sink.search.gaps.broken;
  }
}
