/** Adds jobs to the BullMQ queues in the Redis of the shared store. A job has only an id; its encrypted order is stored separately. */

import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { inTime } from './in-time.ts';
import { MOST_ATTEMPTS } from './work-values.ts';

/** Prefix of the keys of the queues. */
export const PREFIX = 'oriel';

/** Maximum waiting jobs of a queue; above that, replicas do the work themselves. */
const MOST_WAITING = 64;

/** Maximum number and age in seconds of ended jobs that BullMQ keeps. */
const ENDED = { count: 100, age: 24 * 60 * 60 };

/** After a failure no job is added for this many milliseconds. */
const REST_MS = 5_000;

export interface WorkQueueOptions {
  readonly url: string;
  /** Timeout of an operation, in milliseconds. */
  readonly timeoutMs: number;
}

interface Connected {
  readonly redis: Redis;
  readonly queues: Map<string, Queue>;
  readonly library: typeof import('bullmq');
  readonly ready: Promise<void>;
}

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  #connected: Promise<Connected> | undefined;
  #restsUntil = 0;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Returns false if the job was not added. A job that is in the queue already is not added twice. Never throws. */
  async add(name: string, id: string): Promise<boolean> {
    if (performance.now() < this.#restsUntil) return false;
    try {
      const connected = await (this.#connected ??= this.#connect());
      const added = connected.ready.then(() => addTo(queueOf(connected, name), id));
      return await inTime(added, this.#options.timeoutMs);
    } catch {
      this.#restsUntil = performance.now() + REST_MS;
      await this.close();
      return false;
    }
  }

  async close(): Promise<void> {
    const connected = await this.#connected?.catch(() => undefined);
    this.#connected = undefined;
    connected?.redis.disconnect();
  }

  /** Loading the packages does not count for the timeout. */
  async #connect(): Promise<Connected> {
    const { url, timeoutMs } = this.#options;
    const [library, { Redis }] = await Promise.all([import('bullmq'), import('ioredis')]);
    const redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: timeoutMs,
      // After a connection error there are no retries; the next job connects again.
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
    });
    redis.on('error', () => undefined);
    // An idle connection does not keep the process alive. The timer of a pending operation does.
    const ready = redis.connect().then(() => void redis.stream.unref());
    ready.catch(() => undefined);
    return { redis, queues: new Map(), library, ready };
  }
}

function queueOf({ redis, queues, library }: Connected, name: string): Queue {
  let queue = queues.get(name);
  if (!queue) {
    queue = new library.Queue(name, { connection: redis, prefix: PREFIX, skipVersionCheck: true });
    queue.on('error', () => undefined);
    queues.set(name, queue);
  }
  return queue;
}

async function addTo(queue: Queue, id: string): Promise<boolean> {
  if ((await queue.getWaitingCount()) >= MOST_WAITING) return false;
  await queue.add(
    'job',
    {},
    // `deduplication` instead of a job id: an ended job that is still kept must not prevent the same job.
    { deduplication: { id }, attempts: MOST_ATTEMPTS, removeOnComplete: ENDED, removeOnFail: ENDED },
  );
  return true;
}
