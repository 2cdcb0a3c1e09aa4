/**
 * Background work that continues after its call, such as refreshing a cached page. It ends with its session.
 */

import { OrielError } from '../errors.ts';
import type { Background } from '../types/session.ts';

export class BackgroundWork implements Background {
  readonly #controller = new AbortController();
  readonly #running = new Set<Promise<void>>();

  start(work: (signal: AbortSignal) => Promise<void>): void {
    const { signal } = this.#controller;
    if (signal.aborted) return;
    const done = work(signal)
      .catch(() => undefined)
      .finally(() => this.#running.delete(done));
    this.#running.add(done);
  }

  async idle(ms: number, signal?: AbortSignal): Promise<void> {
    if (this.#running.size === 0 || signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      signal?.addEventListener('abort', () => resolve(), { once: true });
      void this.#all().then(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Cancels running work and waits for its end. */
  async close(): Promise<void> {
    this.#controller.abort(new OrielError('CANCELLED', 'The session is closed.'));
    await this.#all();
  }

  async #all(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
