/** What outlives one call, put together: snapshots of what was shown, kept outputs, derived things, private files. */

import type { Session } from '../types/session.ts';
import { ScratchFolder } from './scratch.ts';
import { Snapshots } from './snapshots.ts';
import { type SpillOptions, Spills } from './spills.ts';
import { Store, type StoreBudget } from './store.ts';

export interface SessionOptions {
  readonly spills?: SpillOptions;
  /** The most that derived things may hold on to while no call uses them. */
  readonly store?: Partial<StoreBudget>;
}

export function createSession(options: SessionOptions = {}): Session {
  const folder = new ScratchFolder();
  const spills = new Spills(options.spills);
  const store = new Store(options.store);
  return {
    snapshots: new Snapshots(),
    spills,
    store,
    scratch: () => folder.file(),
    async close() {
      await store.close();
      spills.close();
      await folder.remove();
    },
  };
}
