/** Ends threads that create zlib handles, each at another moment, and prints how many. */

import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { startWorker } from '../../src/process/worker-threads.ts';
import { endingOf } from '../../src/process/worker-ending.ts';

const THREADS = 40;
const entry = new URL('zlib-thread.mjs', import.meta.url);
for (let i = 0; i < THREADS; i += 1) {
  const worker = startWorker({ entry, heapMb: 32 });
  const end = endingOf(worker);
  await once(worker, 'message');
  await sleep(i % 5);
  await end();
}
console.log(THREADS);
