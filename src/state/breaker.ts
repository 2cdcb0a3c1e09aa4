/**
 * Keeps a store that is slow or away from holding up reads: each use has a short timeout, and after one that failed no
 * other is tried until the store has answered a probe in the background.
 */

const FIRST_PROBE_MS = 250;
const LAST_PROBE_MS = 10_000;

export interface BreakerOptions {
  /** Milliseconds that one use of the store may take. */
  readonly timeoutMs: number;
  /** Whether the store answers: rejects where it does not. */
  readonly probe: () => Promise<void>;
  /** Gives up what does not answer. */
  readonly reset: () => Promise<void>;
  readonly onChange: (up: boolean, why: string) => void;
}

/** The store does not answer, or was not asked. */
export const AWAY = 'away';

export class Breaker {
  readonly #options: BreakerOptions;
  #up = true;
  #wait = FIRST_PROBE_MS;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  get up(): boolean {
    return this.#up;
  }

  /** What `use` gives, or `'away'`. Never throws. */
  async run<T>(use: () => Promise<T>): Promise<T | typeof AWAY> {
    if (!this.#up || this.#closed) return AWAY;
    try {
      return await this.#inTime(use);
    } catch (error) {
      if (this.#up && !this.#closed) this.#open(reasonOf(error));
      return AWAY;
    }
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #open(why: string): void {
    this.#up = false;
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
      await this.#options.reset();
      await this.#inTime(this.#options.probe);
    } catch {
      // Still away.
      if (!this.#closed) this.#probeLater();
      return;
    }
    if (this.#closed) return;
    this.#up = true;
    this.#wait = FIRST_PROBE_MS;
    this.#options.onChange(true, '');
  }

  async #inTime<T>(use: () => Promise<T>): Promise<T> {
    const { timeoutMs } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    });
    try {
      return await Promise.race([use(), late]);
    } finally {
      clearTimeout(timer);
    }
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
