/**
 * Line indexes of what is on a server, in the cache on disk: counting takes reading all of it, and the next process, or
 * another replica that shares the cache, need not do that again.
 */

import type { ByteSource } from '../types/byte-source.ts';
import type { Call } from '../types/call.ts';
import type { LineIndex } from '../window/line-index.ts';
import { askForLines } from './lines-elsewhere.ts';

/** Bytes that have to be counted beyond what is kept before it is kept again. */
const WORTH_KEEPING = 4 << 20;

/** Counted up when the layout changes. */
const VERSION = 1;

interface Known {
  readonly found: Promise<void>;
  /** Bytes counted in what is kept. */
  kept: number;
}

const known = new WeakMap<LineIndex, Known>();

/** Gives `index` what was counted elsewhere, and keeps what this call will have counted. */
export async function recallLines(
  index: LineIndex,
  bytes: ByteSource,
  options: { encoding: string; bom: number },
  call: Call,
): Promise<void> {
  const { session, onEnd } = call;
  const { disk } = session;
  if (!disk || !bytes.remote || !bytes.identity.recurs || bytes.size === undefined) return;
  const { size } = bytes;
  const key = JSON.stringify(['lines', VERSION, bytes.identity.key, options]);
  const whole = JSON.stringify(['lines', VERSION, bytes.identity.key, options, 'whole']);
  const find = async (): Promise<void> => {
    // A worker has counted the whole text.
    const saved = (session.work && (await disk.get(whole))) ?? (await disk.get(key));
    if (saved && index.restore(saved, size)) here.kept = index.scanned;
  };
  let here = known.get(index) as Known;
  if (!here) {
    here = { found: Promise.resolve().then(find), kept: 0 };
    known.set(index, here);
  }
  await here.found;
  askForLines(index, { elsewhere: bytes.elsewhere, size, ...options, name: whole }, call);
  onEnd(() => {
    const { scanned } = index;
    const isDone = scanned === size && here.kept < size && scanned > WORTH_KEEPING / 4;
    if (scanned - here.kept < WORTH_KEEPING && !isDone) return;
    here.kept = scanned;
    disk.put(key, [index.save()]);
  });
}
