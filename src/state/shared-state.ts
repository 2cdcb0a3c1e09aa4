/** The shared store for sessions: hashed names, encrypted values, size limits, counters, and a circuit breaker. */

import type {
  SharedState,
  StateBackend,
  StateChange,
  StateListener,
  StateName,
  StateOperation,
  StateOutcome,
  StateSpace,
  StateStats,
} from '../types/state.ts';
import type { RemoteWork } from '../types/work.ts';
import { MOST_SEALED, MOST_VALUE } from './bounds.ts';
import { AWAY, Breaker, REFUSED } from './breaker.ts';
import { WorkSender } from './remote-work.ts';
import type { Seal } from './sealed.ts';
import { Slots } from './slots.ts';
import { WorkQueue } from './work-queue.ts';

/** The same refusal of the store is reported once in this many milliseconds. */
const REFUSALS_MS = 60_000;

export interface SharedStateOptions {
  readonly seal: Seal;
  readonly timeoutMs: number;
  /** Loads the client; it connects on first use. */
  readonly open: () => Promise<StateBackend>;
  /** Maximum concurrent operations; further ones wait. */
  readonly atOnce?: number;
  /** The URL of the Redis with the queues for workers; absent without workers. */
  readonly jobsUrl?: string;
}

type Counts = Record<StateOutcome, number>;

/** Operations that no read waits for may wait for a slot for this many timeouts. */
const BACKGROUND_WAITS = 30;

export class SharedStore implements SharedState {
  readonly #seal: Seal;
  readonly #breaker: Breaker;
  readonly #open: () => Promise<StateBackend>;
  readonly #slots: Slots;
  readonly #listeners: StateListener[] = [];
  /** When each refusal was reported last. */
  readonly #told = new Map<string, number>();
  readonly #operations = new Map<StateOperation, Counts>();
  readonly #sender: WorkSender | undefined;
  #backend: Promise<StateBackend> | undefined;
  #opened: StateBackend | undefined;
  #connected: Promise<void> | undefined;
  #outages = 0;
  #bytesRead = 0;
  #bytesWritten = 0;

  readonly #timeoutMs: number;

  constructor({ seal, timeoutMs, open, atOnce = 64, jobsUrl }: SharedStateOptions) {
    this.#seal = seal;
    this.#open = open;
    this.#timeoutMs = timeoutMs;
    this.#slots = new Slots(atOnce);
    if (jobsUrl !== undefined)
      this.#sender = new WorkSender({ state: this, queue: new WorkQueue({ url: jobsUrl, timeoutMs }) });
    this.#breaker = new Breaker({
      timeoutMs,
      probe: async () => (await this.#store()).ping(),
      reset: async () => (await this.#store()).reset(),
      isRefusal: (error) => this.#isRefusal(error),
      onChange: (up, why) => {
        if (!up) this.#outages += 1;
        this.#tell(up ? { is: 'back' } : { is: 'away', why });
      },
      onRefused: (why) => {
        const last = this.#told.get(why);
        if (last !== undefined && performance.now() - last < REFUSALS_MS) return;
        this.#told.set(why, performance.now());
        this.#tell({ is: 'refused', why });
      },
    });
  }

  space(name: string): StateSpace {
    const at = this.#seal.nameOf(JSON.stringify(['space', name])).slice(0, 22);
    const keyOf = ({ kind, of }: StateName): string =>
      `oriel:${kind}:${at}:${this.#seal.nameOf(JSON.stringify([name, kind, of]))}`;
    const isUp = (): boolean => this.#breaker.up;
    return {
      get isUp() {
        return isUp();
      },
      get: (value) => this.#get(keyOf(value)),
      put: (value, bytes, ttl) => this.#put(keyOf(value), bytes, ttl),
      remove: async (value) => {
        const done = await this.#use((store) => store.remove(keyOf(value)));
        this.#count('remove', done === AWAY || done === REFUSED ? done : 'ok');
      },
      add: async (value, by, start, ttl) => {
        const sum = await this.#use((store) => store.add(keyOf(value), by, start, ttl));
        const isNumber = typeof sum === 'number' && Number.isSafeInteger(sum);
        this.#count('add', sum === AWAY ? 'away' : isNumber ? 'ok' : 'refused');
        return isNumber ? sum : AWAY;
      },
    };
  }

  nameOf(text: string): string {
    return this.#seal.nameOf(text);
  }

  work(space: string): RemoteWork | undefined {
    return this.#sender?.of(space);
  }

  stats(): StateStats {
    return {
      up: this.#breaker.up,
      outages: this.#outages,
      operations: this.#operations,
      bytesRead: this.#bytesRead,
      bytesWritten: this.#bytesWritten,
    };
  }

  onChange(listener: StateListener): void {
    this.#listeners.push(listener);
  }

  connected(): Promise<void> {
    return (this.#connected ??= this.#use((store) => store.ping()).then(() => undefined));
  }

  async close(): Promise<void> {
    this.#breaker.close();
    await this.#sender?.close();
    const backend = await this.#backend?.catch(() => undefined);
    // An unavailable store does not delay the end of the process.
    await backend?.close().catch(() => undefined);
  }

  async #get(key: string): Promise<Buffer | typeof AWAY | undefined> {
    const sealed = await this.#use((store) => store.get(key), this.#timeoutMs);
    // The answer of a store is not trusted.
    if (sealed === AWAY) return this.#count('get', 'away', AWAY);
    if (sealed === REFUSED) return this.#count('get', 'refused', undefined);
    if (typeof sealed !== 'string') return this.#count('get', 'missing', undefined);
    const isBounded = sealed.length <= MOST_SEALED;
    const bytes = isBounded ? this.#seal.open(key, sealed) : undefined;
    if (!bytes) return this.#count('get', 'refused', undefined);
    this.#bytesRead += sealed.length;
    return this.#count('get', 'ok', bytes);
  }

  async #put(key: string, bytes: Uint8Array, ttl: number): Promise<boolean> {
    if (bytes.length > MOST_VALUE) return this.#count('put', 'refused', false);
    const sealed = this.#seal.close(key, bytes);
    const done = await this.#use((store) => store.set(key, sealed, ttl));
    if (done === AWAY || done === REFUSED) return this.#count('put', done, false);
    this.#bytesWritten += sealed.length;
    return this.#count('put', 'ok', true);
  }

  #store(): Promise<StateBackend> {
    return (this.#backend ??= this.#open().then((backend) => (this.#opened = backend)));
  }

  /** `within`: maximum milliseconds to wait for a slot; after that the result is `'away'`. */
  #use<T>(
    use: (store: StateBackend) => Promise<T>,
    within: number = BACKGROUND_WAITS * this.#timeoutMs,
  ): Promise<T | typeof AWAY | typeof REFUSED> {
    const inTurn = async (): Promise<T | typeof AWAY | typeof REFUSED> => {
      // Loading the packages does not count for the timeout. A failure is reported by the operation below.
      await this.#store().catch(() => undefined);
      return this.#breaker.run(async () => use(await this.#store()));
    };
    return this.#slots.run(inTurn, within, AWAY);
  }

  #isRefusal(error: unknown): boolean {
    return this.#opened?.isRefusal(error) === true;
  }

  #tell(change: StateChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  #count<T = void>(operation: StateOperation, outcome: StateOutcome, value?: T): T {
    let counts = this.#operations.get(operation);
    if (!counts) {
      counts = { ok: 0, missing: 0, refused: 0, away: 0 };
      this.#operations.set(operation, counts);
    }
    counts[outcome] += 1;
    return value as T;
  }
}
