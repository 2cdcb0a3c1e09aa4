/** The cleanups of a call: each runs once, also one that is added when the call has ended. */

import { setImmediate } from 'node:timers/promises';
import { explained, type OnError, report } from './unexpected.ts';

/** Cleanups in one turn of the event loop: most take some microseconds. */
const AT_ONCE = 256;

/** Milliseconds that cancelled work has to stop before its descriptors are closed under it. */
const LINGER_MS = 1_000;

type Cleanup = () => void | Promise<void>;

export class Cleanups {
  readonly #onError: OnError | undefined;
  readonly #tool: string | undefined;
  /** In the order in which they were added. */
  readonly #kept = new Set<{ readonly run: Cleanup }>();
  #over = false;

  /** `onError` receives what cleanups throw, with the name of the tool that was called. */
  constructor(onError?: OnError, tool?: string) {
    this.#onError = onError;
    this.#tool = tool;
  }

  /**
   * Cancelled work may still open something after the call: then it is closed at once. The returned function
   * removes the cleanup, if it was done already.
   */
  add(cleanup: Cleanup): () => void {
    const kept = { run: cleanup };
    if (this.#over) void this.#run(cleanup);
    else this.#kept.add(kept);
    return () => void this.#kept.delete(kept);
  }

  /** Last opened, first closed. */
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
   * Runs them when cancelled `work` has ended, because it reads until it notices the cancel, and the number
   * of a closed descriptor may be reused for another file. Work that does not end in time loses its
   * descriptors.
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
    // A failed cleanup leaks in this process only; the answer is not affected.
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
