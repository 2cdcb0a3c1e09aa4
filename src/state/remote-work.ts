/**
 * Sends work to remote workers: stores an encrypted order and its input in the shared store, adds a job to a queue, and
 * polls the record of the job. If the result is late or not authentic, the work is done in this process.
 */

import { setTimeout as pause } from 'node:timers/promises';
import type { SharedState, StateSpace } from '../types/state.ts';
import type { RemoteWork, WorkOrder, WorkOutcome } from '../types/work.ts';
import type { WorkQueue } from './work-queue.ts';
import {
  aliveName,
  cacheName,
  DEAD_MS,
  inputName,
  isFresh,
  type JobRecord,
  MissingPiece,
  MOST_INPUT,
  ORDER_MS,
  orderName,
  piecesOf,
  putJson,
  putPieces,
  queueOf,
  readJson,
  RECORD_MS,
  recordName,
  resultName,
  type StoredOrder,
  WORK_SPACE,
} from './work-values.ts';

/** Maximum concurrent orders of this process; further work is done here. */
const MOST_SENT = 8;

/** After this many milliseconds without a heartbeat of a worker the work is done here. */
const SILENCE_MS = 4_000;

/** Milliseconds between two polls of a record: at first, and at most. */
const FIRST_LOOK_MS = 10;
const LAST_LOOK_MS = 200;

type Options = Parameters<RemoteWork['run']>[1];

const HERE: WorkOutcome = { is: 'here' };

/** A piece that is too short, which ends the sending. */
const NOTHING = new Uint8Array(0);

/** Reasons of a worker for which the replica does the work itself: the result is too large, or would not be valid for it. */
const LOCAL: ReadonlySet<string> = new Set(['large', 'here']);

export interface SenderOptions {
  readonly state: Pick<SharedState, 'space' | 'nameOf'>;
  readonly queue: WorkQueue;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
}

export class WorkSender {
  readonly #state: SenderOptions['state'];
  readonly #queue: WorkQueue;
  readonly #work: StateSpace;
  readonly #now: () => number;
  #sent = 0;

  constructor({ state, queue, now = Date.now }: SenderOptions) {
    this.#state = state;
    this.#queue = queue;
    this.#work = state.space(WORK_SPACE);
    this.#now = now;
  }

  /** The remote work of a session whose cache is in that space. */
  of(space: string): RemoteWork {
    return {
      hasWorkers: (work) => this.#hasWorkers(work),
      run: (order, options) => this.#run(space, order, options),
    };
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  async #run(space: string, order: WorkOrder, options: Options): Promise<WorkOutcome> {
    if (this.#sent >= MOST_SENT || order.bytes > MOST_INPUT) return HERE;
    this.#sent += 1;
    try {
      if (!(await this.#hasWorkers(order))) return HERE;
      const id = this.#state.nameOf(JSON.stringify(['work', space, order.kind, order.version, order.key]));
      const cache = this.#state.space(space);
      const earlier = await this.#outcome(id, cache, order, options);
      if (earlier) return earlier;
      if (!(await this.#send(id, space, order, options))) return HERE;
      return await this.#follow(id, cache, order, options);
    } finally {
      this.#sent -= 1;
    }
  }

  /** An entry that is too old is ignored: someone may have put it back into the store. */
  async #hasWorkers(work: Parameters<RemoteWork['hasWorkers']>[0]): Promise<boolean> {
    const alive = await readJson<{ at: number }>(this.#work, aliveName(queueOf(work)));
    return alive !== undefined && alive !== 'away' && Math.abs(this.#now() - alive.at) < RECORD_MS + DEAD_MS;
  }

  /** False if the store refuses it or it takes too long. */
  async #send(id: string, space: string, order: WorkOrder, { signal, giveUpAt }: Options): Promise<boolean> {
    const { kind, key, head, bytes, sha256 } = order;
    const read = (start: number, length: number): Promise<Uint8Array> => {
      signal.throwIfAborted();
      return isLate(giveUpAt) ? Promise.resolve(NOTHING) : order.read(start, length);
    };
    const stored: StoredOrder = { space, kind, key, head, bytes, sha256 };
    return (
      (await putPieces(this.#work, inputName(id), read, bytes, ORDER_MS)) &&
      (await putJson(this.#work, orderName(id), stored, ORDER_MS)) &&
      this.#queue.add(queueOf(order), id)
    );
  }

  async #follow(id: string, cache: StateSpace, order: WorkOrder, options: Options): Promise<WorkOutcome> {
    const { signal, giveUpAt } = options;
    let [heardAt, heard, wait] = [performance.now(), '', FIRST_LOOK_MS];
    for (;;) {
      await pause(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
      wait = Math.min(wait * 1.5, LAST_LOOK_MS);
      const record = await readJson<JobRecord>(this.#work, recordName(id));
      if (record === 'away') return HERE;
      const outcome = record && (await this.#outcomeOf(record, id, cache, order, options));
      if (outcome) return outcome;
      const now = performance.now();
      const sign = JSON.stringify(record);
      if (sign !== heard) [heardAt, heard] = [now, sign];
      if (now - heardAt <= SILENCE_MS && !isLate(giveUpAt)) continue;
      // Removes the order of a job that was not begun: a worker drops a job without an order, so it is not done twice.
      if (record === undefined) await this.#work.remove(orderName(id));
      return HERE;
    }
  }

  async #outcome(
    id: string,
    cache: StateSpace,
    order: WorkOrder,
    options: Options,
  ): Promise<WorkOutcome | undefined> {
    const record = await readJson<JobRecord>(this.#work, recordName(id));
    return record && record !== 'away' ? this.#outcomeOf(record, id, cache, order, options) : undefined;
  }

  /** Undefined if there is no outcome yet, or if its result is gone. */
  async #outcomeOf(
    record: JobRecord,
    id: string,
    cache: StateSpace,
    { key }: WorkOrder,
    { giveUpAt }: Options,
  ): Promise<WorkOutcome | undefined> {
    if (record.is === 'working') return undefined;
    if (record.is === 'failed') {
      if (!isFresh(record, this.#now())) return undefined;
      return LOCAL.has(record.why) ? HERE : { is: 'failed', why: record.why };
    }
    if (record.bytes === undefined) {
      const result = await cache.get(cacheName(key));
      return result instanceof Uint8Array ? { is: 'done', result, isCached: true } : undefined;
    }
    const result = await this.#large(id, record.bytes, giveUpAt);
    if (result === 'late') return HERE;
    if (result) return { is: 'done', result, isCached: false };
    // Otherwise a worker that finds the record would take the job for done.
    await this.#work.remove(recordName(id));
    return undefined;
  }

  async #large(id: string, bytes: number, giveUpAt: number): Promise<Buffer | 'late' | undefined> {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of piecesOf(this.#work, resultName(id), bytes)) {
        if (isLate(giveUpAt)) return 'late';
        pieces.push(piece);
      }
    } catch (error) {
      if (error instanceof MissingPiece) return undefined;
      throw error;
    }
    return Buffer.concat(pieces);
  }
}

function isLate(giveUpAt: number): boolean {
  return performance.now() > giveUpAt;
}
