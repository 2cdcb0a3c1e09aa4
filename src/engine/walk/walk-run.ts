/** A walk, on the side of the call: starts the worker threads and yields their results in order. */

import { setImmediate } from 'node:timers/promises';
import type { Conversation } from '../../access/isolate-stream.ts';
import { bytesOf } from '../../access/held-directory.ts';
import { isLocalWhole } from '../../access/mounts.ts';
import { searchSlots } from '../../access/ripgrep.ts';
import { type KeptFiles, keptFromClients } from '../../access/private-files.ts';
import { OrielError } from '../../errors.ts';
import type { Access, OpenedDirectory } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import { Condition } from './condition.ts';
import { GapsSeen } from './gaps.ts';
import { type Chain, openChain } from './rule-chain.ts';
import { HELPER, WalkControl } from './walk-control.ts';
import {
  type Block,
  type BlockEnd,
  type LargeFile,
  type PathsFound,
  type Texts,
  type WalkFilter,
  type WalkJob,
  type WalkMessage,
  type WalkRequest,
  type Wanted,
} from './walk-messages.ts';
import { giveBack, takeThread } from './walk-threads.ts';

export interface WalkOptions {
  readonly wants: Wanted;
  readonly filter?: WalkFilter;
  /** A second glob that file names must match. */
  readonly named?: string;
  /** In milliseconds of `performance.now()`. */
  readonly deadline: number;
}

type Item = Texts | LargeFile | BlockEnd;

export class WalkRun {
  /** The gaps of the results yielded so far. */
  readonly gaps = new GapsSeen();
  readonly #control = new WalkControl();
  readonly #threads: Conversation[] = [];
  /** Per thread: resolves when it sends nothing more, to whether it is idle and can be reused. */
  readonly #listening: Promise<boolean>[] = [];
  readonly #signal: AbortSignal;
  #needle: string | undefined;
  #prefilters = false;
  #asStored = false;
  #kept: KeptFiles = keptFromClients([]);
  readonly #release: () => Promise<void>;
  /** Received batches of paths, and received items by block, that were not yielded yet. */
  readonly #paths: (PathsFound | { readonly paths: string; readonly keys: string })[] = [];
  readonly #blocks = new Map<number, Item[]>();
  /** The end message of the walking thread. */
  #last: { readonly blocks: number; readonly gaps: GapsSeen } | undefined;
  #failure: unknown;
  readonly #changed = new Condition();
  #closed = false;

  private constructor(signal: AbortSignal, release: () => Promise<void>) {
    this.#signal = signal;
    this.#release = release;
  }

  /** Starts a walk below `directory`. The caller must close the walk, and the directory. */
  static async start(directory: OpenedDirectory, options: WalkOptions, call: Call): Promise<WalkRun> {
    const { access, signal } = call;
    const slot = await searchSlots.take(signal);
    let chain: Chain | undefined;
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
    for await (const { paths } of this.#found()) yield paths;
  }

  /** The same with the key of each file's `Identity`; empty if the file is not code, or keys were not requested. */
  async *versions(): AsyncGenerator<{ paths: string[]; keys: string[] }, void> {
    for await (const { paths, keys } of this.#found()) yield { paths, keys: keys?.split('\n') ?? [] };
  }

  /** The same with modification times (ms since the epoch); 0 if these were not requested. */
  async *timedPaths(): AsyncGenerator<{ paths: string[]; times: Float64Array }, void> {
    for await (const { paths, times } of this.#found())
      yield { paths, times: times ?? new Float64Array(paths.length) };
  }

  async *#found(): AsyncGenerator<{ paths: string[]; keys?: string; times?: Float64Array }, void> {
    for (;;) {
      const batch = this.#paths.shift();
      if (batch) {
        const paths = Buffer.from(batch.paths, 'latin1').toString('utf8').split('\0');
        yield { ...batch, paths };
        // Several batches may already be here, and paths may be long: give control back to the event loop.
        await setImmediate();
      } else if (this.#ended()) return;
      else await this.#changed.wait();
    }
  }

  /** Yields texts and large files in the order of paths, and the end of each block. The caller must release each of them. */
  async *items(): AsyncGenerator<Item, void> {
    for (let block = 0; ;) {
      const item = this.#blocks.get(block)?.shift();
      if (item?.is === 'block-end') {
        this.#blocks.delete(block);
        block += 1;
      }
      if (item) yield item;
      else if (block === this.#last?.blocks && this.#ended()) return;
      else if (this.#failure !== undefined) this.#fail();
      else await this.#changed.wait();
    }
  }

  release(item: Item): void {
    if (item.is === 'texts') this.#control.noteUnread(item.thread, -item.bytes.length);
    if (item.is === 'large') this.#control.noteReleased(item.thread);
  }

  /** Returns the threads to the pool or ends them. Results must not be used after it. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const done = this.#last !== undefined && this.#failure === undefined;
    try {
      await Promise.all(this.#threads.map((thread, i) => (done ? this.#rest(thread, i) : thread.end())));
    } finally {
      await this.#release();
    }
  }

  #begin(chain: Chain, { wants, filter, named, deadline }: WalkOptions, access: Access): void {
    const base = chain.directories.at(-1) as OpenedDirectory;
    if (chain.isCut) this.gaps.rules += 1;
    if (wants.is === 'texts' && wants.needle !== undefined) this.#prefilters = isLocalWhole(base.path);
    this.#kept = keptFromClients(access.roots);
    const job: WalkJob = {
      chain: chain.directories.map(({ path, fd }) => ({ path, fd })),
      top: chain.top,
      roots: access.roots.map(bytesOf),
      kept: this.#kept,
      wants,
      prefilters: this.#prefilters,
      ...(filter && { filter }),
      ...(named !== undefined && { named }),
      until: performance.timeOrigin + deadline,
      control: this.#control.numbers,
    };
    if (wants.is === 'texts') {
      this.#needle = wants.needle;
      this.#asStored = wants.asStored;
    }
    this.#start({ is: 'walk', job });
  }

  #start(request: WalkRequest): Conversation {
    const thread = takeThread(this.#signal);
    this.#threads.push(thread);
    this.#listening.push(this.#listen(thread));
    thread.post(request);
    return thread;
  }

  async #listen(thread: Conversation): Promise<boolean> {
    try {
      for (;;) {
        const message = (await thread.next()) as WalkMessage;
        if (message.is === 'resting') return true;
        this.#take(message);
      }
    } catch (error) {
      this.#failure ??= error;
      this.#changed.notify();
      return false;
    }
  }

  /** Returns a thread whose work is done to the pool. */
  async #rest(thread: Conversation, no: number): Promise<void> {
    thread.post({ is: 'rest' } satisfies WalkRequest);
    await ((await this.#listening[no]) ? giveBack(thread) : thread.end());
  }

  #take(message: WalkMessage): void {
    switch (message.is) {
      case 'paths':
      case 'versions':
        this.#paths.push(message);
        break;
      case 'block':
        this.#help(message.block);
        break;
      case 'end':
        this.#last = { blocks: message.blocks, gaps: new GapsSeen() };
        this.#last.gaps.add(message.gaps);
        break;
      case 'resting':
        break;
      case 'shortage':
        this.#failure ??= new OrielError('BUSY', 'Too many files are open. Call again.');
        break;
      case 'texts':
      case 'large':
      case 'block-end': {
        const items = this.#blocks.get(message.block);
        if (items) items.push(message);
        else this.#blocks.set(message.block, [message]);
      }
    }
    this.#changed.notify();
  }

  #help(block: Block): void {
    if (this.#closed) return;
    const helper = this.#threads[HELPER] ?? this.#startHelper();
    helper.post({ is: 'block', block } satisfies WalkRequest);
  }

  #startHelper(): Conversation {
    return this.#start({
      is: 'help',
      job: {
        control: this.#control.numbers,
        kept: this.#kept,
        needle: this.#needle,
        prefilters: this.#prefilters,
        asStored: this.#asStored,
      },
    });
  }

  /** Whether the walk has ended; if so, its gaps are recorded. Throws if it failed. */
  #ended(): boolean {
    if (this.#last) {
      this.gaps.add(this.#last.gaps);
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
