/**
 * Streaming work that may hang or need too much memory on hostile input: it runs in a separate worker thread, which
 * is fed and read message by message and can be ended at any moment.
 */

import { OrielError } from '../errors.ts';
import { isOutgrown, isStartFailure, type StartOptions, startWorker } from './isolate-start.ts';
import { endingOf, LOADED } from './worker-loading.ts';

export interface StreamOptions extends StartOptions {
  readonly signal: AbortSignal;
}

export interface Conversation {
  /** `transfer` moves to the worker instead of being copied. */
  post(message: unknown, transfer?: readonly ArrayBuffer[]): void;
  /** The worker's messages in order, one for each call. Throws when the worker ends or is ended before the next. */
  next(): Promise<unknown>;
  /** Ends the worker, also in the middle of its work. */
  end(): Promise<void>;
  /** For a worker that has said its last: it waits for `idleMs` without keeping the process alive, then it ends. */
  rest(idleMs: number, gone: () => void): void;
  /** Continues with a worker that rests, for another signal. False when it has ended. */
  wake(signal: AbortSignal): boolean;
}

/** Starts the worker. How many there are is for the caller to bound: it knows when one works, and when it rests. */
export function converse({ signal: first, ...options }: StreamOptions): Conversation {
  first.throwIfAborted();
  let signal = first;
  let restTimer: NodeJS.Timeout | undefined;
  const worker = startWorker({ youngMb: 4, ...options });
  const arrived: unknown[] = [];
  let failure: unknown;
  let asked: { resolve(message: unknown): void; reject(error: unknown): void } | undefined;
  const fail = (error: unknown): void => {
    failure ??= error;
    asked?.reject(failure);
    asked = undefined;
  };
  const end = endingOf(worker);
  const abort = (): void => {
    fail(signal.reason);
    void end();
  };
  worker.on('message', (message) => {
    if (message === LOADED) return;
    if (asked) asked.resolve(message);
    else arrived.push(message);
    asked = undefined;
  });
  worker.on('error', (error) => fail(worded(error)));
  worker.once('exit', () => {
    clearTimeout(restTimer);
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
    end,
    rest(idleMs, gone) {
      signal.removeEventListener('abort', abort);
      worker.unref();
      restTimer = setTimeout(() => {
        gone();
        void end();
      }, idleMs).unref();
    },
    wake(next) {
      clearTimeout(restTimer);
      if (failure !== undefined) return false;
      signal = next;
      signal.addEventListener('abort', abort, { once: true });
      worker.ref();
      return true;
    },
  };
}

/** As half a sentence about what was worked on: whoever asked knows its name. */
function worded(error: unknown): unknown {
  if (isOutgrown(error))
    return new OrielError('LIMIT', 'it needs more memory than is allowed', { cause: error });
  return isStartFailure(error)
    ? new OrielError('BUSY', 'no worker thread could be started for it', { cause: error })
    : error;
}
