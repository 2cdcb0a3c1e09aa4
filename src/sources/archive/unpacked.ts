/**
 * A member as a `ByteSource`. It is unpacked lazily, as far as a window needs, and cached between calls, so that a later page
 * continues where an earlier one stopped. Of a damaged member the bytes before the damage are readable.
 */

import { isOrielError, OrielError } from '../../errors.ts';
import { binarySize } from '../../render/units.ts';
import { callerOf, waitAs } from '../../queues/caller.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Call } from '../../types/call.ts';
import type { Computation, Kind } from '../../types/store.ts';
import { Spool, SpoolReader } from '../../window/spool.ts';
import { isOfTheBytes } from './container.ts';
import { archiveLimits } from './archive-limits.ts';

export interface Unpacked {
  readonly bytes: ByteSource;
  /** What is wrong with the bytes read so far, as a clause such as "its CRC does not match". */
  trouble(): string | undefined;
  /** Unpacks all bytes. Throws `LIMIT` if there are too many. */
  whole(): Promise<{ readonly bytes: ByteSource; readonly size: number }>;
}

/** A member that is stored without compression. */
export function inPlace(bytes: ByteSource): Unpacked {
  return {
    bytes,
    trouble: () => undefined,
    whole: () => Promise.resolve({ bytes, size: bytes.size ?? 0 }),
  };
}

/** A stream that is unpacked lazily. */
interface Stream {
  readonly spool: Spool;
  /** Bytes of memory that its decoder takes until the end. */
  readonly working: number;
  /** The error that ended it early. */
  damage(): OrielError | undefined;
}

/** The part of the cache key that identifies the stream in the archive. A member is identified as it was addressed. */
type StreamOptions = { codec: string } | { format: string; at: number; path: string };

/** Bytes of memory of a stream without its text; the mean of 20,000. */
const STREAM_BYTES = 4_000;

const streams: Kind<Stream, StreamOptions & { cap: number }> = {
  name: 'unpacked stream',
  weigh({ spool, working }) {
    const { held, size } = spool;
    return { ...held, memory: held.memory + STREAM_BYTES + (size === undefined ? working : 0) };
  },
  dispose: ({ spool }) => spool.close(),
  lasts: ({ spool }) => !spool.failed,
};

export interface Opening {
  readonly of: ByteSource;
  readonly options: StreamOptions;
  readonly working: number;
  open(computation: Computation): AsyncIterable<Uint8Array>;
  /** Converts a failure of this stream to the error for the caller. */
  refused(error: OrielError): OrielError;
}

/**
 * Opens a stream. If it fails after its first byte, the bytes before the failure are shown; if it fails earlier, the error is
 * thrown.
 */
export async function unpackedStream(opening: Opening, call: Call): Promise<Unpacked> {
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

function begin({ open, working }: Opening, computation: Computation, { session }: Call): Stream {
  const stop = new AbortController();
  const signal = AbortSignal.any([computation.signal, stop.signal]);
  waitAs(callerOf(computation.signal), signal);
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
