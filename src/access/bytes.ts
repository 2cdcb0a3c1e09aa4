/** Reads byte sources; and byte sources without a file: bytes in memory, a part of another source. */

import { type Derivation, Identity } from '../identity.ts';
import { HEAD_BYTES } from '../text/encoding.ts';
import type { ByteSource } from '../types/byte-source.ts';

/** Up to `length` bytes at `offset`; shorter only at the end. */
export async function readAt(
  source: ByteSource,
  offset: number,
  length: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const room = source.size === undefined ? length : Math.max(0, Math.min(length, source.size - offset));
  const target = Buffer.allocUnsafe(room);
  const got = room === 0 ? 0 : await source.readInto(target, offset, signal);
  return target.subarray(0, got);
}

const heads = new WeakMap<ByteSource, Uint8Array>();

/**
 * The first 4 KiB, from which the kind and the encoding are detected. Read once for each source and then
 * cached.
 */
export function headOf(source: ByteSource, signal?: AbortSignal): Uint8Array | Promise<Uint8Array> {
  return heads.get(source) ?? readHead(source, signal);
}

async function readHead(source: ByteSource, signal?: AbortSignal): Promise<Uint8Array> {
  const head = await readAt(source, 0, HEAD_BYTES, signal);
  heads.set(source, head);
  return head;
}

/**
 * Bytes that are already in memory: a rendered listing, a small converted text. Without an identity nothing
 * derived from them is cached.
 */
export function memoryBytes(
  content: Uint8Array | string,
  identity: Identity = Identity.once('memory'),
): ByteSource {
  const bytes = typeof content === 'string' ? Buffer.from(content, 'utf8') : content;
  return {
    size: bytes.length,
    identity,
    readInto(target, offset) {
      const part = bytes.subarray(offset, offset + target.length);
      target.set(part);
      return Promise.resolve(part.length);
    },
  };
}

const slice: Derivation<{ start: number; length: number }> = { name: 'slice' };

/** A view of the bytes `[start, start + length)` of another source, without a copy. */
export function sliceBytes(source: ByteSource, start: number, length: number): ByteSource {
  return {
    size: length,
    identity: source.identity.derive(slice, { start, length }),
    readInto(target, offset, signal) {
      const room = Math.max(0, Math.min(target.length, length - offset));
      return room === 0
        ? Promise.resolve(0)
        : source.readInto(target.subarray(0, room), start + offset, signal);
    },
    ...(source.changed ? { changed: () => source.changed?.() ?? Promise.resolve(false) } : {}),
    ...(source.remote && { remote: true }),
  };
}

/**
 * The bytes of a source from `start` (0-based, inclusive) to `end` (exclusive), in chunks. All chunks share one
 * buffer: each is valid until the next one is requested.
 */
export async function* chunksOf(
  source: ByteSource,
  start: number,
  end: number,
  chunk: number,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(Math.max(0, Math.min(chunk, end - start)));
  for (let at = start; at < end;) {
    signal?.throwIfAborted();
    const got = await source.readInto(buffer.subarray(0, end - at), at, signal);
    if (got === 0) return;
    yield buffer.subarray(0, got);
    at += got;
  }
}
