/**
 * Owns streaming work that may hang or swell on hostile input: it runs in a worker of its own that is fed and
 * read message by message, and ends with the call, whatever it is doing.
 */

import { OrielError } from '../errors.ts';
import { isOutgrown, type StartOptions, startWorker } from './isolate-start.ts';
import { Turns } from './turns.ts';
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
}

/** Workers at a time; further ones wait. */
const turns = new Turns(4);

/** Throws the signal's reason when it aborts before there is room for one more worker. */
export async function converse({ signal, ...options }: StreamOptions): Promise<Conversation> {
  await turns.take(signal);
  try {
    signal.throwIfAborted();
    return begin(options, signal);
  } catch (error) {
    turns.give();
    throw error;
  }
}

/** The worker gives the turn back when it ends. */
function begin(options: StartOptions, signal: AbortSignal): Conversation {
  const worker = startWorker({ ...options, youngMb: 4 });
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
    turns.give();
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
  };
}

/** As half a sentence about what was worked on: whoever asked knows its name. */
function worded(error: unknown): unknown {
  return isOutgrown(error)
    ? new OrielError('LIMIT', 'it needs more memory than is allowed', { cause: error })
    : error;
}
