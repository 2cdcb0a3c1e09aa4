/** The shared store for sessions: hashed names, encrypted values, size limits, counters, and a circuit breaker. */

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import type { Queue, QueueSlot } from '../../../../src/queues/queue.ts';
import type {
  RemoteWork,
  SharedState,
  StateBackend,
  StateChange,
  StateListener,
  StateName,
  StateOperation,
  StateOutcome,
  StateSpace,
  StateStats,
} from '../../../../src/types/state.ts';
import { oriel } from '../oriel.ts';
import { WorkQueue, WorkSender } from './remote-work.ts';
import { MAX_STATE_VALUE_BYTES, MAX_SEALED_VALUE_CHARACTERS } from './values.ts';

/** The same refusal of the store is reported once in this many milliseconds. */
const REFUSALS_MS = 60_000;

interface SharedStateOptions {
  readonly seal: ValueSeal;
  readonly timeoutMs: number;
  /** Loads the client; it connects on first use. */
  readonly open: () => Promise<StateBackend>;
  /** Maximum concurrent operations; further ones wait. */
  readonly atOnce?: number | undefined;
  /** The URL of the Redis with the queues for workers; absent without workers. */
  readonly jobsUrl?: string | undefined;
}

type Counts = Record<StateOutcome, number>;

/** Operations that no read waits for may wait for a slot for this many timeouts. */
const BACKGROUND_WAITS = 30;

export class SharedStore implements SharedState {
  readonly #seal: ValueSeal;
  readonly #breaker: CircuitBreaker;
  readonly #open: () => Promise<StateBackend>;
  readonly #slots: Queue;
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
    this.#slots = new oriel.Queue('state', 'operations run', { limit: atOnce, waiting: Infinity });
    if (jobsUrl !== undefined)
      this.#sender = new WorkSender({ state: this, queue: new WorkQueue({ url: jobsUrl, timeoutMs }) });
    this.#breaker = new CircuitBreaker({
      timeoutMs,
      probe: async () => (await this.#store()).ping(),
      reset: async () => (await this.#store()).reset(),
      isRefusal: (error) => this.#isRefusal(error),
      onChange: (up, why) => {
        if (!up) this.#outages += 1;
        this.#tell(up ? { kind: 'back' } : { kind: 'away', why });
      },
      onRefused: (why) => {
        const last = this.#told.get(why);
        if (last !== undefined && performance.now() - last < REFUSALS_MS) return;
        this.#told.set(why, performance.now());
        this.#tell({ kind: 'refused', why });
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
    const isBounded = sealed.length <= MAX_SEALED_VALUE_CHARACTERS;
    const bytes = isBounded ? this.#seal.open(key, sealed) : undefined;
    if (!bytes) return this.#count('get', 'refused', undefined);
    this.#bytesRead += sealed.length;
    return this.#count('get', 'ok', bytes);
  }

  async #put(key: string, bytes: Uint8Array, ttl: number): Promise<boolean> {
    if (bytes.length > MAX_STATE_VALUE_BYTES) return this.#count('put', 'refused', false);
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
  async #use<T>(
    use: (store: StateBackend) => Promise<T>,
    within: number = BACKGROUND_WAITS * this.#timeoutMs,
  ): Promise<T | typeof AWAY | typeof REFUSED> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), within);
    let slot: QueueSlot;
    try {
      slot = await this.#slots.acquire({ signal: late.signal, caller: this });
    } catch {
      return AWAY;
    } finally {
      clearTimeout(timer);
    }
    try {
      // Loading the packages does not count for the timeout. A failure is reported by the operation below.
      await this.#store().catch(() => undefined);
      return await this.#breaker.run(async () => use(await this.#store()));
    } finally {
      slot.release();
    }
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

// A circuit breaker: a slow or unavailable store must not block reads. Each operation has a short timeout. After a timeout
// no other operation is tried until the store has answered a probe in the background. If the store answers with an error,
// only that operation has failed.

const INITIAL_PROBE_MS = 250;
const LAST_PROBE_MS = 10_000;

interface BreakerOptions {
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
const AWAY = 'away';

/** The result if the store answered with an error. */
const REFUSED = 'refused';

export class CircuitBreaker {
  readonly #options: BreakerOptions;
  #up = true;
  /** How often the breaker was opened. */
  #openings = 0;
  #wait = INITIAL_PROBE_MS;
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
      return await oriel.inTime(use(), this.#options.timeoutMs);
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
    if (performance.now() - this.#upSince > LAST_PROBE_MS) this.#wait = INITIAL_PROBE_MS;
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
      await oriel.inTime(reset(), timeoutMs);
      await oriel.inTime(probe(), timeoutMs);
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
  const { code, message = '' } = Object(error) as { code?: unknown; message?: string | undefined };
  if (typeof code === 'string' && /^[A-Z0-9_]{1,40}$/.test(code)) return code;
  if (/^no answer within \d+ ms$/.test(message)) return message;
  // The first word of an error of Redis: `WRONGPASS …`, `OOM …`, `READONLY …`.
  return /^([A-Z]{2,20})\b/.exec(message)?.[1] ?? 'the connection failed';
}

// Encrypts and authenticates the values of a shared store. Someone who can read the store cannot read the values; someone
// who can write to it cannot change them or move them to another key. Not prevented: removing a value, and restoring an
// older value of the same key.

/** Changed with the layout: values of another version count as missing. */
const VERSION = 'oriel-1';

const IV_BYTES = 16;
const MAC_BYTES = 32;

/** Encrypt-then-MAC: AES-256-CTR, and HMAC-SHA-256 over the version, the key, the IV and the ciphertext. */
export class ValueSeal {
  readonly #names: Buffer;
  readonly #cipher: Buffer;
  readonly #mac: Buffer;

  /** `secret`: the key of the operator, the same on all replicas. */
  constructor(secret: Uint8Array) {
    const derived = (use: string): Buffer => Buffer.from(hkdfSync('sha256', secret, VERSION, use, 32));
    this.#names = derived('names');
    this.#cipher = derived('cipher');
    this.#mac = derived('mac');
  }

  /** A keyed hash of `text`, which reveals nothing without the secret. */
  nameOf(text: string): string {
    return createHmac('sha256', this.#names).update(text).digest('base64url');
  }

  close(key: string, bytes: Uint8Array): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-ctr', this.#cipher, iv);
    const encrypted = cipher.update(bytes);
    return `${VERSION}.${Buffer.concat([iv, this.#macOf(key, iv, encrypted), encrypted]).toString('base64')}`;
  }

  /** The decrypted bytes; undefined unless they were encrypted under this key, with this secret, in this version. */
  open(key: string, sealed: string): Buffer | undefined {
    if (!sealed.startsWith(`${VERSION}.`)) return undefined;
    const bytes = Buffer.from(sealed.slice(VERSION.length + 1), 'base64');
    if (bytes.length < IV_BYTES + MAC_BYTES) return undefined;
    const iv = bytes.subarray(0, IV_BYTES);
    const mac = bytes.subarray(IV_BYTES, IV_BYTES + MAC_BYTES);
    const encrypted = bytes.subarray(IV_BYTES + MAC_BYTES);
    if (!timingSafeEqual(mac, this.#macOf(key, iv, encrypted))) return undefined;
    return createDecipheriv('aes-256-ctr', this.#cipher, iv).update(encrypted);
  }

  #macOf(key: string, iv: Uint8Array, encrypted: Uint8Array): Buffer {
    const front = JSON.stringify([VERSION, key]);
    return createHmac('sha256', this.#mac)
      .update(`${front.length}:${front}`)
      .update(iv)
      .update(encrypted)
      .digest();
  }
}
