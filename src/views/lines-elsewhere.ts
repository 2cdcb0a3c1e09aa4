/** Has the lines of a huge object counted by another machine, which reads it itself. */

import { createHash } from 'node:crypto';
import type { ByteSource } from '../types/byte-source.ts';
import type { Call } from '../types/call.ts';
import type { UnicodeName } from '../types/encoding.ts';
import type { LineIndex } from '../window/line-index.ts';

export const LINES_KIND = 'lines';

/** Counted up when the layout of a line index changes. */
export const LINES_VERSION = '1';

/** What is asked of a worker. */
export interface LinesHead extends NonNullable<ByteSource['elsewhere']> {
  readonly size: number;
  readonly encoding: UnicodeName;
  /** Bytes of the mark at the start of the text. */
  readonly bom: number;
}

/** Bytes that are counted here before anyone else is asked, and that must be needed beyond them. */
const WORTH_ASKING: number = 32 << 20;

const NO_BYTES_SHA256 = createHash('sha256').digest('hex');

export interface CountedText {
  readonly elsewhere: ByteSource['elsewhere'];
  readonly size: number;
  readonly encoding: string;
  readonly bom: number;
  /** The key under which what is counted is kept. */
  readonly name: string;
}

/** Lets `index` take over what a worker has counted, once it has counted much by itself. */
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
  // Whoever is cancelled finds that out by itself: another call may be counting.
  const others = (needed: number): Promise<void> => ask(needed).catch(() => undefined);
  index.askOthers = others;
  call.onEnd(() => {
    if (index.askOthers === others) index.askOthers = undefined;
  });
}
