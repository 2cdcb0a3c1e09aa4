/** The cleanups of a call. Each runs exactly once, also one that is added after the call has ended. */

import { setImmediate } from 'node:timers/promises';
import { explained, type OnError, report } from './unexpected.ts';

/** Cleanups that run before the event loop gets control again; most take some microseconds. */
const AT_ONCE = 256;

/** Milliseconds that cancelled work has to stop before its descriptors are closed. */
const LINGER_MS = 1_000;

type Cleanup = () => void | Promise<void>;

export class Cleanups {
  readonly #onError: OnError | undefined;
  readonly #tool: string | undefined;
  /** In the order in which they were added. */
  readonly #kept = new Set<{ readonly run: Cleanup }>();
  #over = false;

  /** `onError` receives the errors of cleanups, with the name of the called tool. */
  constructor(onError?: OnError, tool?: string) {
    this.#onError = onError;
    this.#tool = tool;
  }

  /**
   * Adds a cleanup. If the call has ended (cancelled work may still open something), it runs immediately. The returned function
   * removes the cleanup; call it when the resource was closed earlier.
   */
  add(cleanup: Cleanup): () => void {
    const kept = { run: cleanup };
    if (this.#over) void this.#run(cleanup);
    else this.#kept.add(kept);
    return () => void this.#kept.delete(kept);
  }

  /** Runs all cleanups in reverse order: last opened, first closed. */
  async runAll(): Promise<void> {
    this.#over = true;
    const all = [...this.#kept].toReversed();
    this.#kept.clear();
    for (const [i, { run }] of all.entries()) {
      if (i > 0 && i % AT_ONCE === 0) await setImmediate();
      const running = this.#run(run);
      if (running) await running;
    }
  }

  /**
   * Runs the cleanups when cancelled `work` has ended or after `LINGER_MS`. The work reads until it notices the
   * cancellation, and the number of a closed descriptor may already be reused for another file.
   */
  runAfter(work: Promise<unknown>): void {
    const timer = setTimeout(() => void this.runAll(), LINGER_MS);
    timer.unref();
    const end = (): void => {
      clearTimeout(timer);
      void this.runAll();
    };
    work.then(end, end);
  }

  /** Undefined if the cleanup was synchronous. */
  #run(cleanup: Cleanup): Promise<void> | undefined {
    // A failed cleanup leaks a resource of this process; the answer is not affected.
    const tell = (error: unknown): void => report(this.#onError, explained(error), this.#tool);
    try {
      const closing: unknown = cleanup();
      return closing instanceof Promise ? closing.then(() => undefined, tell) : undefined;
    } catch (error) {
      tell(error);
      return undefined;
    }
  }
}
