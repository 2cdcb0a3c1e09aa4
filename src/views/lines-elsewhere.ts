/** Lets a remote worker count the lines of a huge object. The worker reads the object itself. */

import { createHash } from 'node:crypto';
import type { ByteSource } from '../types/byte-source.ts';
import type { Call } from '../types/call.ts';
import type { UnicodeName } from '../types/encoding.ts';
import type { LineIndex } from '../window/line-index.ts';

export const LINES_KIND = 'lines';

/** Incremented when the layout of a line index changes. */
export const LINES_VERSION = '1';

/** The order for a worker. */
export interface LinesHead extends NonNullable<ByteSource['elsewhere']> {
  readonly size: number;
  readonly encoding: UnicodeName;
  /** Bytes of the byte order mark. */
  readonly bom: number;
}

/** A worker is asked only after this many bytes were counted here, if at least as many more are needed. */
const WORTH_ASKING: number = 32 << 20;

const NO_BYTES_SHA256 = createHash('sha256').digest('hex');

export interface CountedText {
  readonly elsewhere: ByteSource['elsewhere'];
  readonly size: number;
  readonly encoding: string;
  readonly bom: number;
  /** The cache key of the counts. */
  readonly name: string;
}

/** Lets `index` restore the counts of a worker once it has counted `WORTH_ASKING` bytes itself. */
export function askForLines(
  index: LineIndex,
  { elsewhere, size, encoding, bom, name }: CountedText,
  call: Call,
): void {
  const { work } = call.session;
  if (!work || !elsewhere) return;
  const head: LinesHead = { ...elsewhere, size, encoding: encoding as UnicodeName, bom };
  let isAsked = false;
  const ask = async (needed: number): Promise<void> => {
    const left = Math.min(needed, size - index.scanned);
    if (isAsked || index.scanned < WORTH_ASKING || left < WORTH_ASKING) return;
    isAsked = true;
    call.progress({ message: 'a worker counts the lines' });
    const now = performance.now();
    const outcome = await work.run(
      {
        kind: LINES_KIND,
        version: LINES_VERSION,
        key: name,
        head,
        bytes: 0,
        read: () => Promise.resolve(new Uint8Array(0)),
        sha256: NO_BYTES_SHA256,
      },
      { signal: call.signal, giveUpAt: now + (call.deadline - now) / 2 },
    );
    if (outcome.is === 'done') index.restore(outcome.result, size);
  };
  // Errors are ignored: a cancelled call notices that itself, and another call may be the one that counts.
  const others = (needed: number): Promise<void> => ask(needed).catch(() => undefined);
  index.askOthers = others;
  call.onEnd(() => {
    if (index.askOthers === others) index.askOthers = undefined;
  });
}
