/** Ends a call before its work does: at its timeout, or when its caller cancels it. */

import { startTimer } from '../access/timer.ts';
import { isOrielError, OrielError } from '../errors.ts';
import { onAbort } from '../queues/on-abort.ts';

/** Created once: work that still runs after the answer needs no stack trace. */
const OVER = new OrielError('CANCELLED', 'The call is over.');

export interface CancellationOptions {
  /** That of the caller. */
  readonly signal?: AbortSignal | undefined;
  /** Infinity for no timeout. */
  readonly timeoutMs: number;
  /** Milliseconds that the work may take to answer after it was cancelled; 0 for not waiting. */
  readonly graceMs: number;
  /** What to call instead when the time is over: a sentence. */
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

  /** Aborted by the caller, at the timeout, and by `close`. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Work that continues although its call was answered. */
  get unfinished(): Promise<unknown> | undefined {
    return this.#work;
  }

  /**
   * Settles with the work, or rejects with the reason of the abort. Throws that reason if it was aborted
   * before.
   */
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
          // The reason says more than the error that a library throws when its signal aborts.
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
