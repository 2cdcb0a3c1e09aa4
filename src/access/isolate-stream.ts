/**
 * Owns streaming work that may hang or swell on hostile input: it runs in a worker of its own that is fed and
 * read message by message, and ends with the call, whatever it is doing.
 */

import { Worker } from 'node:worker_threads';
import { OrielError } from '../errors.ts';

export interface StreamOptions {
  /** The worker's compiled entry. */
  readonly entry: URL;
  /** The worker's `workerData`. */
  readonly data: unknown;
  /** MiB of JavaScript heap; memory of WebAssembly is outside of it. */
  readonly heapMb: number;
  readonly signal: AbortSignal;
}

export interface Conversation {
  /** `transfer` moves to the worker instead of being copied. */
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  /** The worker's messages in order, one for each call. Throws when the worker ends or is ended before the next. */
  next(): Promise<unknown>;
  /** Ends the worker, also in the middle of its work. */
  end(): Promise<void>;
}

/** Workers at a time; further ones wait. */
const MOST_WORKERS = 4;
let running = 0;
const waiting: (() => void)[] = [];

/** Throws the signal's reason when it aborts before there is room for one more worker. */
export async function converse(options: StreamOptions): Promise<Conversation> {
  const { signal } = options;
  while (running >= MOST_WORKERS) await room(signal);
  if (signal.aborted) {
    // The room this call was given is the next one's.
    waiting.shift()?.();
    throw signal.reason;
  }
  running += 1;
  return begin(options);
}

function room(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const wake = (): void => {
      signal.removeEventListener('abort', leave);
      resolve();
    };
    const leave = (): void => {
      waiting.splice(waiting.indexOf(wake), 1);
      reject(signal.reason as Error);
    };
    waiting.push(wake);
    signal.addEventListener('abort', leave, { once: true });
  });
}

function begin({ entry, data, heapMb, signal }: StreamOptions): Conversation {
  const worker = new Worker(entry, {
    workerData: data,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 4 },
  });
  const arrived: unknown[] = [];
  let failure: unknown;
  let asked: { resolve(message: unknown): void; reject(error: unknown): void } | undefined;
  const fail = (error: unknown): void => {
    failure ??= error;
    asked?.reject(failure);
    asked = undefined;
  };
  const abort = (): void => {
    fail(signal.reason);
    void worker.terminate();
  };
  worker.on('message', (message) => {
    if (asked) asked.resolve(message);
    else arrived.push(message);
    asked = undefined;
  });
  worker.on('error', (error) => fail(worded(error)));
  worker.once('exit', () => {
    running -= 1;
    waiting.shift()?.();
    signal.removeEventListener('abort', abort);
    fail(new OrielError('INTERNAL', 'the isolated worker has ended'));
  });
  signal.addEventListener('abort', abort, { once: true });
  return {
    post: (message, transfer = []) => worker.postMessage(message, transfer),
    next() {
      if (arrived.length > 0) return Promise.resolve(arrived.shift());
      if (failure !== undefined) return Promise.reject(failure);
      return new Promise((resolve, reject) => {
        asked = { resolve, reject };
      });
    },
    async end() {
      await worker.terminate();
    },
  };
}

function worded(error: unknown): unknown {
  const outgrown = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return outgrown ? new OrielError('LIMIT', 'it needs more memory than is allowed') : error;
}
