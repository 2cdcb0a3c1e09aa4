/** A member as bytes at offsets, unpacked as far as a window needs. Of a damaged one, the bytes before the damage. */

import { isOrielError, OrielError } from '../../errors.ts';
import { binarySize } from '../../render/units.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import type { Call } from '../../types/call.ts';
import { Spool } from '../../window/spool.ts';
import { archiveLimits } from './archive-limits.ts';

export interface Unpacked {
  readonly bytes: ByteSource;
  /** What is wrong with the bytes unpacked so far, as a clause: "its CRC does not match". */
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

/**
 * A spool over an unpacking stream, closed with the call. A stream that fails after its first byte is shown as far
 * as it came; one that fails before is `refused` with the words for its failure.
 */
export function spooled(
  stream: AsyncIterable<Uint8Array>,
  version: string,
  call: Call,
  refused: (error: OrielError) => OrielError,
): Unpacked {
  let trouble: string | undefined;
  const saved = (async function* () {
    let any = false;
    try {
      for await (const chunk of stream) {
        any = true;
        yield chunk;
      }
    } catch (error) {
      call.signal.throwIfAborted();
      if (!isOrielError(error)) throw error;
      if (!any) throw refused(error);
      trouble = error.message;
    }
  })();
  const spool = new Spool(saved, {
    version,
    memory: archiveLimits.spoolMemory,
    cap: archiveLimits.memberBytes,
    overflow: () => call.session.scratch(),
  });
  call.onEnd(() => spool.close());
  return {
    bytes: spool,
    trouble: () =>
      spool.capped ? `only its first ${binarySize(archiveLimits.memberBytes)} are unpacked` : trouble,
    async whole() {
      await spool.ensure(archiveLimits.nestedBytes + 1, call.signal);
      if (spool.size === undefined || spool.size > archiveLimits.nestedBytes) {
        const most = binarySize(archiveLimits.nestedBytes);
        throw refused(new OrielError('LIMIT', `it is larger than the ${most} that are unpacked whole`));
      }
      return { bytes: spool, size: spool.size };
    },
  };
}
