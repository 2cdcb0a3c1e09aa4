/**
 * Runs streaming work that may hang or take too much memory on hostile input in a worker thread, which exchanges messages
 * and can be terminated at any time.
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
  /** The next message of the worker. Throws if the worker ends before it. */
  next(): Promise<unknown>;
  /** Terminates the worker, even in the middle of its work. */
  end(): Promise<void>;
  /** Makes a worker idle: it does not keep the process alive, and ends after `idleMs`. */
  rest(idleMs: number, gone: () => void): void;
  /** Uses an idle worker again, with another signal. False if it has ended. */
  wake(signal: AbortSignal): boolean;
}

/** Starts a worker. The caller must limit their number, because it knows which are idle. */
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

/** The error as the second half of a sentence; the caller adds the name of the input. */
function worded(error: unknown): unknown {
  if (isOutgrown(error))
    return new OrielError('LIMIT', 'it needs more memory than is allowed', { cause: error });
  return isStartFailure(error)
    ? new OrielError('BUSY', 'no worker thread could be started for it', { cause: error })
    : error;
}
