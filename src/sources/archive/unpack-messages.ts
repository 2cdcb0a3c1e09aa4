/** The messages between the engine and the unpacking worker, which pulls its input and gives one result for each pull. */

import type { ErrorCode } from '../../errors.ts';

/** The work of the worker: unpack a stream, list the members of an archive, unpack one of them. */
export type Job =
  | { readonly do: 'bzip2' | 'xz' | 'zstd' | 'lz4' }
  | { readonly do: 'list'; readonly size: number }
  | { readonly do: 'member'; readonly size: number; readonly index: number };

/** To the worker: a pull, or input (the end of it when absent). */
export type Ask = { readonly pull: true; readonly spare?: ArrayBuffer } | { readonly input?: Uint8Array };

/** From the worker: `need` asks for input at any time; the others answer a pull. `trace`: stack of an unexpected error. */
export type Reply =
  | { readonly is: 'need'; readonly spare?: ArrayBuffer }
  | { readonly is: 'given'; readonly given: unknown }
  | { readonly is: 'end' }
  | { readonly is: 'error'; readonly code: ErrorCode; readonly message: string; readonly trace?: string };

/**
 * A copy of `bytes` to be transferred, in a buffer that the other thread gave back if there is one: new buffers would
 * accumulate by the hundred before either thread collects garbage.
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
