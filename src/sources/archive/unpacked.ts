/**
 * A member as bytes at offsets, unpacked as far as a window needs and kept between calls: a later page continues where an
 * earlier one stopped. Of a damaged member, the bytes before the damage.
 */

import { isOrielError, OrielError } from '../../errors.ts';
import { binarySize } from '../../render/units.ts';
import { callerOf, waitAs } from '../../queues/caller.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Call } from '../../types/call.ts';
import type { Kind, Making } from '../../types/store.ts';
import { Spool, SpoolReader } from '../../window/spool.ts';
import { isOfTheBytes } from './container.ts';
import { archiveLimits } from './archive-limits.ts';

export interface Unpacked {
  readonly bytes: ByteSource;
  /** What is wrong with the bytes read so far, as a clause: "its CRC does not match". */
  trouble(): string | undefined;
  /** Unpacks all bytes. Throws `LIMIT` when there are more than may be unpacked whole. */
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

/** A stream that is unpacked, as far as its readers have needed it. */
interface Stream {
  readonly spool: Spool;
  /** Bytes that its decoder holds on to until the end. */
  readonly working: number;
  /** What ended it before its end. */
  damage(): OrielError | undefined;
}

/** Which stream of an archive it is. A member is named as it was addressed: its path, or its number. */
type StreamOptions = { codec: string } | { format: string; at: number; path: string };

/** What one takes without a byte of its text. Measured over 20,000. */
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
  open(making: Making): AsyncIterable<Uint8Array>;
  /** The words for a failure of this stream. */
  refused(error: OrielError): OrielError;
}

/**
 * A stream that fails after its first byte is shown as far as it came; one that fails before is refused with the words
 * for its failure.
 */
export async function unpackedStream(opening: Opening, call: Call): Promise<Unpacked> {
  const { of, options, refused } = opening;
  const cap = archiveLimits.memberBytes;
  const stream = await call.session.store.get(
    streams,
    of,
    { ...options, cap },
    (making) => Promise.resolve({ value: begin(opening, making, call), keep: true }),
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

function begin({ open, working }: Opening, making: Making, { session }: Call): Stream {
  const stop = new AbortController();
  const signal = AbortSignal.any([making.signal, stop.signal]);
  waitAs(callerOf(making.signal), signal);
  let damage: OrielError | undefined;
  const unpacking = open({ ...making, signal });
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
    identity: making.identity,
    memory: archiveLimits.spoolMemory,
    cap: archiveLimits.memberBytes,
    overflow: () => session.scratch(),
    stop: () => stop.abort(new OrielError('CANCELLED', 'The unpacking was ended.')),
  });
  return { spool, working, damage: () => damage };
}
