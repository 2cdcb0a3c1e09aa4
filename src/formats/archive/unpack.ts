/**
 * A member as a `ByteSource`. It is unpacked lazily, as far as a window needs, and cached between calls, so that a later page
 * continues where an earlier one stopped. Of a damaged member the bytes before the damage are readable.
 */

import { createGunzip, createInflateRaw } from 'node:zlib';
import { isOrielError, OrielError } from '../../errors.ts';
import { builtFile } from '../../files/package-files.ts';
import { startConversation } from '../../process/worker-threads.ts';
import { callerOf, registerCaller } from '../../queues/caller.ts';
import { SlotLease } from '../../queues/queue.ts';
import { queues } from '../../queues/queue-table.ts';
import { binarySize } from '../../render/display.ts';
import { Spool, SpoolReader } from '../../text/spool.ts';
import type { ByteSource } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import type { DerivedKind, ValueComputation } from '../../types/session.ts';
import { archiveLimits, metered, type UnpackBudget } from './limits.ts';
import { isOfTheBytes } from './members.ts';
import { inSpare, type UnpackJob, type UnpackReply, type UnpackRequest } from './protocol.ts';

export interface UnpackedMember {
  readonly bytes: ByteSource;
  /** What is wrong with the bytes read so far, as a clause such as "its CRC does not match". */
  trouble(): string | undefined;
  /** Unpacks all bytes. Throws `LIMIT` if there are too many. */
  whole(): Promise<{ readonly bytes: ByteSource; readonly size: number }>;
}

export function inPlace(bytes: ByteSource): UnpackedMember {
  return {
    bytes,
    trouble: () => undefined,
    whole: () => Promise.resolve({ bytes, size: bytes.size ?? 0 }),
  };
}

interface MemberStream {
  readonly spool: Spool;
  /** Bytes of memory that its decoder takes until the end. */
  readonly working: number;
  damage(): OrielError | undefined;
}

/** The part of the cache key that identifies the stream in the archive. A member is identified as it was addressed. */
type StreamOptions = { codec: string } | { format: string; at: number; path: string };

/** Bytes of memory of a stream without its text; the mean of 20,000. */
const STREAM_BYTES = 4_000;

const streams: DerivedKind<MemberStream, StreamOptions & { cap: number }> = {
  name: 'unpacked stream',
  weigh({ spool, working }) {
    const { held, size } = spool;
    return { ...held, memory: held.memory + STREAM_BYTES + (size === undefined ? working : 0) };
  },
  dispose: ({ spool }) => spool.close(),
  lasts: ({ spool }) => !spool.failed,
};

interface StreamOpening {
  readonly of: ByteSource;
  readonly options: StreamOptions;
  readonly working: number;
  open(computation: ValueComputation): AsyncIterable<Uint8Array>;
  /** Converts a failure of this stream to the error for the caller. */
  refused(error: OrielError): OrielError;
}

/**
 * Opens a stream. If it fails after its first byte, the bytes before the failure are shown; if it fails earlier, the error is
 * thrown.
 */
export async function unpackedStream(opening: StreamOpening, call: Call): Promise<UnpackedMember> {
  const { of, options, refused } = opening;
  const cap = archiveLimits.memberBytes;
  const stream = await call.session.store.get(
    streams,
    of,
    { ...options, cap },
    (computation) => Promise.resolve({ value: begin(opening, computation, call), keep: true }),
    call,
  );
  const reader = new SpoolReader(stream.spool);
  const bytes: ByteSource = {
    identity: reader.identity,
    streamed: true,
    get size() {
      return reader.size;
    },
    readInto: (target, offset, signal) =>
      reader.readInto(target, offset, signal).catch((error: unknown) => {
        signal?.throwIfAborted();
        throw isOrielError(error) ? refused(error) : error;
      }),
  };
  return {
    bytes,
    trouble() {
      if (reader.capped) return `only its first ${binarySize(cap)} are unpacked`;
      return reader.size === undefined ? undefined : stream.damage()?.message;
    },
    async whole() {
      await bytes.readInto(new Uint8Array(1), archiveLimits.nestedBytes, call.signal);
      const { size } = bytes;
      if (size !== undefined && size <= archiveLimits.nestedBytes) return { bytes, size };
      const most = binarySize(archiveLimits.nestedBytes);
      throw refused(new OrielError('LIMIT', `it is larger than the ${most} that are unpacked whole`));
    },
  };
}

function begin(
  { open, working }: StreamOpening,
  computation: ValueComputation,
  { session }: Call,
): MemberStream {
  const stop = new AbortController();
  const signal = AbortSignal.any([computation.signal, stop.signal]);
  registerCaller(callerOf(computation.signal), signal);
  let damage: OrielError | undefined;
  const unpacking = open({ ...computation, signal });
  const saved = (async function* () {
    let any = false;
    try {
      for await (const chunk of unpacking) {
        any = true;
        yield chunk;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!isOfTheBytes(error) || !any) throw error;
      damage = error;
    }
  })();
  const spool = new Spool(saved, {
    identity: computation.identity,
    memory: archiveLimits.spoolMemory,
    cap: archiveLimits.memberBytes,
    overflow: () => session.scratch(),
    stop: () => stop.abort(new OrielError('CANCELLED', 'The unpacking was ended.')),
  });
  return { spool, working, damage: () => damage };
}

// Unpacks one compressed stream: gzip and deflate with node:zlib, which has its own threads, the others in a worker.

export type CompressionCodec = 'gzip' | 'deflate' | 'bzip2' | 'xz' | 'zstd';

/** Bytes of memory that a decoder takes until it ends: the window of zlib, or a worker with its heap and dictionary. */
export const WORKING: Record<CompressionCodec, number> = {
  gzip: 1 << 20,
  deflate: 1 << 20,
  bzip2: 48 << 20,
  xz: 48 << 20,
  zstd: 48 << 20,
};

/**
 * Yields the unpacked bytes of `packed`. The buffer of a chunk is reused for the next one. Throws OrielError (`CORRUPT`,
 * `LIMIT`, `UNSUPPORTED`) after the last good byte. Ending the iteration early ends the decoder.
 */
export function decompress(
  codec: CompressionCodec,
  packed: PackedInput,
  budget: UnpackBudget,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  let fed = 0;
  const counted: PackedInput = {
    size: packed.size,
    async *read() {
      fed = 0;
      for await (const chunk of packed.read()) {
        fed += chunk.length;
        yield chunk;
      }
    },
  };
  const unpacked =
    codec === 'gzip' || codec === 'deflate'
      ? inflate(codec, counted, signal)
      : pullFromWorker<Uint8Array>({ kind: codec }, counted, signal);
  return metered(unpacked, () => fed, budget);
}

const ZLIB = { chunkSize: 64 << 10 };

/** Bytes of a worker with libarchive and a dictionary of usual size, without the archive. */
export const LIBARCHIVE_BYTES = 48 << 20;

/** Bytes of `unpackAlone` for content of this size, which an archive may only declare: what is larger is refused. */
export function workingAlone(packed: number): number {
  return Math.min(packed, archiveLimits.isolatedBytes) + LIBARCHIVE_BYTES;
}

/** libarchive reads ahead of the content. This is the end of a tar. */
const ARCHIVE_END = new Uint8Array(1024);

/**
 * Yields the content of one member with libarchive, which gets it as an archive of its own: `front` and then `packed`. Throws
 * `LIMIT` if that is too large for the memory of a worker.
 */
export function unpackAlone(
  front: Uint8Array,
  packed: PackedInput,
  budget: UnpackBudget,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const size = front.length + packed.size + ARCHIVE_END.length;
  if (size > archiveLimits.isolatedBytes) {
    const [is, most] = [binarySize(size), binarySize(archiveLimits.isolatedBytes)];
    throw new OrielError('LIMIT', `a member of its kind is read up to ${most}, and it has ${is}`);
  }
  async function* read(): AsyncGenerator<Uint8Array> {
    yield Uint8Array.from(front);
    yield* packed.read();
    yield Uint8Array.from(ARCHIVE_END);
  }
  const job = { kind: 'member', size, index: 0 } as const;
  return metered(pullFromWorker<Uint8Array>(job, { size, read }, signal), () => size, budget);
}

/** Packed bytes per write to zlib. Deflate expands at most 1,032 times, so this bounds the queued output at 16 MiB. */
const FEED_BYTES = 16 << 10;

/**
 * Reads zlib's stream by events, because `for await` would drop bytes that were unpacked before an error. zlib itself drops
 * those of the write that fails: where no gzip header follows a member, all is unpacked again, from there on byte by byte.
 */
async function* inflate(
  codec: 'gzip' | 'deflate',
  packed: PackedInput,
  signal: AbortSignal,
  singleFrom = Infinity,
): AsyncGenerator<Uint8Array> {
  const engine = codec === 'gzip' ? createGunzip(ZLIB) : createInflateRaw(ZLIB);
  const ready: Uint8Array[] = [];
  let [sent, given] = [0, 0];
  let over = false;
  let failure: Error | undefined;
  let wake: (() => void) | undefined;
  const settle = (error?: Error): void => {
    over = true;
    failure = error;
    wake?.();
  };
  engine.on('data', (chunk: Uint8Array) => (given += chunk.length) && ready.push(chunk));
  engine.once('end', () => settle());
  engine.once('error', settle);
  // zlib never calls back for input after the end of a deflate stream; the `end` event resolves the promise then.
  const send = (piece: Uint8Array | undefined): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
      if (piece) engine.write(piece, () => resolve());
      else engine.end();
      if (over) resolve();
    });
  try {
    for await (const piece of sliced(packed.read(), singleFrom)) {
      signal.throwIfAborted();
      if (!over) await send(piece);
      yield* ready.splice(0);
      sent += piece.length;
      if (over && (failure || codec === 'deflate')) break;
      // Zeros are padding, other bytes are not.
      if (over && piece.subarray(-Math.min(piece.length, sent - engine.bytesWritten)).some(Boolean))
        throw noGzip();
    }
    if (!over) await send(undefined);
    yield* ready.splice(0);
    if (!failure) return;
    const isHeader = codec === 'gzip' && /header|method/.test(failure.message);
    if (!isHeader || singleFrom !== Infinity) throw isHeader && given > 0 ? noGzip() : damaged(failure);
    for await (const chunk of inflate(codec, packed, signal, engine.bytesWritten)) {
      const again = Math.min(given, chunk.length);
      given -= again;
      if (again < chunk.length) yield chunk.subarray(again);
    }
  } finally {
    engine.destroy();
  }
}

async function* sliced(packed: AsyncIterable<Uint8Array>, singleFrom: number): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const chunk of packed) {
    for (let at = 0; at < chunk.length;) {
      const most = sent < singleFrom ? singleFrom - sent : sent < singleFrom + FEED_BYTES ? 1 : FEED_BYTES;
      const piece = chunk.subarray(at, at + Math.min(FEED_BYTES, most));
      yield piece;
      at += piece.length;
      sent += piece.length;
    }
  }
}

const noGzip = (): OrielError => new OrielError('CORRUPT', 'bytes that are no gzip data follow its content');

function damaged(failure: Error): OrielError {
  const early = 'code' in failure && failure.code === 'Z_BUF_ERROR';
  return new OrielError('CORRUPT', early ? 'its packed data ends early' : 'its packed data is damaged');
}

// Unpacks in a worker thread, which holds a slot of its queue while it works. While it waits for input or for its consumer,
// the slot can be revoked: then the thread is ended, and the next pull starts a new one from the beginning. No thread is used
// for two archives.

/** The packed bytes. They can be read several times, because a decoder may have to start again. */
export interface PackedInput {
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
  job: UnpackJob,
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
  const lease = new SlotLease(queue, { signal }, close);
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
      yield (next instanceof Uint8Array ? next.subarray(skipped) : next.slice(skipped)) as T;
    }
  } finally {
    await lease.end();
  }
}

class Decoder<T extends Uint8Array | readonly unknown[]> {
  readonly #worker: ReturnType<typeof startConversation>;
  readonly #input: AsyncIterator<Uint8Array>;
  #reading = false;
  #ended = false;
  /** The last result; its buffer is returned with the next pull. */
  #last: unknown;

  constructor(job: UnpackJob, packed: PackedInput, signal: AbortSignal) {
    this.#input = packed.read()[Symbol.asyncIterator]();
    const entry = builtFile('formats/archive/unpack-worker.js');
    this.#worker = startConversation({ entry, data: job, heapMb: HEAP_MB, signal });
  }

  /** The next result. `closed` means that the worker was ended while it waited for input. */
  async next(lease: SlotLease): Promise<T | 'end' | 'closed'> {
    const spare = this.#last instanceof Uint8Array ? (this.#last.buffer as ArrayBuffer) : undefined;
    this.#post({ pull: true, spare }, spare);
    for (;;) {
      const reply = (await this.#worker.next()) as UnpackReply;
      if (reply.kind === 'end') return 'end';
      if (reply.kind === 'error') throw new OrielError(reply.code, reply.message, { cause: reply.trace });
      if (reply.kind === 'given') {
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

  #post(ask: UnpackRequest, buffer?: ArrayBuffer): void {
    this.#worker.post(ask, buffer ? [buffer] : []);
  }
}
