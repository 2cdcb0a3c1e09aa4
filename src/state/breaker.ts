/**
 * A circuit breaker: a slow or unavailable store must not block reads. Each operation has a short timeout. After a timeout
 * no other operation is tried until the store has answered a probe in the background. If the store answers with an error,
 * only that operation has failed.
 */

import { inTime } from './in-time.ts';

const FIRST_PROBE_MS = 250;
const LAST_PROBE_MS = 10_000;

export interface BreakerOptions {
  /** Timeout of an operation, in milliseconds. */
  readonly timeoutMs: number;
  /** Checks whether the store answers; rejects if it does not. */
  readonly probe: () => Promise<void>;
  /** Closes connections that do not answer. */
  readonly reset: () => Promise<void>;
  /** Whether an error is the store's reply to one operation, so that others may succeed. */
  readonly isRefusal: (error: unknown) => boolean;
  readonly onChange: (up: boolean, why: string) => void;
  readonly onRefused: (why: string) => void;
}

/** The result if the store did not answer, or was not asked. */
export const AWAY = 'away';

/** The result if the store answered with an error. */
export const REFUSED = 'refused';

export class Breaker {
  readonly #options: BreakerOptions;
  #up = true;
  /** How often the breaker was opened. */
  #openings = 0;
  #wait = FIRST_PROBE_MS;
  #upSince = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  get up(): boolean {
    return this.#up;
  }

  /** The result of `use`, or `'away'` or `'refused'`. Never throws. */
  async run<T>(use: () => Promise<T>): Promise<T | typeof AWAY | typeof REFUSED> {
    if (!this.#up || this.#closed) return AWAY;
    const openings = this.#openings;
    try {
      return await inTime(use(), this.#options.timeoutMs);
    } catch (error) {
      if (this.#options.isRefusal(error)) {
        this.#options.onRefused(reasonOf(error));
        return REFUSED;
      }
      // The failure of an operation that began before an outage does not open the breaker again after the outage.
      if (this.#up && !this.#closed && openings === this.#openings) this.#open(reasonOf(error));
      return AWAY;
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #open(why: string): void {
    this.#up = false;
    this.#openings += 1;
    // If the store fails again soon after a probe, the backoff continues.
    if (performance.now() - this.#upSince > LAST_PROBE_MS) this.#wait = FIRST_PROBE_MS;
    this.#options.onChange(false, why);
    this.#probeLater();
  }

  #probeLater(): void {
    this.#timer = setTimeout(() => void this.#probe(), this.#wait);
    this.#timer.unref();
    this.#wait = Math.min(this.#wait * 2, LAST_PROBE_MS);
  }

  async #probe(): Promise<void> {
    try {
      const { reset, probe, timeoutMs } = this.#options;
      await inTime(reset(), timeoutMs);
      await inTime(probe(), timeoutMs);
    } catch {
      // Still unavailable.
      if (!this.#closed) this.#probeLater();
      return;
    }
    if (this.#closed) return;
    this.#up = true;
    this.#upSince = performance.now();
    this.#options.onChange(true, '');
  }
}

/** The error code of a client library. Its message is not used, because it may contain the URL with a password. */
function reasonOf(error: unknown): string {
  const { code, message = '' } = Object(error) as { code?: unknown; message?: string };
  if (typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code)) return code;
  if (/^no answer within \d+ ms$/.test(message)) return message;
  // The first word of an error of Redis: `WRONGPASS …`, `OOM …`, `READONLY …`.
  return /^([A-Z]{2,20})\b/.exec(message)?.[1] ?? 'the connection failed';
}
