/**
 * Keeps a store that is slow or unavailable from blocking reads: a circuit breaker. Each operation has a
 * short timeout, and after a timeout no other operation is tried until the store has answered a probe in the
 * background. What the store answers with an error has failed alone: the store is there.
 */

import { inTime } from './in-time.ts';

const FIRST_PROBE_MS = 250;
const LAST_PROBE_MS = 10_000;

export interface BreakerOptions {
  /** Milliseconds that one use of the store may take. */
  readonly timeoutMs: number;
  /** Whether the store answers: rejects where it does not. */
  readonly probe: () => Promise<void>;
  /** Gives up what does not answer. */
  readonly reset: () => Promise<void>;
  /** Whether an error is the store's answer to one use of it, and says nothing about others. */
  readonly isRefusal: (error: unknown) => boolean;
  readonly onChange: (up: boolean, why: string) => void;
  readonly onRefused: (why: string) => void;
}

/** The store does not answer, or was not asked. */
export const AWAY = 'away';

/** The store has answered with an error. */
export const REFUSED = 'refused';

export class Breaker {
  readonly #options: BreakerOptions;
  #up = true;
  /** Times that it was opened. */
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

  /** What `use` gives, `'away'` or `'refused'`. Never throws. */
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
      // What began before the store was unavailable, and fails when it is back, is of that outage.
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
    // One that fails soon after its probe is probed ever more rarely anyway.
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
      // Still away.
      if (!this.#closed) this.#probeLater();
      return;
    }
    if (this.#closed) return;
    this.#up = true;
    this.#upSince = performance.now();
    this.#options.onChange(true, '');
  }
}

/** Of errors of the clients of stores only the code: their messages may hold the URL, and with it a password. */
function reasonOf(error: unknown): string {
  const { code, message = '' } = Object(error) as { code?: unknown; message?: string };
  if (typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code)) return code;
  if (/^no answer within \d+ ms$/.test(message)) return message;
  // `WRONGPASS …`, `OOM …`, `READONLY …`: the word with which Redis begins.
  return /^([A-Z]{2,20})\b/.exec(message)?.[1] ?? 'the connection failed';
}
