/** Owns what outlives one call: snapshots of what was shown, spilled outputs, line indexes, caches. */

import { Lru } from './lru.ts';
import { type ScratchFile, ScratchFolder } from './scratch.ts';
import { Snapshots } from './snapshots.ts';
import { type SpillOptions, Spills } from './spills.ts';

export interface Session {
  readonly snapshots: Snapshots;
  /** Full outputs of which only a part was shown. */
  readonly spills: Spills;
  /**
   * A cache of derived things under `kind` and a version key; bounded, least recently used first out. `weigh` says
   * how many bytes a large thing holds.
   */
  cached<T extends object>(
    kind: string,
    key: string,
    make: () => Promise<T>,
    weigh?: (made: T) => number,
  ): Promise<T>;
  /** A private file (mode 0600) in the session's folder, for what is too large for memory. */
  scratch(): Promise<ScratchFile>;
  /** Removes everything the session left on disk. */
  close(): Promise<void>;
}

/** Things kept of one kind, and bytes of those that were weighed. */
const MOST_CACHED = 64;
const MOST_WEIGHT = 64 << 20;

export interface SessionOptions {
  readonly spills?: SpillOptions;
}

export function createSession(options: SessionOptions = {}): Session {
  const caches = new Map<string, Lru<Promise<object>>>();
  const folder = new ScratchFolder();
  const spills = new Spills(options.spills);
  return {
    snapshots: new Snapshots(),
    spills,
    async cached<T extends object>(
      kind: string,
      key: string,
      make: () => Promise<T>,
      weigh?: (made: T) => number,
    ): Promise<T> {
      const cache = caches.get(kind) ?? new Lru(MOST_CACHED, MOST_WEIGHT);
      caches.set(kind, cache);
      const known = cache.get(key);
      // What was cancelled for the call that began it is begun anew by the next one that waits for it.
      if (known) return (known as Promise<T>).catch(() => make());
      const made = make();
      cache.set(key, made);
      made.then(
        (thing) => {
          if (weigh && cache.get(key) === made) cache.set(key, made, weigh(thing));
        },
        // A failure is the failure of one call, not of the next.
        () => cache.delete(key),
      );
      return made;
    },
    scratch: () => folder.file(),
    async close() {
      caches.clear();
      spills.close();
      await folder.remove();
    },
  };
}
