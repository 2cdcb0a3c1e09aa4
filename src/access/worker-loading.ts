/**
 * Delays ending a worker thread until it has loaded its modules, and is not at work that must not be interrupted. Node never
 * closes a module file that a thread was reading when it was ended, so each cancelled call would leak a descriptor.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { untilInterruptible } from './uninterrupted.ts';

/** The first message of every worker entry, sent when its modules are loaded. */
export const LOADED = 'loaded';

/** Maximum milliseconds to wait for loading; after that the thread is ended anyway. */
const LOADING_MS = 1_000;

/** Ends the thread as soon as it may be ended. */
export function endingOf(worker: Worker): () => Promise<void> {
  const loaded = new Promise<void>((resolve) => {
    worker.on('message', (message: unknown) => {
      if (message === LOADED) resolve();
    });
    worker.once('exit', () => resolve());
  });
  return async () => {
    await Promise.race([loaded, sleep(LOADING_MS, undefined, { ref: false })]);
    await untilInterruptible(worker);
    await worker.terminate();
  };
}
