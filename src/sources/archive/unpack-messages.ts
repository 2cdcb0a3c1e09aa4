/** What is said between the engine and the unpacking worker, which is fed when it asks and gives one thing at a time. */

import type { ErrorCode } from '../../errors.ts';

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
