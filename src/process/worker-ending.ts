/**
 * Delays ending a worker thread until it has loaded its modules, and is not at work that must not be interrupted. Node never
 * closes a module file that a thread was reading when it was ended, so each cancelled call would leak a descriptor.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { getEnvironmentData, setEnvironmentData, type Worker } from 'node:worker_threads';
import * as zlib from 'node:zlib';

/** The first message of every worker entry, sent when its modules are loaded. */
export const LOADED = 'loaded';

/**
 * Maximum milliseconds to wait for loading, and for work that must not be interrupted; after that the thread is ended anyway.
 * On a busy machine either takes seconds.
 */
const MAX_WAIT_MS = 10_000;

/** Ends the thread as soon as it may be ended. */
export function endingOf(worker: Worker): () => Promise<void> {
  const loaded = new Promise<void>((resolve) => {
    worker.once('message', () => resolve());
    worker.once('exit', () => resolve());
  });
  return async () => {
    await Promise.race([loaded, sleep(MAX_WAIT_MS, undefined, { ref: false })]);
    await untilInterruptible(worker);
    await worker.terminate();
  };
}

// Work of a worker thread that must not be interrupted by ending it. Node aborts the whole process if a thread ends between
// the creation and the initialisation of a zlib handle (`close before init`; seen in Node 20.20 and 24.21).

/** The state of a thread's lock. `ENDING` is set only while the thread is not at such work, which it then cannot begin. */
const [FREE, WORKING, ENDING] = [0, 1, 2];

const KEY = 'oriel:uninterrupted';

const locks = new WeakMap<Worker, Int32Array>();

/** Creates a thread that has a lock. */
export function withLock(create: () => Worker): Worker {
  const lock = new Int32Array(new SharedArrayBuffer(4));
  // A thread has a copy of what is set when it is created.
  setEnvironmentData(KEY, lock);
  try {
    const worker = create();
    locks.set(worker, lock);
    return worker;
  } finally {
    setEnvironmentData(KEY, undefined as never);
  }
}

/** Resolves when the thread is not at work that must not be interrupted, and cannot begin any. */
async function untilInterruptible(worker: Worker): Promise<void> {
  const lock = locks.get(worker);
  const until = performance.now() + MAX_WAIT_MS;
  while (lock && performance.now() < until) {
    if (Atomics.compareExchange(lock, 0, FREE, ENDING) !== WORKING) return;
    // With a reference: if this process ended now, Node would end the thread at its work.
    await sleep(1);
  }
}

/** Runs synchronous `work`, during which this thread is not ended. On the main thread it just runs. */
function uninterrupted<T>(work: () => T): T {
  const release = claim();
  try {
    return work();
  } finally {
    release();
  }
}

/** The same for `load`, which imports modules after `LOADED` was sent. */
export async function uninterruptedLoad<T>(load: () => Promise<T>): Promise<T> {
  const release = claim();
  try {
    return await load();
  } finally {
    release();
  }
}

function claim(): () => void {
  const lock = getEnvironmentData(KEY) as Int32Array | undefined;
  // Work within work is released with the outer one.
  if (!lock || Atomics.load(lock, 0) === WORKING) return () => undefined;
  // The thread is about to be ended, which also ends this wait.
  while (Atomics.compareExchange(lock, 0, FREE, WORKING) === ENDING) Atomics.wait(lock, 0, ENDING);
  return () => void Atomics.store(lock, 0, FREE);
}

export const brotliDecompressSync: typeof zlib.brotliDecompressSync = (...given) =>
  uninterrupted(() => zlib.brotliDecompressSync(...given));
export const gunzipSync: typeof zlib.gunzipSync = (...given) =>
  uninterrupted(() => zlib.gunzipSync(...given));
export const deflateRawSync: typeof zlib.deflateRawSync = (...given) =>
  uninterrupted(() => zlib.deflateRawSync(...given));
export const inflateRawSync: typeof zlib.inflateRawSync = (...given) =>
  uninterrupted(() => zlib.inflateRawSync(...given));
export const inflateSync: typeof zlib.inflateSync = (...given) =>
  uninterrupted(() => zlib.inflateSync(...given));
