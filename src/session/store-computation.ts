/** The computation of a value of the store, shared by all calls that wait for it. */

import type { ByteSource } from '../types/byte-source.ts';
import type { Computation, Computed, StoreUser } from '../types/store.ts';
import type { Backing } from './store-entry.ts';

interface Waiter<T> {
  readonly user: StoreUser;
  readonly of: ByteSource;
  resolve(value: T): void;
  reject(error: unknown): void;
  leave(): void;
}

export interface ComputationOptions<T> {
  readonly backing: Backing;
  make(computation: Computation): Promise<Computed<T>>;
  /** Called with the result. The returned function is then called for each waiter, without an `await` in between. */
  made(computed: Computed<T>): (of: ByteSource, user: StoreUser) => T;
  /** Called once: when the computation has succeeded or failed, or when no call waits for it any more. */
  over(): void;
  /** Disposes a value that was completed when no call waited for it any more. */
  unwanted(computed: Computed<T>): void;
}

export class SharedComputation<T> {
  readonly #options: ComputationOptions<T>;
  readonly #waiters = new Set<Waiter<T>>();
  #begun = false;
  #over = false;

  constructor(options: ComputationOptions<T>) {
    this.#options = options;
  }

  /** Waits for the value; the first call starts the computation. Rejects with its error, or when the user's signal aborts. */
  wait(of: ByteSource, user: StoreUser): Promise<T> {
    return new Promise((resolve, reject) => {
      const back = this.#options.backing.lend(of, user);
      const leave = (): void => {
        this.#waiters.delete(waiter);
        user.signal.removeEventListener('abort', abort);
        back();
      };
      const abort = (): void => {
        leave();
        reject(user.signal.reason as Error);
        if (this.#waiters.size === 0) this.#abandon();
      };
      const waiter: Waiter<T> = { user, of, resolve, reject, leave };
      this.#waiters.add(waiter);
      user.signal.addEventListener('abort', abort, { once: true });
      if (!this.#begun) void this.#run();
    });
  }

  /** Aborts the computation and rejects all waiters with `reason`. */
  cancel(reason: Error): void {
    this.#settle((waiter) => waiter.reject(reason));
    this.#abandon();
  }

  async #run(): Promise<void> {
    this.#begun = true;
    const { backing, make, made, unwanted } = this.#options;
    try {
      const { source, identity, signal } = backing;
      const progress = backing.progress.bind(backing);
      const result = await make({ source, identity, signal, progress });
      if (this.#over) return unwanted(result);
      this.#end();
      const take = made(result);
      this.#settle((waiter) => waiter.resolve(take(waiter.of, waiter.user)));
    } catch (error) {
      this.#end();
      this.#settle((waiter) => waiter.reject(error));
      backing.end();
    }
  }

  #settle(tell: (waiter: Waiter<T>) => void): void {
    for (const waiter of this.#waiters) {
      // The waiter starts to use the value before it leaves, so that there is always a lender of the bytes.
      tell(waiter);
      waiter.leave();
    }
  }

  #abandon(): void {
    this.#end();
    this.#options.backing.end();
  }

  #end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#options.over();
  }
}
