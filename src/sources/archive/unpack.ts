/**
 * Unpacks in a worker thread, which holds a slot of its queue while it works. While it waits for input or for its consumer,
 * the slot can be revoked: then the thread is ended, and the next pull starts a new one from the beginning. No thread is used
 * for two archives.
 */

import { converse } from '../../access/isolate-stream.ts';
import { builtFile } from '../../access/package-files.ts';
import { OrielError } from '../../errors.ts';
import type { Lease } from '../../queues/lease.ts';
import { queues } from '../../queues/queue-table.ts';
import { type Ask, inSpare, type Job, type Reply } from './unpack-messages.ts';

/** The packed bytes. They can be read several times, because a decoder may have to start again. */
export interface PackedInput {
  /** The number of bytes. */
  readonly size: number;
  read(): AsyncIterable<Uint8Array>;
}

/** Archives of up to this many packed bytes use the queue for small archives, because they are unpacked quickly. */
const SMALL = 1 << 20;

/** The heap of the worker in MiB. Memory of decoders is outside the heap and has its own limits. */
const HEAP_MB = 64;

/**
 * Yields the results of the job. The buffer of a chunk is reused for the next one. Throws the error of the job, `LIMIT` if it
 * needs too much memory, `BUSY` if the queue is full, and the reason of the signal.
 */
export async function* pullFromWorker<T extends Uint8Array | readonly unknown[]>(
  job: Job,
  packed: PackedInput,
  signal: AbortSignal,
): AsyncGenerator<T> {
  let decoder: Decoder<T> | undefined;
  const close = async (): Promise<void> => {
    const ended = decoder;
    decoder = undefined;
    await ended?.end();
  };
  const queue = packed.size <= SMALL ? queues.unpackSmall : queues.unpack;
  const lease = queue.lease({ signal }, close);
  /** The number of bytes (or list items) that the consumer got, and how many of these a new decoder still has to skip. */
  let given = 0;
  let again = 0;
  try {
    for (;;) {
      await lease.work();
      if (!decoder) {
        decoder = new Decoder(job, packed, signal);
        again = given;
      }
      const next = await decoder.next(lease);
      if (next === 'closed') continue;
      if (next === 'end') {
        if (again > 0) throw new OrielError('BUSY', 'it was changed while it was read; call again');
        return;
      }
      const skipped = Math.min(again, next.length);
      again -= skipped;
      if (skipped === next.length && skipped > 0) continue;
      given += next.length - skipped;
      lease.rest();
      yield skipped === 0 ? next : behind(next, skipped);
    }
  } finally {
    await lease.end();
  }
}

function behind<T extends Uint8Array | readonly unknown[]>(things: T, skipped: number): T {
  return (things instanceof Uint8Array ? things.subarray(skipped) : things.slice(skipped)) as T;
}

/** One worker thread, from its start to its end. */
class Decoder<T extends Uint8Array | readonly unknown[]> {
  readonly #worker: ReturnType<typeof converse>;
  readonly #input: AsyncIterator<Uint8Array>;
  #reading = false;
  #ended = false;
  /** The last result; its buffer is returned with the next pull. */
  #last: unknown;

  constructor(job: Job, packed: PackedInput, signal: AbortSignal) {
    this.#input = packed.read()[Symbol.asyncIterator]();
    const entry = builtFile('sources/archive/unpack-worker.js');
    this.#worker = converse({ entry, data: job, heapMb: HEAP_MB, signal });
  }

  /** The next result. `closed` means that the worker was ended while it waited for input. */
  async next(lease: Lease): Promise<T | 'end' | 'closed'> {
    const spare = this.#last instanceof Uint8Array ? (this.#last.buffer as ArrayBuffer) : undefined;
    this.#post({ pull: true, ...(spare && { spare }) }, spare);
    for (;;) {
      const reply = (await this.#worker.next()) as Reply;
      if (reply.is === 'end') return 'end';
      if (reply.is === 'error') throw new OrielError(reply.code, reply.message, { cause: reply.trace });
      if (reply.is === 'given') {
        this.#last = reply.given;
        return reply.given as T;
      }
      lease.rest();
      const input = await this.#read();
      await lease.work();
      if (this.#ended) return 'closed';
      if (!input) this.#post({});
      else {
        const chunk = inSpare(input, reply.spare);
        this.#post({ input: chunk }, chunk.buffer);
      }
    }
  }

  /** Resolves when the thread has ended. A pending read of the input may finish later; its bytes are dropped. */
  async end(): Promise<void> {
    this.#ended = true;
    const isRead = this.#reading;
    const closed = this.#input.return?.().catch(() => undefined);
    await this.#worker.end();
    if (!isRead) await closed;
  }

  async #read(): Promise<Uint8Array | undefined> {
    this.#reading = true;
    try {
      const step = await this.#input.next();
      return step.done ? undefined : step.value;
    } finally {
      this.#reading = false;
    }
  }

  #post(ask: Ask, buffer?: ArrayBuffer): void {
    this.#worker.post(ask, buffer ? [buffer] : []);
  }
}
