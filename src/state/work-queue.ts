/** Puts jobs on the queues of BullMQ, in the Redis of the shared store. What a job is to do is not in it: its order is sealed. */

import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { inTime } from './in-time.ts';
import { MOST_ATTEMPTS } from './work-values.ts';

/** Front of the keys of its queues. */
export const PREFIX = 'oriel';

/** Jobs that wait in one queue; with more of them work is done where it is asked for. */
const MOST_WAITING = 64;

/** Jobs of one queue that have ended and are still shown, and for how many seconds: those of no other kind of value expire. */
const ENDED = { count: 100, age: 24 * 60 * 60 };

/** Milliseconds in which nothing is put on a queue after that failed. */
const REST_MS = 5_000;

export interface WorkQueueOptions {
  readonly url: string;
  /** Milliseconds that one use may take. */
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

  /** False if the queue does not take it. A job that is on its queue already stays there once. Never throws. */
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

  /** To load its packages is not the time of the store. */
  async #connect(): Promise<Connected> {
    const { url, timeoutMs } = this.#options;
    const [library, { Redis }] = await Promise.all([import('bullmq'), import('ioredis')]);
    const redis = new Redis(url, {
      lazyConnect: true,
      connectTimeout: timeoutMs,
      // A connection that broke is given up, and another is made by the next job.
      retryStrategy: () => null,
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
    });
    redis.on('error', () => undefined);
    // At rest it keeps no process alive; what waits for an answer has a timer that does.
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
    // A job that has ended is one that dashboards show, and none that keeps the same from being done again.
    { deduplication: { id }, attempts: MOST_ATTEMPTS, removeOnComplete: ENDED, removeOnFail: ENDED },
  );
  return true;
}
