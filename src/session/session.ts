/** Owns what outlives one call: snapshots of what was shown, spilled outputs, line indexes, caches. */

import type { Session } from '../types/session.ts';
import { Lru } from './lru.ts';
import { ScratchFolder } from './scratch.ts';
import { Snapshots } from './snapshots.ts';
import { type SpillOptions, Spills } from './spills.ts';

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
