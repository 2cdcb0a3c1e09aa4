/** A walk, on the side of the call: starts the worker thread and yields its results in order. */

import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isOrielError, OrielError } from '../errors.ts';
import { latin1ToPath, pathToLatin1 } from '../files/held-directory.ts';
import { isLocalWhole } from '../files/mounts.ts';
import { builtFile } from '../files/package-files.ts';
import { mayRise } from '../files/paths.ts';
import { keptFromClients } from '../files/kept-files.ts';
import { isFault } from '../files/system-failure.ts';
import { IdleWorkers } from '../process/idle-workers.ts';
import { searchSlots } from '../process/ripgrep.ts';
import { startConversation, type WorkerThread } from '../process/worker-threads.ts';
import type { FileAccess, OpenedDirectory, OpenedItem } from '../types/access.ts';
import type { Call } from '../types/call.ts';
import type { SearchGaps } from '../types/result.ts';
import { GapsSeen } from './gaps.ts';
import {
  type LargeTextFile,
  type PackedTexts,
  type PathsFound,
  WalkControl,
  type WalkFilter,
  type WalkJob,
  type WalkMessage,
  type WalkQuery,
  type WalkRequest,
} from './walk-messages.ts';

export interface WalkOptions {
  readonly wants: WalkQuery;
  readonly filter?: WalkFilter | undefined;
  /** A second glob that file names must match. */
  readonly named?: string | undefined;
  /** The prefix of the directory in shown paths; without one, paths are shown relative to the directory. */
  readonly front?: string | undefined;
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number;
}

type Item = PackedTexts | LargeTextFile;

export class WalkRun {
  /** The gaps of the results yielded so far. */
  readonly gaps = new GapsSeen();
  readonly #control = new WalkControl();
  readonly #thread: WorkerThread;
  /** Resolves when the thread sends nothing more, to whether it is idle and can be reused. */
  readonly #listening: Promise<boolean>;
  readonly #signal: AbortSignal;
  readonly #release: () => Promise<void>;
  /** What was received and not yielded yet. */
  readonly #paths: PathsFound[] = [];
  readonly #items: Item[] = [];
  /** Those of the end message. */
  #lastGaps: SearchGaps | undefined;
  #failure: unknown;
  readonly #changed = new WaitCondition();
  #closed = false;

  private constructor(signal: AbortSignal, release: () => Promise<void>) {
    this.#signal = signal;
    this.#release = release;
    this.#thread = takeThread(signal);
    this.#listening = this.#listen();
  }

  /** Starts a walk below `directory`. The caller must close the walk, and the directory. */
  static async start(directory: OpenedDirectory, options: WalkOptions, call: Call): Promise<WalkRun> {
    const { access, signal } = call;
    const slot = await searchSlots.take(signal);
    let chain: RuleChain | undefined;
    try {
      chain = await openChain(directory, access);
      const held = chain;
      const run = new WalkRun(signal, async () => {
        slot.release();
        await held.close();
      });
      run.#begin(chain, options, access);
      return run;
    } catch (error) {
      slot.release();
      await chain?.close();
      throw error;
    }
  }

  /** Yields batches of paths, relative to the directory and in order. */
  async *paths(): AsyncGenerator<string[], void> {
    for await (const { paths } of this.found()) yield paths;
  }

  /** The same with the key of each file's `Identity`; empty if the file is not code, or keys were not requested. */
  async *versions(): AsyncGenerator<{ paths: string[]; keys: string[] }, void> {
    for await (const { paths, keys } of this.found()) yield { paths, keys: keys?.split('\n') ?? [] };
  }

  /** The same with all that was requested of each path. */
  async *found(): AsyncGenerator<Omit<PathsFound, 'paths'> & { readonly paths: string[] }, void> {
    for (;;) {
      const batch = this.#paths.shift();
      if (batch) {
        const paths = latin1ToPath(batch.paths).split('\0');
        yield { ...batch, paths };
        // Several batches may already be here, and paths may be long: give control back to the event loop.
        await setImmediate();
      } else if (this.#ended()) return;
      else await this.#changed.wait();
    }
  }

  /** Yields texts and large files in the order of paths. The caller must release each of them. */
  async *items(): AsyncGenerator<Item, void> {
    for (;;) {
      const item = this.#items.shift();
      if (item) yield item;
      else if (this.#ended()) return;
      else await this.#changed.wait();
    }
  }

  release(item: Item): void {
    // Not the length of its bytes: they may have moved to another thread.
    if (item.kind === 'texts') this.#control.noteUnread(-(item.ends.at(-1) ?? 0));
    else this.#control.noteReleased();
  }

  /** Returns the thread to the pool or ends it. Results must not be used after it. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const isDone = this.#lastGaps !== undefined && this.#failure === undefined;
    try {
      await (isDone ? this.#rest() : this.#thread.end());
    } finally {
      await this.#release();
    }
  }

  #begin(
    chain: RuleChain,
    { wants, filter, named, front = '', deadline }: WalkOptions,
    access: FileAccess,
  ): void {
    const base = chain.directories.at(-1) as OpenedDirectory;
    if (chain.isCut) this.gaps.rules += 1;
    const job: WalkJob = {
      chain: chain.directories.map(({ path, fd }) => ({ path, fd })),
      top: chain.top,
      roots: access.roots.map(pathToLatin1),
      front,
      kept: keptFromClients(access.roots),
      denied: base.privateNames?.packed,
      wants,
      prefilters: wants.kind === 'texts' && wants.needle !== undefined && isLocalWhole(base.path),
      filter,
      named,
      until: performance.timeOrigin + deadline,
      control: this.#control.numbers,
    };
    this.#thread.post({ kind: 'walk', job } satisfies WalkRequest);
  }

  async #listen(): Promise<boolean> {
    try {
      for (;;) {
        const message = (await this.#thread.next()) as WalkMessage;
        if (message.kind === 'resting') return true;
        this.#take(message);
      }
    } catch (error) {
      this.#failure ??= error;
      this.#changed.notify();
      return false;
    }
  }

  /** Returns a thread whose work is done to the pool. */
  async #rest(): Promise<void> {
    this.#thread.post({ kind: 'rest' } satisfies WalkRequest);
    await ((await this.#listening) ? giveBack(this.#thread) : this.#thread.end());
  }

  #take(message: Exclude<WalkMessage, { readonly kind: 'resting' }>): void {
    if (message.kind === 'paths') this.#paths.push(message);
    else if (message.kind === 'end') this.#lastGaps = message.gaps;
    else if (message.kind === 'shortage')
      this.#failure ??= new OrielError('BUSY', 'Too many files are open. Call again.');
    else this.#items.push(message);
    this.#changed.notify();
  }

  /** Whether the walk has ended; if so, its gaps are recorded. Throws if it failed. */
  #ended(): boolean {
    if (this.#lastGaps) {
      this.gaps.add(this.#lastGaps);
      return true;
    }
    if (this.#failure !== undefined) this.#fail();
    return false;
  }

  /** Throws errors that end the call; otherwise `WalkBroken`, which means that a thread has died and results are partial. */
  #fail(): never {
    this.#signal.throwIfAborted();
    if (this.#failure instanceof OrielError && this.#failure.code === 'BUSY') throw this.#failure;
    throw new WalkBroken('A thread of the walk has ended.', { cause: this.#failure });
  }
}

/** Thrown if a thread or process of the walk ended before its work was done. */
export class WalkBroken extends Error {}

// Opens a directory's parents, inside the roots, whose ignore files may apply to it.

interface RuleChain {
  /** From the outermost down to the directory itself. */
  readonly directories: readonly OpenedDirectory[];
  /** The index of the first directory whose rules apply if none of them is a repository. */
  readonly top: number;
  /** Whether a parent could not be read because of a failure of the machine, so that rules may be missing. */
  readonly isCut: boolean;
  /** Closes all directories except the given one. */
  close(): Promise<void>;
}

/**
 * With roots, the chain begins at the root that contains the directory; directories above it are not read. The rules of a
 * repository apply from its root down. Without a repository, rules apply from the root down, or from the working directory
 * if that is above the directory.
 *
 * Throws `BUSY` if descriptors have run out, because a search without its rules would show ignored files.
 */
async function openChain(directory: OpenedDirectory, access: FileAccess): Promise<RuleChain> {
  const above: OpenedDirectory[] = [];
  let isCut = false;
  const close = async (): Promise<void> => {
    for (const one of above) await one.close();
  };
  try {
    let top = directory;
    for (let at = directory.path; dirname(at) !== at && mayRise(at, access.roots); at = dirname(at)) {
      const opened = await ifAllowed(top.above, () => (isCut = true));
      if (opened?.kind !== 'directory') {
        await opened?.close();
        break;
      }
      above.unshift(opened);
      top = opened;
    }
    const directories = [...above, directory];
    return { directories, top: await topOf(directories, access), isCut, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Undefined if the path does not exist or may not be read, and after a failure of the machine, which calls `onFault`. */
async function ifAllowed(
  open: () => Promise<OpenedItem>,
  onFault: () => void = () => undefined,
): Promise<OpenedItem | undefined> {
  try {
    return await open();
  } catch (error) {
    if (isOrielError(error) && error.code === 'BUSY') throw error;
    if (isFault(error)) onFault();
    return undefined;
  }
}

async function topOf(directories: readonly OpenedDirectory[], access: FileAccess): Promise<number> {
  if (access.roots.length > 0) return 0;
  const indexOf = (path: string | undefined): number => directories.findIndex((one) => one.path === path);
  const named = indexOf(access.cwd);
  if (named !== -1) return named;
  const opened = await ifAllowed(() => access.open(access.cwd));
  await opened?.close();
  const top = indexOf(opened?.path);
  return top === -1 ? directories.length - 1 : top;
}

// The pool of worker threads for walks. Idle threads are kept for a while and reused, because loading and compiling their
// code takes as long as a walk over ten thousand files.

/** The heap of a thread in MiB (all of it, and the young generation). It holds directory entries and ignore rules. */
const HEAP_MB = 256;
const YOUNG_MB = 4;

const MAX_IDLE_THREADS = 2;

/** An idle thread ends after this many milliseconds: longer than an agent usually thinks, and than the first map parses. */
const IDLE_MS = 60_000;

const resting = new IdleWorkers<WorkerThread>(IDLE_MS);

/** Returns a thread that waits for a request. It is terminated when `signal` aborts. */
function takeThread(signal: AbortSignal): WorkerThread {
  signal.throwIfAborted();
  const idle = resting.take();
  idle?.work(signal);
  const entry = builtFile('walk/walk-worker.js');
  return idle ?? startConversation({ entry, heapMb: HEAP_MB, youngMb: YOUNG_MB, signal });
}

/** Puts a thread that has reported `resting` back into the pool. */
async function giveBack(thread: WorkerThread): Promise<void> {
  if (resting.size >= MAX_IDLE_THREADS) return thread.end();
  thread.rest();
  resting.add(thread);
}

// A condition variable: wakes everything that waits for a change of state.

export class WaitCondition {
  #waiting: (() => void)[] = [];

  notify(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Resolves at the next `notify`. Check the condition directly before the call. */
  wait(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
