/** Owns the conversation with the unpacking worker: it is fed when it asks, and gives one thing at a time. */

import { converse } from '../../access/isolate-stream.ts';
import { builtFile } from '../../access/package-files.ts';
import type { ErrorCode } from '../../errors.ts';
import { OrielError } from '../../errors.ts';

/** What the worker is to do with its input: unpack a stream, list an archive's members, unpack one of them. */
export type Job =
  | { readonly do: 'bzip2' | 'xz' | 'zstd' }
  | { readonly do: 'list'; readonly size: number }
  | { readonly do: 'member'; readonly size: number; readonly index: number };

/** To the worker: give me the next thing; here is input (none left when absent). */
export type Ask = { readonly pull: true; readonly spare?: ArrayBuffer } | { readonly input?: Uint8Array };

/** From the worker: input is needed, at any time; the others answer a pull. `trace`: the stack of an unexpected error. */
export type Reply =
  | { readonly is: 'need'; readonly spare?: ArrayBuffer }
  | { readonly is: 'given'; readonly given: unknown }
  | { readonly is: 'end' }
  | { readonly is: 'error'; readonly code: ErrorCode; readonly message: string; readonly trace?: string };

/**
 * A copy of `bytes` to be handed over, in a buffer that came back from the other side if there is one: fresh
 * buffers would pile up by the hundred before either side collects its garbage.
 */
export function inSpare(bytes: Uint8Array, spare: ArrayBuffer | undefined): Uint8Array<ArrayBuffer> {
  const fits = spare !== undefined && spare.byteLength >= bytes.length;
  const copy = new Uint8Array(
    fits ? spare : new ArrayBuffer(Math.max(bytes.length, SPARE_BYTES)),
    0,
    bytes.length,
  );
  copy.set(bytes);
  return copy;
}

const SPARE_BYTES = 256 << 10;

/** Heap of the worker in MiB; decoders keep their data outside of it and are bounded by themselves. */
const HEAP_MB = 64;

/**
 * What the job gives; bytes are valid until the next are asked for. Throws what it threw, `LIMIT` when it outgrew
 * its memory, the signal's reason when aborted.
 */
export async function* pullFromWorker<T>(
  job: Job,
  packed: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const input = packed[Symbol.asyncIterator]();
  const entry = builtFile('sources/archive/unpack-worker.js');
  const worker = await converse({ entry, data: job, heapMb: HEAP_MB, signal });
  const post = (ask: Ask, buffer?: ArrayBuffer): void => worker.post(ask, buffer ? [buffer] : []);
  try {
    post({ pull: true });
    for (;;) {
      const reply = (await worker.next()) as Reply;
      if (reply.is === 'end') return;
      if (reply.is === 'error') throw new OrielError(reply.code, reply.message, { cause: reply.trace });
      if (reply.is === 'need') {
        const step = await input.next();
        if (step.done) post({});
        else {
          const chunk = inSpare(step.value, reply.spare);
          post({ input: chunk }, chunk.buffer);
        }
        continue;
      }
      yield reply.given as T;
      const spare = reply.given instanceof Uint8Array ? (reply.given.buffer as ArrayBuffer) : undefined;
      post({ pull: true, ...(spare && { spare }) }, spare);
    }
  } finally {
    await input.return?.();
    await worker.end();
  }
}
