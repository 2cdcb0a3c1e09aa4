/**
 * Delays ending a worker thread until it has loaded its modules, and is not at work that must not be interrupted. Node never
 * closes a module file that a thread was reading when it was ended, so each cancelled call would leak a descriptor.
 */

import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { getEnvironmentData, setEnvironmentData, type Worker } from 'node:worker_threads';
import * as zlib from 'node:zlib';

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

// Work of a worker thread that must not be interrupted by ending it. Node aborts the whole process if a thread ends between
// the creation and the initialisation of a zlib handle (`close before init`; seen in Node 20.20 and 24.21).

/** The state of a thread's lock. `ENDING` is set only while the thread is not at such work, which it then cannot begin. */
const [FREE, WORKING, ENDING] = [0, 1, 2];

const KEY = 'oriel:uninterrupted';

/** Maximum milliseconds to wait for such work; after that the thread is ended anyway. */
const MAX_INTERRUPT_WAIT_MS = 1_000;

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
  const until = performance.now() + MAX_INTERRUPT_WAIT_MS;
  while (lock && performance.now() < until) {
    if (Atomics.compareExchange(lock, 0, FREE, ENDING) !== WORKING) return;
    // With a reference: if this process ended now, Node would end the thread at its work.
    await sleep(1);
  }
}

/** Runs synchronous `work`, during which this thread is not ended. On the main thread it just runs. */
function uninterrupted<T>(work: () => T): T {
  const lock = getEnvironmentData(KEY) as Int32Array | undefined;
  if (!lock) return work();
  // The thread is about to be ended, which also ends this wait.
  while (Atomics.compareExchange(lock, 0, FREE, WORKING) === ENDING) Atomics.wait(lock, 0, ENDING);
  try {
    return work();
  } finally {
    Atomics.store(lock, 0, FREE);
  }
}

export const brotliDecompressSync: typeof zlib.brotliDecompressSync = (...given) =>
  uninterrupted(() => zlib.brotliDecompressSync(...given));
export const deflateRawSync: typeof zlib.deflateRawSync = (...given) =>
  uninterrupted(() => zlib.deflateRawSync(...given));
export const inflateRawSync: typeof zlib.inflateRawSync = (...given) =>
  uninterrupted(() => zlib.inflateRawSync(...given));
export const inflateSync: typeof zlib.inflateSync = (...given) =>
  uninterrupted(() => zlib.inflateSync(...given));

// Timeouts that do not count the time that a process was ready to run but had no CPU.

/** A timeout is extended to at most this multiple on a busy machine. */
const MAX_TIMEOUT_FACTOR = 4;

/** Waiting times below this, in ms, are within the inaccuracy of a timer. */
const MIN_CPU_WAIT_MS = 5;

/**
 * Calls `over` after `ms` milliseconds, extended by the time that the process waited for a CPU, but after `most` (default:
 * four times `ms`) in any case. `waited` returns the milliseconds that it waited for a CPU since the last call.
 * Returns a function that stops the timer.
 */
export function startOwnTimer(
  ms: number,
  waited: () => Promise<number>,
  over: () => void,
  most: number = MAX_TIMEOUT_FACTOR * ms,
): () => void {
  const end = performance.now() + most;
  let isOver = false;
  let timer: NodeJS.Timeout;
  const look = async (): Promise<void> => {
    const left = Math.min(await waited(), end - performance.now());
    if (isOver) return;
    if (left < MIN_CPU_WAIT_MS) over();
    else timer = setTimeout(() => void look(), left);
  };
  // To save work, waiting in the first half of the time is not measured and counts as running.
  const begin = (): void => {
    void waited();
    timer = setTimeout(() => void look(), ms / 2);
  };
  timer = setTimeout(begin, ms / 2);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Milliseconds before a deadline that are kept for writing the answer. */
const SPARE_MS = 1_000;

/**
 * The `most` of `startOwnTimer` for a call with this `deadline` (`performance.now()`). It is before the deadline, so that
 * the call can still report the timeout of the work.
 */
export function maxTimerBefore(deadline: number, ms: number): number {
  return Math.max(ms, Math.min(MAX_TIMEOUT_FACTOR * ms, deadline - SPARE_MS - performance.now()));
}

/** The `waited` of `startOwnTimer`: for the thread of `pid` that waited longest. Always 0 if the system does not report it. */
export function cpuWaitMeter(pid: number | undefined): () => Promise<number> {
  const known = new Map<string, number>();
  return async () => {
    const tasks = `/proc/${pid}/task`;
    const threads = process.platform === 'linux' ? await readdir(tasks).catch(() => []) : [];
    let longest = 0;
    for (const thread of threads) {
      const total = waitingIn(await readFile(`${tasks}/${thread}/schedstat`, 'latin1').catch(() => ''));
      longest = Math.max(longest, total - (known.get(thread) ?? 0));
      known.set(thread, total);
    }
    return longest;
  };
}

/**
 * For synchronous work: returns a function that says whether this thread has run for `ms` milliseconds, not counting its
 * waits for a CPU (`waited` returns their total), or whether four times `ms` have passed.
 */
export function ownDeadline(ms: number, waited: () => number = threadWaiting): () => boolean {
  const start = performance.now();
  const before = waited();
  let end = start + ms;
  return () => {
    const now = performance.now();
    if (now < end) return false;
    end = start + Math.min(ms + waited() - before, MAX_TIMEOUT_FACTOR * ms);
    return now >= end;
  };
}

/** Reading the waiting time takes as long as parsing a small file, so it is read at most once in so many milliseconds. */
const FRESH_MS = 20;

let waiting = 0;
let readAt = -Infinity;

/** Milliseconds that this thread has waited for a CPU, as of a moment ago. Always 0 if the system does not report it. */
function threadWaiting(): number {
  const now = performance.now();
  if (now < readAt + FRESH_MS) return waiting;
  readAt = now;
  try {
    if (process.platform === 'linux') {
      waiting = waitingIn(readFileSync('/proc/thread-self/schedstat', 'latin1'));
    }
  } catch {
    // Not all systems with /proc have it.
  }
  return waiting;
}

/** The waiting time in milliseconds. Source: Documentation/scheduler/sched-stats.rst. */
function waitingIn(stat: string): number {
  return Number(stat.split(' ')[1] ?? 0) / 1e6;
}
