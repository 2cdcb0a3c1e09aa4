/** Owns what outlives one call: snapshots of what was shown, spilled outputs, line indexes, caches. */

import { Lru } from './lru.ts';
import { type ScratchFile, ScratchFolder } from './scratch.ts';
import { Snapshots } from './snapshots.ts';

export interface Session {
  readonly snapshots: Snapshots;
  /** A cache of derived things under `kind` and a version key; bounded, least recently used first out. */
  cached<T extends object>(kind: string, key: string, make: () => Promise<T>): Promise<T>;
  /** A private file (mode 0600) in the session's folder, for what is too large for memory. */
  scratch(): Promise<ScratchFile>;
  /** Removes everything the session left on disk. */
  close(): Promise<void>;
}

/** Things kept of one kind. */
const MOST_CACHED = 64;

export function createSession(): Session {
  const caches = new Map<string, Lru<Promise<object>>>();
  const folder = new ScratchFolder();
  return {
    snapshots: new Snapshots(),
    async cached<T extends object>(kind: string, key: string, make: () => Promise<T>): Promise<T> {
      let cache = caches.get(kind);
      if (!cache) caches.set(kind, (cache = new Lru(MOST_CACHED)));
      const known = cache.get(key);
      if (known) return known as Promise<T>;
      const made = make();
      cache.set(key, made);
      // A failure is the failure of one call, not of the next.
      made.catch(() => cache.delete(key));
      return made;
    },
    scratch: () => folder.file(),
    async close() {
      caches.clear();
      await folder.remove();
    },
  };
}
