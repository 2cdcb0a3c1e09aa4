/**
 * Owns the facts that an image states about itself in its header: size, channels, alpha, orientation, frames.
 * Nothing is decoded; READERS hop from part to part by declared lengths and give up after a bounded number of hops,
 * so that neither a 256 MiB comment nor a million empty blocks costs anything.
 */

import { readAt } from '../../access/bytes.ts';
import { OrielError } from '../../errors.ts';
import type { ByteSource } from '../../types/byte-source.ts';

export interface ImageHeader {
  /** Pixels as stored, before any orientation is applied. */
  readonly width: number;
  readonly height: number;
  readonly channels?: number;
  readonly alpha?: boolean;
  /** EXIF orientation, 1 to 8; absent where none is stated. */
  readonly orientation?: number;
  /** Frames or icons, where there can be more than one; `atLeast` when counting was cut short. */
  readonly frames?: { readonly count: number; readonly atLeast?: boolean; readonly unit?: 'icon' };
  /** Bytes that a decoder holds for each pixel because it cannot work row by row; absent where it can. */
  readonly held?: number;
}

/** Hops over blocks, chunks, boxes or segments before a header is given up as hostile. */
export const MOST_HOPS = 4096;

export function cutShort(what: string): OrielError {
  return new OrielError('CORRUPT', `The ${what} is cut short or damaged in its header.`);
}

/** What is read at once: hopping over small parts must not cost a read each. */
const BLOCK = 64 * 1024;

/** Reads parts of a header; a part that is not wholly there is a cut image. */
export class HeaderReader {
  readonly #source: ByteSource;
  readonly #what: string;
  readonly #signal: AbortSignal | undefined;
  #block: Buffer = Buffer.alloc(0);
  /** Byte offset of the block. */
  #at = 0;

  constructor(source: ByteSource, what: string, signal?: AbortSignal) {
    this.#source = source;
    this.#what = what;
    this.#signal = signal;
  }

  /** Exactly `length` bytes at `offset`; throws CORRUPT when there are fewer. */
  async need(offset: number, length: number): Promise<Buffer> {
    const bytes = await this.some(offset, length);
    if (bytes.length < length) throw cutShort(this.#what);
    return bytes;
  }

  /** Up to `length` bytes at `offset`. */
  async some(offset: number, length: number): Promise<Buffer> {
    if (offset < this.#at || offset + length > this.#at + this.#block.length) {
      const bytes = await readAt(this.#source, offset, Math.max(length, BLOCK), this.#signal);
      this.#block = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      this.#at = offset;
    }
    return this.#block.subarray(offset - this.#at, offset - this.#at + length);
  }
}
