/** The messages between the engine and the unpacking worker. The worker pulls its input and gives one result per pull. */

import type { ErrorCode } from '../../errors.ts';

/** The job of a worker: unpack a stream, list the members of an archive, or unpack one of them. */
export type UnpackJob =
  | { readonly kind: 'bzip2' | 'xz' | 'zstd' }
  | { readonly kind: 'list'; readonly size: number }
  | { readonly kind: 'member'; readonly size: number; readonly index: number };

/** Messages to the worker: a pull of a result, or input (absent at its end). */
export type UnpackRequest =
  | { readonly pull: true; readonly spare?: ArrayBuffer | undefined }
  | { readonly input?: Uint8Array | undefined };

/** Messages from the worker: `need` requests input; the others answer a pull. `trace` is the stack of an unexpected error. */
export type UnpackReply =
  | { readonly kind: 'need'; readonly spare?: ArrayBuffer | undefined }
  | { readonly kind: 'given'; readonly given: unknown }
  | { readonly kind: 'end' }
  | {
      readonly kind: 'error';
      readonly code: ErrorCode;
      readonly message: string;
      readonly trace?: string | undefined;
    };

/**
 * A copy of `bytes` for a transfer, in a buffer that the other thread has returned if there is one. New buffers would
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
