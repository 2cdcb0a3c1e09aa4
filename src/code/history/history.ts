/** Recent changes in the repository of a directory, read once for each commit and cached. */

import { dirname, join, relative, sep } from 'node:path';
import { OrielError } from '../../errors.ts';
import { pathToLatin1 } from '../../files/held-directory.ts';
import { builtFile } from '../../files/package-files.ts';
import { isPathWithin } from '../../files/paths.ts';
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
  const git = await gitAbove(base, call);
  if (!git) return undefined;
  call.onEnd(() => git.close());
  const head = await headOf(git, call);
  if (head === undefined) return undefined;
  const { access } = call;
  const caller = callerOf(call.signal);
  const make = async ({ signal }: ValueComputation): Promise<ComputedValue<RecentChanges>> => {
    // Opened again: other calls may wait for the result when this call has ended and closed `git`.
    const opened = await access.open(git.path, signal);
    try {
      if (opened.kind !== 'directory') throw new OrielError('NOT_DIRECTORY', 'The repository is gone.');
      const job = { path: opened.path, fd: opened.fd, roots: access.roots.map(pathToLatin1), head };
      const until = performance.now() + WITHIN_MS;
      const value = await threads.lend({ signal, caller }, (ask) => ask(job, until, signal));
      return { value, keep: true };
    } finally {
      await opened.close();
    }
  };
  const of = memoryBytes(Buffer.from(head), Identity.of('commit', { head, git: git.path }));
  try {
    const recent = await call.session.store.get(histories, of, { head }, make, call);
    return below(recent, relative(dirname(git.path), base).split(sep).join('/'), head);
  } catch {
    // Recent changes are optional: the map is made without them.
    call.signal.throwIfAborted();
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

/** The `.git` directory of the nearest directory that has one. Undefined if that is a `.git` file, because it refers to another directory. */
async function gitAbove(base: string, { access, signal }: Call): Promise<OpenedDirectory | undefined> {
  for (let at = base; ; at = dirname(at)) {
    const opened = await access.open(join(at, '.git'), signal).catch(() => undefined);
    // Not through a link, which may lead to another repository.
    if (opened?.kind === 'directory' && opened.path === join(at, '.git')) return opened;
    await opened?.close();
    if (opened || dirname(at) === at || !mayAscend(at, access.roots)) return undefined;
  }
}

/** Whether the parent of `path` is inside the roots. */
function mayAscend(path: string, roots: readonly string[]): boolean {
  return roots.length === 0 || roots.some((root) => path !== root && isPathWithin(path, root));
}

/** The id of the commit that is checked out: in `HEAD`, in the file of its branch, or in `packed-refs`. */
async function headOf(git: OpenedDirectory, call: Call): Promise<string | undefined> {
  const head = await textOf(git, 'HEAD', 1024, call);
  const name = /^ref: (refs\/[^\0\n]{1,500})\n?$/.exec(head ?? '')?.[1];
  if (name === undefined) return idIn(head);
  if (name.split('/').some((part) => part === '' || part === '.' || part === '..')) return undefined;
  const id = idIn(await textOf(git, name, 1024, call));
  if (id !== undefined) return id;
  const packed = (await textOf(git, 'packed-refs', MAX_PACKED_REFS_BYTES, call)) ?? '';
  const at = packed.indexOf(` ${name}\n`);
  return at < 40 ? undefined : idIn(packed.slice(at - 40, at));
}

function idIn(text: string | undefined): string | undefined {
  return /^([0-9a-f]{40})\n?$/.exec(text ?? '')?.[1];
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
