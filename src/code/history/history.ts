/** Recent changes in the repository of a directory, read once for each commit and cached. */

import { join, relative, sep } from 'node:path';
import { OrielError } from '../../errors.ts';
import { builtFile } from '../../files/package-files.ts';
import { type OpenedRepository, openRepository } from '../../git/repository.ts';
import { Identity } from '../../identity.ts';
import { WorkerPool } from '../../process/worker-threads.ts';
import { callerOf } from '../../queues/caller.ts';
import { queues } from '../../queues/queue-table.ts';
import { memoryBytes, readAt } from '../../text/bytes.ts';
import type { OpenedDirectory } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import type { ComputedValue, DerivedKind, ValueComputation } from '../../types/session.ts';
import type { HistoryJob } from './history-worker.ts';
import type { RecentChanges } from './recent.ts';

/** The files below a directory that changed recently. */
interface RecentBelow {
  /** Identifies the commit and the part of the repository. */
  readonly key: string;
  /** Relative to the directory, joined by `\0`. */
  readonly paths: string;
  /** For each path, above 0 and at most 1: see `RecentChanges`. */
  readonly weights: Float64Array;
}

/** The timeout of the thread in milliseconds. Within the limits on commits and objects it needs about one second. */
const WITHIN_MS = 8_000;

/** Maximum bytes of `packed-refs` that are read. */
const MAX_PACKED_REFS_BYTES = 16 << 20;

const threads = new WorkerPool<HistoryJob, RecentChanges>({
  entry: builtFile('code/history/history-worker.js'),
  queue: queues.histories,
  idleMs: 10_000,
  heapMb: 192,
});

const histories: DerivedKind<RecentChanges, { head: string }> = {
  name: 'history',
  weigh: ({ paths }) => ({ memory: paths.reduce((sum, path) => sum + 2 * path.length + 24, 0) }),
};

/** Undefined if there is no repository, or its commit cannot be read. Throws the signal's reason. */
export async function recentBelow(base: string, call: Call): Promise<RecentBelow | undefined> {
  const { access, signal } = call;
  try {
    const repository = await openRepository(base, call);
    if (!repository) return undefined;
    call.onEnd(() => repository.close());
    const { top, git } = repository;
    const head = await headOf(repository, call);
    if (head === undefined) return undefined;
    const caller = callerOf(signal);
    const make = async (computed: ValueComputation): Promise<ComputedValue<RecentChanges>> => {
      // Opened again: other calls may wait for the result when this call has ended and closed the repository.
      const opened = await openRepository(top, { access, signal: computed.signal });
      if (!opened) throw new OrielError('NOT_FOUND', 'The repository is gone.');
      try {
        const job = { repository: await opened.handles(), head };
        const until = performance.now() + WITHIN_MS;
        const claim = { signal: computed.signal, caller };
        const value = await threads.lend(claim, (ask) => ask(job, until, computed.signal));
        return { value, keep: true };
      } finally {
        await opened.close();
      }
    };
    const of = memoryBytes(Buffer.from(head), Identity.of('commit', { head, git: git.path }));
    const recent = await call.session.store.get(histories, of, { head }, make, call);
    return below(recent, relative(top, base).split(sep).join('/'), head);
  } catch {
    // Recent changes are optional: the map is made without them.
    signal.throwIfAborted();
    return undefined;
  }
}

/** Selects the paths below `directory`, which is relative to the root of the repository. */
function below({ paths, weights }: RecentChanges, directory: string, head: string): RecentBelow {
  const front = directory === '' ? '' : `${directory}/`;
  const inside = paths.flatMap((path, i) => (path.startsWith(front) ? [i] : []));
  return {
    key: `${head} ${front}`,
    paths: inside.map((i) => (paths[i] as string).slice(front.length)).join('\0'),
    weights: Float64Array.from(inside, (i) => weights[i] as number),
  };
}

/** The id of the commit that is checked out: in `HEAD`, in the file of its branch, or in `packed-refs`. */
async function headOf({ git, common }: OpenedRepository, call: Call): Promise<string | undefined> {
  const head = await textOf(git, 'HEAD', 1024, call);
  const name = /^ref: (refs\/[^\0\n]{1,500})\n?$/.exec(head ?? '')?.[1];
  if (name === undefined) return idIn(head);
  if (name.split('/').some((part) => part === '' || part === '.' || part === '..')) return undefined;
  const id = idIn(await textOf(common, name, 1024, call));
  if (id !== undefined) return id;
  const packed = (await textOf(common, 'packed-refs', MAX_PACKED_REFS_BYTES, call)) ?? '';
  const at = packed.indexOf(` ${name}\n`);
  return idIn(packed.slice(packed.lastIndexOf('\n', at) + 1, Math.max(0, at)));
}

function idIn(text: string | undefined): string | undefined {
  return /^([0-9a-f]{40}|[0-9a-f]{64})\n?$/.exec(text ?? '')?.[1];
}

/** The first `most` bytes of a file in `.git` as Latin-1. Undefined if it is a link, no regular file, or cannot be opened. */
async function textOf(
  git: OpenedDirectory,
  name: string,
  most: number,
  { access, signal }: Call,
): Promise<string | undefined> {
  const path = join(git.path, name);
  const opened = await access.open(path, signal).catch(() => undefined);
  try {
    if (opened?.kind !== 'file' || opened.path !== path) return undefined;
    return Buffer.from(await readAt(opened.bytes, 0, Math.min(opened.size, most), signal)).toString('latin1');
  } finally {
    await opened?.close();
  }
}
