/** The cancellation of a call: answers at its timeout, or when its caller cancels it, even if the work still runs. */

import { startTimer } from '../access/timer.ts';
import { isOrielError, OrielError } from '../errors.ts';
import { onAbort } from '../queues/on-abort.ts';

/** The abort reason after the answer. Created once, because nobody needs its stack trace. */
const OVER = new OrielError('CANCELLED', 'The call is over.');

export interface CancellationOptions {
  /** The caller's signal. */
  readonly signal?: AbortSignal | undefined;
  /** Infinity for no timeout. */
  readonly timeoutMs: number;
  /** Milliseconds that the work may take to answer after it was cancelled; 0 for not waiting. */
  readonly graceMs: number;
  /** A sentence for the timeout error: what to call instead. */
  readonly advice: string;
}

export class Cancellation {
  readonly #controller = new AbortController();
  readonly #graceMs: number;
  readonly #stopTimer: () => void;
  #stopListening = (): void => undefined;
  #graceTimer: NodeJS.Timeout | undefined;
  #work: Promise<unknown> | undefined;
  #abandon: (reason: unknown) => void = () => undefined;

  constructor({ signal, timeoutMs, graceMs, advice }: CancellationOptions) {
    this.#graceMs = graceMs;
    this.#stopTimer = startTimer(timeoutMs, () => this.#abort(timedOut(timeoutMs, advice)));
    const cancel = (): void =>
      this.#abort(new OrielError('CANCELLED', 'The call was cancelled.', { cause: signal?.reason }));
    if (signal?.aborted) cancel();
    else if (signal) this.#stopListening = onAbort(signal, cancel);
  }

  /** Aborts when the caller cancels, at the timeout, and by `close`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Work that still runs although its call was answered. */
  get unfinished(): Promise<unknown> | undefined {
    return this.#work;
  }

  /** Starts the work and settles with it, or rejects with the abort reason. Throws that reason if already aborted. */
  race<T>(start: () => Promise<T>): Promise<T> {
    if (this.#graceMs === 0) this.signal.throwIfAborted();
    const work = start();
    this.#work = work;
    return new Promise((resolve, reject) => {
      this.#abandon = reject;
      work.then(
        (result) => {
          this.#work = undefined;
          resolve(result);
        },
        (error: unknown) => {
          this.#work = undefined;
          // The abort reason is more informative than the error that a library throws when its signal aborts.
          reject(this.signal.aborted && !isOrielError(error) ? this.signal.reason : error);
        },
      );
    });
  }

  close(): void {
    this.#stopTimer();
    this.#stopListening();
    clearTimeout(this.#graceTimer);
    this.#controller.abort(OVER);
  }

  #abort(reason: OrielError): void {
    this.#controller.abort(reason);
    if (this.#graceMs === 0) this.#abandon(reason);
    else this.#graceTimer ??= setTimeout(() => this.#abandon(reason), this.#graceMs).unref();
  }
}

function timedOut(ms: number, advice: string): OrielError {
  return new OrielError('TIMEOUT', `The call took longer than ${ms / 1000} seconds and was ended. ${advice}`);
}
