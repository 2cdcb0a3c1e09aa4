/** Worker threads for untrusted input: they exchange messages, have a limited heap, and can be terminated at any time. */

import { Worker } from 'node:worker_threads';
import { OrielError } from '../errors.ts';
import { errno, isShortage } from '../files/system-failure.ts';
import type { Queue, QueueClaim } from '../queues/queue.ts';
import { cpuWaitMeter, startOwnTimer } from './cpu-timeout.ts';
import { IdleWorkers } from './idle-workers.ts';
import { RUNTIME } from './runtime.ts';
import { endingOf, LOADED, withLock } from './worker-ending.ts';

interface WorkerStartOptions {
  /** The built entry. */
  readonly entry: URL;
  /** Maximum MiB of JavaScript heap; memory of WebAssembly does not count. */
  readonly heapMb: number;
  /** Maximum MiB of its young generation; V8's default when absent. */
  readonly youngMb?: number | undefined;
  /** Its `workerData`. */
  readonly data?: unknown;
}

/** What is said of a thread that has failed. */
interface WorkerFailureWords {
  readonly memory: string;
  readonly start: string;
  readonly ended: string;
  /** For any other error; without it the error itself is thrown. */
  readonly other?: string | undefined;
}

/** A thread without our environment and output. */
export class WorkerThread {
  readonly #worker: Worker;
  readonly #terminate: () => Promise<void>;
  readonly #arrived: unknown[] = [];
  /** What is sent when it has loaded its modules: under Deno a message is lost that arrives before somebody listens. */
  #held: (() => void)[] | undefined = RUNTIME === 'deno' ? [] : undefined;
  #failure: unknown;
  #isEnding = false;
  #reason: unknown;
  #asked: { resolve(message: unknown): void; reject(error: unknown): void } | undefined;
  #signal: AbortSignal | undefined;

  /** Throws OrielError (`BUSY`) if no thread can be started. */
  constructor(options: WorkerStartOptions, words: WorkerFailureWords) {
    this.#worker = startWorker(options);
    this.#terminate = endingOf(this.#worker);
    this.#worker.on('message', (message) => {
      if (message === LOADED) return this.#sendHeld();
      if (this.#asked) this.#asked.resolve(message);
      else this.#arrived.push(message);
      this.#asked = undefined;
    });
    this.#worker.on('error', (error) => this.#fail(worded(error, words)));
    this.#worker.once('exit', () => {
      this.#signal?.removeEventListener('abort', this.#abort);
      this.#fail(this.#reason ?? new OrielError('INTERNAL', words.ended));
    });
  }

  get alive(): boolean {
    return this.#failure === undefined && !this.#isEnding;
  }

  /** `transfer` moves to the worker instead of being copied. */
  post(message: unknown, transfer: readonly ArrayBuffer[] = []): void {
    const send = (): void => this.#worker.postMessage(message, transfer);
    if (this.#held) this.#held.push(send);
    else send();
  }

  /** The next message of the worker. Throws if the worker ends before it. */
  next(): Promise<unknown> {
    if (this.#arrived.length > 0) return Promise.resolve(this.#arrived.shift());
    if (this.#failure !== undefined) return Promise.reject(this.#failure as Error);
    return new Promise((resolve, reject) => {
      this.#asked = { resolve, reject };
    });
  }

  /** Works for a call: it keeps this process alive, and ends when `signal` aborts. */
  work(signal: AbortSignal): void {
    this.#signal = signal;
    signal.addEventListener('abort', this.#abort, { once: true });
    this.ref(true);
  }

  /** Works for no call any more: it does not keep this process alive. */
  rest(): void {
    this.#signal?.removeEventListener('abort', this.#abort);
    this.#signal = undefined;
    this.ref(false);
  }

  /** Whether it keeps this process alive. */
  ref(on: boolean): void {
    if (on) this.#worker.ref();
    else this.#worker.unref();
  }

  /** Terminates the worker, even in the middle of its work. `reason`: what `next` throws when it has ended. */
  async end(reason?: unknown): Promise<void> {
    this.#isEnding = true;
    this.#reason ??= reason;
    await this.#terminate();
  }

  readonly #abort = (): void => {
    this.#fail(this.#signal?.reason);
    void this.end();
  };

  #sendHeld(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const send of held) send();
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#asked?.reject(this.#failure);
    this.#asked = undefined;
  }
}

/** Throws OrielError (`BUSY`) if no thread can be started. */
export function startWorker({ entry, heapMb, youngMb, data }: WorkerStartOptions): Worker {
  const resourceLimits: { maxOldGenerationSizeMb: number; maxYoungGenerationSizeMb?: number | undefined } = {
    maxOldGenerationSizeMb: heapMb,
  };
  if (youngMb !== undefined) resourceLimits.maxYoungGenerationSizeMb = youngMb;
  try {
    // Its output is not forwarded to that of this process.
    const own = { env: {}, execArgv: [], stdout: true, stderr: true };
    return withLock(() => new Worker(entry, { workerData: data, ...own, resourceLimits }));
  } catch (error) {
    if (!isStartFailure(error)) throw error;
    throw new OrielError('BUSY', 'No worker thread could be started. Call again.', { cause: error });
  }
}

function worded(cause: unknown, words: WorkerFailureWords): unknown {
  if (errno(cause) === 'ERR_WORKER_OUT_OF_MEMORY') return new OrielError('LIMIT', words.memory, { cause });
  if (isStartFailure(cause)) return new OrielError('BUSY', words.start, { cause });
  return words.other === undefined ? cause : new OrielError('INTERNAL', words.other, { cause });
}

/** Whether a worker's `error` is that it could not be started for lack of descriptors or other resources. */
export function isStartFailure(error: unknown): boolean {
  return isShortage(error) || errno(error) === 'ERR_WORKER_INIT_FAILED' || isUnreadConfig(error);
}

/** Node 26 reads a package.json before the first module. Without a descriptor for it, its error has no code, only this message. */
function isUnreadConfig(error: unknown): boolean {
  return error instanceof Error && /^Cannot read package config .*: too many open files/i.test(error.message);
}

/** The second halves of sentences; the caller adds the name of the input. */
const CONVERSATION_WORDS: WorkerFailureWords = {
  memory: 'it needs more memory than is allowed',
  start: 'no worker thread could be started for it',
  ended: 'the isolated worker has ended',
};

/** Starts a worker for streaming work of one call. The caller must limit their number, because it knows which are idle. */
export function startConversation(
  options: WorkerStartOptions & { readonly signal: AbortSignal },
): WorkerThread {
  options.signal.throwIfAborted();
  const thread = new WorkerThread({ youngMb: 4, ...options }, CONVERSATION_WORDS);
  thread.work(options.signal);
  return thread;
}

// A pool of workers that do one job at a time. At a timeout or a cancellation one is asked to stop, and terminated if it
// does not. It receives descriptors and bytes, never paths. Its entry answers each message `{ job, stop }` with
// `{ reply, retire? }`, and soon when `stop[0]` becomes non-zero.

interface PoolOptions<Job> extends WorkerStartOptions {
  /** Each running thread holds one of its slots. */
  readonly queue: Queue;
  /** An idle thread ends after this many milliseconds. */
  readonly idleMs: number;
  /** The memory of a job that moves to the thread instead of being copied. */
  readonly moves?: ((job: Job) => readonly ArrayBuffer[]) | undefined;
}

/**
 * Lets the lent worker do a job. `until`: the deadline on the clock of `performance.now()`. It is extended by the time that
 * the thread waited for a CPU, up to `latest` if that is given.
 */
type AskWorker<Job, Reply> = (
  job: Job,
  until: number,
  signal: AbortSignal,
  latest?: number,
) => Promise<Reply>;

/** Milliseconds that a thread has to stop by itself. */
const GRACE_MS = 40;

/** Values of `stop`, which is 0 while the job should continue. */
const CANCELLED = 1;
const OUT_OF_TIME = 2;

const JOB_WORDS: WorkerFailureWords = {
  memory: 'The work needs more memory than it may have.',
  start: 'No worker thread could be started. Call again.',
  ended: 'The worker ended before it answered.',
  other: 'The worker thread failed.',
};

export class WorkerPool<Job, Reply> {
  readonly #options: PoolOptions<Job>;
  readonly #idle: IdleWorkers<WorkerThread>;

  constructor(options: PoolOptions<Job>) {
    this.#options = options;
    this.#idle = new IdleWorkers(options.idleMs);
  }

  /**
   * Waits for a worker and lends it to `act`. Open descriptors in `act`, because a thousand calls may be waiting for a
   * worker; but do slow preparation before. Throws the signal's reason when it aborts, and `BUSY`.
   */
  async lend<T>(claim: QueueClaim, act: (ask: AskWorker<Job, Reply>) => Promise<T>): Promise<T> {
    return this.#options.queue.run(async () => {
      let thread: WorkerThread | undefined;
      try {
        return await act((job, until, signal, latest) => {
          if (!thread?.alive) thread = this.#idle.take() ?? new WorkerThread(this.#options, JOB_WORDS);
          return ask(thread, { job, moved: this.#options.moves?.(job) }, until, signal, latest);
        });
      } finally {
        if (thread) this.#idle.add(thread);
      }
    }, claim);
  }

  /** Whether there is an idle thread. */
  get hasIdle(): boolean {
    return this.#idle.size > 0;
  }

  /** Ends all idle threads. */
  close(): Promise<void> {
    return this.#idle.close();
  }
}

async function ask<Job, Reply>(
  thread: WorkerThread,
  { job, moved }: { readonly job: Job; readonly moved?: readonly ArrayBuffer[] | undefined },
  until: number,
  signal: AbortSignal,
  latest: number = until,
): Promise<Reply> {
  signal.throwIfAborted();
  const stop = new Int32Array(new SharedArrayBuffer(4));
  let timer: NodeJS.Timeout | undefined;
  const halt = (why: number, reason: unknown): void => {
    Atomics.store(stop, 0, why);
    stopTimer();
    clearTimeout(timer);
    // The caller closes the thread's descriptors next, so the thread must end before this rejects.
    timer = setTimeout(() => void thread.end(reason), GRACE_MS);
  };
  const cancel = (): void => halt(CANCELLED, signal.reason);
  signal.addEventListener('abort', cancel, { once: true });
  const now = performance.now();
  const stopTimer = startOwnTimer(
    Math.max(0, until - now),
    latest > until ? cpuWaitMeter(process.pid) : () => Promise.resolve(0),
    () => halt(OUT_OF_TIME, new OrielError('TIMEOUT', 'The work took too long and was stopped.')),
    Math.max(0, latest - now),
  );
  try {
    thread.ref(true);
    thread.post({ job, stop }, moved);
    const { reply, retire } = (await thread.next()) as {
      readonly reply: Reply;
      readonly retire?: boolean | undefined;
    };
    if (retire) void thread.end();
    return reply;
  } finally {
    stopTimer();
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
    thread.ref(false);
  }
}
