/** What a call has opened. All of it is closed once, also what is opened when the call is over. */

import { explained, type OnError, report } from './unexpected.ts';

/** How long cancelled work may take to stop reading, in ms. */
const LINGER_MS = 1_000;

type Cleanup = () => void | Promise<void>;

export class Cleanups {
  readonly #onError: OnError | undefined;
  readonly #tool: string | undefined;
  readonly #kept: Cleanup[] = [];
  #over = false;

  /** `onError` hears of cleanups that fail, with the name of the tool that was called. */
  constructor(onError?: OnError, tool?: string) {
    this.#onError = onError;
    this.#tool = tool;
  }

  /** Cancelled work may still open something: then it is closed at once. */
  add(cleanup: Cleanup): void {
    if (this.#over) void this.#run(cleanup);
    else this.#kept.push(cleanup);
  }

  /** Last opened, first closed. */
  async runAll(): Promise<void> {
    this.#over = true;
    for (const cleanup of this.#kept.splice(0).toReversed()) await this.#run(cleanup);
  }

  /**
   * For work that nobody waits for any more: it reads until it notices, and a descriptor that is closed meanwhile may
   * be another file's a moment later. Work that does not end in time loses its descriptors all the same.
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

  async #run(cleanup: Cleanup): Promise<void> {
    try {
      await cleanup();
    } catch (error) {
      // It is lost to this process only; the answer stands.
      report(this.#onError, explained(error), this.#tool);
    }
  }
}
