/**
 * Unpacks in a worker thread. The thread holds a slot of the queue while it works. While it waits for input or for its
 * consumer, the slot can be taken back: the thread is ended then, and a new one starts over on the next pull.
 */

import { converse } from '../../access/isolate-stream.ts';
import { builtFile } from '../../access/package-files.ts';
import { OrielError } from '../../errors.ts';
import type { Lease } from '../../queues/lease.ts';
import { queues } from '../../queues/queue-table.ts';
import { type Ask, inSpare, type Job, type Reply } from './unpack-messages.ts';

/** The packed bytes. A decoder that starts over reads them again. */
export interface PackedInput {
  /** Bytes. */
  readonly size: number;
  read(): AsyncIterable<Uint8Array>;
}

/** Packed bytes up to which an archive is unpacked quickly: it uses the queue for small ones. */
const SMALL = 1 << 20;

/** Heap of the worker in MiB; the memory of decoders is outside of it and has its own limits. */
const HEAP_MB = 64;

/**
 * The results of the job; bytes are valid until the next ones are asked for. Throws what the job threw, `LIMIT` when it
 * needs too much memory, `BUSY` when the queue is full, the signal's reason when aborted.
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
  /** Bytes (or list items) that the consumer has, and how many of them a new decoder still has to repeat. */
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

/** One worker from its start to its end. */
class Decoder<T extends Uint8Array | readonly unknown[]> {
  readonly #worker: ReturnType<typeof converse>;
  readonly #input: AsyncIterator<Uint8Array>;
  #reading = false;
  #ended = false;
  /** The last result: its buffer is given back with the next pull. */
  #last: unknown;

  constructor(job: Job, packed: PackedInput, signal: AbortSignal) {
    this.#input = packed.read()[Symbol.asyncIterator]();
    const entry = builtFile('sources/archive/unpack-worker.js');
    this.#worker = converse({ entry, data: job, heapMb: HEAP_MB, signal });
  }

  /** The next result. `closed`: the worker was ended while it waited for its input. */
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

  /** The thread has ended when this resolves. A pending read of the input may finish later; its bytes are dropped. */
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
