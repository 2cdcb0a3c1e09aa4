/** A remote object as a `ByteSource`. It requests few, large parts, all of the same version. */

import { OrielError } from '../../errors.ts';
import type { Identity } from '../../identity.ts';
import { quote } from '../../text/visible.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import { objectLimits } from './object-limits.ts';
import type { Part } from './part.ts';

export interface RangeBytesOptions {
  /** The form of the object in paths. */
  readonly name: string;
  readonly size: number;
  readonly identity: Identity;
  readonly elsewhere?: NonNullable<ByteSource['elsewhere']>;
  /** The number of requests that may still be made. */
  readonly requests: number;
  /**
   * Reads bytes `start` to `end` (exclusive) of the version that was opened, or fewer from `start` on. Throws `BUSY` if the
   * object has changed.
   */
  read(start: number, end: number, signal: AbortSignal | undefined): Promise<Part>;
}

type Chunk = Pick<Part, 'start' | 'bytes'>;

export class RangeBytes implements ByteSource {
  readonly size: number;
  readonly identity: Identity;
  readonly remote = true;
  readonly elsewhere?: NonNullable<ByteSource['elsewhere']>;
  readonly #options: RangeBytesOptions;
  /** Cached parts, most recently used last. */
  readonly #chunks: Chunk[] = [];
  #left: number;
  /** Requests run one at a time, because the next read may find its bytes in the reply. */
  #turn: Promise<unknown> = Promise.resolve();
  /** The end of the last part, and the read-ahead for a sequential read from there. */
  #end = -1;
  #ahead: number = objectLimits.behind;

  constructor(options: RangeBytesOptions) {
    this.#options = options;
    this.size = options.size;
    this.identity = options.identity;
    if (options.elsewhere) this.elsewhere = options.elsewhere;
    this.#left = options.requests;
  }

  /** Adds bytes that were already read to the cache. */
  hold(part: Chunk): void {
    if (part.bytes.length === 0) return;
    this.#chunks.push(part);
    if (this.#end === -1) this.#end = part.start + part.bytes.length;
    let held = this.#chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
    while (held > objectLimits.held && this.#chunks.length > 1)
      held -= this.#chunks.shift()?.bytes.length ?? 0;
  }

  async readInto(target: Uint8Array, offset: number, signal?: AbortSignal): Promise<number> {
    const end = Math.min(offset + target.length, this.size);
    let at = offset;
    while (at < end) {
      signal?.throwIfAborted();
      const got = this.#copy(target.subarray(at - offset, end - offset), at);
      if (got === 0)
        await this.#inTurn(() => (this.#chunkAt(at) ? Promise.resolve() : this.#fetch(at, end, signal)));
      at += got;
    }
    return Math.max(0, at - offset);
  }

  #chunkAt(at: number): Chunk | undefined {
    return this.#chunks.findLast(({ start, bytes }) => at >= start && at < start + bytes.length);
  }

  #copy(target: Uint8Array, at: number): number {
    const chunk = this.#chunkAt(at);
    if (!chunk) return 0;
    const part = chunk.bytes.subarray(at - chunk.start, at - chunk.start + target.length);
    target.set(part);
    if (this.#chunks.at(-1) !== chunk) {
      this.#chunks.splice(this.#chunks.indexOf(chunk), 1);
      this.#chunks.push(chunk);
    }
    return part.length;
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    const step = this.#turn.then(act);
    this.#turn = step.catch(() => undefined);
    return step;
  }

  async #fetch(at: number, wanted: number, signal: AbortSignal | undefined): Promise<void> {
    const { name, read } = this.#options;
    if (this.#left < 1) throw tooManyRequests(name);
    this.#left -= 1;
    const { start, end } = this.#rangeFor(at, wanted);
    const part = await read(start, end, signal);
    this.hold(part);
    this.#end = part.start + part.bytes.length;
  }

  /** The range to request if byte `at` is missing and reading will probably continue to `wanted`. */
  #rangeFor(at: number, wanted: number): { start: number; end: number } {
    if (at === this.#end) this.#ahead = Math.min(this.#ahead * 2, objectLimits.ahead);
    else this.#ahead = objectLimits.behind;
    const before = at === this.#end ? 0 : objectLimits.before;
    // In the middle, `wanted` is the end of a block of the line index. A page may begin anywhere in it, so more is requested.
    const [least, most] =
      at === this.#end
        ? [wanted, objectLimits.ahead]
        : [wanted + objectLimits.page, objectLimits.ahead + objectLimits.behind];
    const reach = Math.min(Math.max(least, at + this.#ahead), at + most, this.size);
    let [start, end] = [Math.max(0, at - before), reach];
    // Cached bytes are not requested again.
    for (const { start: from, bytes } of this.#chunks) {
      const to = from + bytes.length;
      if (to <= at) start = Math.max(start, to);
      else if (from > at) end = Math.min(end, from);
    }
    return { start, end };
  }
}

function tooManyRequests(name: string): OrielError {
  const next = `${name}:@0+64K`;
  return new OrielError(
    'LIMIT',
    `This takes more than ${objectLimits.requests} requests to the server of ${quote(name)}, which is the most that one call makes. ` +
      `Use a window by bytes, such as ${quote(next)}, or the end: :-20. Counted lines are cached.`,
    { next },
  );
}
