/**
 * When a worker thread may be ended. Node never closes the files that a thread was reading its modules from
 * when it was ended: each cancelled call would cost the process a descriptor. So a thread says when it has loaded.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

/** The first message of every worker entry, sent when its modules are there. */
export const LOADED = 'loaded';

/** How long loading may take, in ms; a thread that has not said anything by then is ended anyway. */
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
    await worker.terminate();
  };
}
