/** A remote object as a `ByteSource`. It requests few, large parts, all of the same version. */

import { OrielError } from '../../errors.ts';
import type { Identity } from '../../identity.ts';
import type { ReplyHeaders, WebResponse } from '../../network/fetch.ts';
import { quote } from '../../text/visible.ts';
import type { ByteSource } from '../../types/access.ts';
import { objectLimits } from './limits.ts';

interface RangeBytesOptions {
  /** The form of the object in paths. */
  readonly name: string;
  readonly size: number;
  readonly identity: Identity;
  readonly requests: number;
  /**
   * Reads bytes `start` to `end` (exclusive) of the version that was opened, or fewer from `start` on. Throws `BUSY` if the
   * object has changed.
   */
  read(start: number, end: number, signal: AbortSignal | undefined): Promise<ObjectPart>;
}

type Chunk = Pick<ObjectPart, 'start' | 'bytes'>;

export class RangeBytes implements ByteSource {
  readonly size: number;
  readonly identity: Identity;
  readonly remote = true;
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

// Validates the reply to a range request: only requested bytes with a stated range are used.

/** Bytes `start` to `end` (exclusive), or the last `last` bytes. */
export type WantedRange = { readonly start: number; readonly end: number } | { readonly last: number };

export interface ObjectPart {
  /** The offset of `bytes` in the object. */
  readonly start: number;
  readonly bytes: Uint8Array;
  /** Of the object, in bytes. */
  readonly size: number;
}

/** The result for a range beyond the end: the size of the object, if the server tells it. */
interface RangeBeyondEnd {
  readonly size: number | undefined;
}

export function rangeOf(wanted: WantedRange): string {
  return 'last' in wanted ? `bytes=-${wanted.last}` : `bytes=${wanted.start}-${wanted.end - 1}`;
}

/** The limit for reading a reply: one byte more than requested, to detect a reply that is too long. */
export function maxReplyBytes(wanted: WantedRange): number {
  return ('last' in wanted ? wanted.last : wanted.end - wanted.start) + 1;
}

/**
 * The part in a response with status 200, 206 or 416. `name` is the object's name for errors. Throws `CORRUPT` for a part
 * that contradicts its headers, and `UNSUPPORTED` if the server does not support ranges.
 */
export function parseRangeReply(
  response: WebResponse,
  wanted: WantedRange,
  name: string,
): ObjectPart | RangeBeyondEnd {
  switch (response.status) {
    case 206:
      return partialPart(response, wanted, name);
    case 416:
      return { size: sizeBeyond(response) };
    default:
      return wholePart(response, wanted, name);
  }
}

function partialPart({ headers, body, cut }: WebResponse, wanted: WantedRange, name: string): ObjectPart {
  const said = headers['content-range'] ?? '';
  const [first, last, size] = numbersIn(/^\s*bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})\s*$/i, said);
  if (first === undefined || last === undefined || size === undefined) {
    throw corrupt(name, `the server does not tell which bytes it sends: ${quote(said).slice(0, 100)}`);
  }
  const from = 'last' in wanted ? Math.max(0, size - wanted.last) : wanted.start;
  const to = 'last' in wanted ? size : wanted.end;
  const fits =
    first === from && last >= first && last < to && last < size && ('end' in wanted || last === size - 1);
  if (!fits) {
    throw corrupt(
      name,
      `bytes ${rangeOf(wanted).slice(6)} were asked for, and the server sends ${quote(said)}`,
    );
  }
  if (cut || body.length !== last - first + 1) {
    throw corrupt(
      name,
      `the server announces ${last - first + 1} bytes and sends ${cut ? 'more' : body.length}`,
    );
  }
  return { start: first, bytes: body, size };
}

/** The server sent the whole object instead of a range, which is acceptable if it is small. */
function wholePart({ headers, body, cut }: WebResponse, wanted: WantedRange, name: string): ObjectPart {
  const declared = headers['content-length'];
  if (cut) {
    throw new OrielError(
      'UNSUPPORTED',
      `${quote(name)} is not read: its server sends the whole file when a range is requested.`,
    );
  }
  if (declared !== undefined && declared !== String(body.length)) {
    throw corrupt(name, `the server announces ${quote(declared)} bytes and sends ${body.length}`);
  }
  const start = 'last' in wanted ? Math.max(0, body.length - wanted.last) : 0;
  return { start, bytes: body.subarray(start), size: body.length };
}

function sizeBeyond({ headers, body }: WebResponse): number | undefined {
  const [told] = numbersIn(/^\s*bytes \*\/(\d{1,16})\s*$/i, headers['content-range'] ?? '');
  // S3 states the size in the body of the error.
  return told ?? numbersIn(/<ActualObjectSize>(\d{1,16})</, Buffer.from(body).toString('latin1'))[0];
}

function numbersIn(pattern: RegExp, text: string): number[] {
  const numbers = pattern.exec(text)?.slice(1).map(Number) ?? [];
  return numbers.every(Number.isSafeInteger) ? numbers : [];
}

const corrupt = (name: string, why: string): OrielError =>
  new OrielError('CORRUPT', `${quote(name)} is not read: ${why}.`);

// The version of a remote object by its entity tag or modification time, and the condition that requests it again.

export interface RemoteVersion {
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  /** Distinguishes versions; undefined if different contents may have the same name. */
  readonly name: string | undefined;
  /** For a file that may grow while it is read: stays equal if bytes were only appended. */
  readonly prefix?: string | undefined;
  readonly condition: Readonly<Record<string, string>>;
}

/** A modification time (in seconds) is a strong validator only if it is at least this old. Source: RFC 9110, 8.8.2.2. */
const SETTLED_MS = 60_000;

export function versionOf({
  etag,
  'last-modified': lastModified,
  'oriel-prefix': prefix,
  date,
}: ReplyHeaders): RemoteVersion {
  const stated = { etag, lastModified, prefix };
  if (etag !== undefined && /^"[^"]+"$/.test(etag)) {
    return { ...stated, name: `${etag} ${lastModified ?? ''}`, condition: { 'if-match': etag } };
  }
  const age = Date.parse(date ?? '') - Date.parse(lastModified ?? '');
  if (lastModified !== undefined && age >= SETTLED_MS) {
    return { ...stated, name: lastModified, condition: { 'if-unmodified-since': lastModified } };
  }
  return { ...stated, name: undefined, condition: {} };
}

/** The version without `prefix`: it differs from later versions even if the file has only grown. */
export function exactly(version: RemoteVersion): RemoteVersion {
  return { ...version, prefix: undefined };
}

/** True also if the file has only grown between the two versions. */
export function isSameVersion(one: RemoteVersion, other: RemoteVersion): boolean {
  if (one.prefix !== undefined && one.prefix === other.prefix) return true;
  return one.etag === other.etag && one.lastModified === other.lastModified;
}
