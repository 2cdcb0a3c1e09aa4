/** Assembles everything that outlives one call: snapshots of shown lines, kept outputs, derived data, private files. */

import type { Caller } from '../queues/caller.ts';
import { type TelemetryOptions, TelemetryRecorder } from '../telemetry/telemetry.ts';
import type { Session, SessionBackground } from '../types/session.ts';
import type { RemoteWork, StateSpace } from '../types/state.ts';
import { keepStateFromClients, ScratchDirectory } from './directories.ts';
import { type DiskCacheOptions, FileCache } from './disk-cache.ts';
import { SharedCache, SharedSnapshots } from './shared-cache.ts';
import { SharedSpills } from './shared-spills.ts';
import { LocalSnapshots, SeenVersions } from './snapshots.ts';
import type { SpillQuota } from './spill-writer.ts';
import { LocalSpills, type SpillOptions } from './spills.ts';
import { MemoryStore, type StoreBudget } from './store.ts';

export interface SessionOptions {
  readonly spills?: SpillOptions | undefined;
  /** The quota for kept outputs, shared with other sessions. */
  readonly room?: SpillQuota | undefined;
  /** The total budget of derived data. */
  readonly store?: Partial<StoreBudget> | undefined;
  /** The cache on disk; there is none when absent. */
  readonly disk?: DiskCacheOptions | undefined;
  /** How and where calls are recorded: in memory only when absent, not at all when false. */
  readonly telemetry?: TelemetryOptions | TelemetryRecorder | false | undefined;
  /** The state shared with other replicas; none when absent. */
  readonly state?: SessionState | undefined;
  /** Receives errors of disposing derived data, such as a file that could not be closed. */
  readonly onError?: (error: unknown) => void;
}

/** The part of a shared store that a session uses. */
export interface SessionState {
  readonly space: StateSpace;
  /**
   * Set if several clients use the space: outputs then get random numbers and are not listed. The value names
   * the owner of the quota.
   */
  readonly unlisted?: string | undefined;
  /** The space with the counters of a caller. When absent, counters are not shared. Without a caller it is `space`. */
  readonly spaceOf?: (caller: Caller) => StateSpace | undefined;
  /** Workers for heavy work. */
  readonly work?: RemoteWork | undefined;
  /** Closes the store with the session, if no other session uses it. */
  readonly close?: (() => Promise<void>) | undefined;
}

export function createSession(options: SessionOptions = {}): Session {
  keepStateFromClients(options.spills?.state);
  const directory = new ScratchDirectory();
  const { state } = options;
  const unlisted = state?.unlisted;
  const spills = new LocalSpills(options.spills, options.room, unlisted !== undefined);
  // Lines shown to clients without a name are not shared, because two such clients may look the same.
  const shownTo = state && unlisted === undefined ? new SharedSnapshots(state.space) : undefined;
  const store = new MemoryStore(options.store, options.onError);
  const files = options.disk && new FileCache(options.disk);
  const disk = files && options.state ? new SharedCache(files, options.state.space) : files;
  const background = new BackgroundWork();
  const { telemetry: recording = {}, onError } = options;
  const telemetry =
    recording instanceof TelemetryRecorder
      ? recording
      : recording &&
        new TelemetryRecorder({
          ...recording,
          ...(state && { spaces: (caller) => (caller ? state.spaceOf?.(caller) : state.space) }),
          ...(onError && { onError }),
        });
  return {
    snapshots: shownTo ?? new LocalSnapshots(),
    seen: new SeenVersions(state?.space),
    spills: state ? new SharedSpills(spills, state.space, { unlisted }) : spills,
    store,
    ...(disk && { disk }),
    files,
    work: state?.work ? state.work : undefined,
    telemetry: telemetry || undefined,
    background,
    scratch: () => directory.file(),
    async close() {
      await background.close();
      await store.close();
      await Promise.all([
        shownTo?.close(),
        spills.close(),
        disk?.close(),
        directory.remove(),
        telemetry && telemetry.close(),
      ]);
      await state?.close?.();
    },
  };
}

// Background work that continues after its call, such as refreshing a cached page. It ends with its session.

class BackgroundWork implements SessionBackground {
  readonly #controller = new AbortController();
  readonly #running = new Set<Promise<void>>();

  start(work: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#controller;
    if (signal.aborted) return;
    const done = work(signal)
      .catch(() => undefined)
      .finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  async idle(ms: number, signal?: AbortSignal): Promise<void> {
    if (this.#running.size === 0 || signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => resolve(), { once: true });
      void this.#all().then(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Cancels running work and waits for its end. */
  async close(): Promise<void> {
    this.#controller.abort();
    await this.#all();
  }

  async #all(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
