/**
 * Caches the line indexes of remote texts on disk. Counting lines reads the whole text; with the cache, the next process
 * or another replica does not have to do it again.
 */

import type { ByteSource } from '../types/byte-source.ts';
import type { Call } from '../types/call.ts';
import type { LineIndex } from '../window/line-index.ts';
import { askForLines } from './lines-elsewhere.ts';

/** The cached index is replaced only if at least this many more bytes were counted. */
const WORTH_KEEPING = 4 << 20;

/** Incremented when the layout changes. */
const VERSION = 1;

interface Known {
  readonly found: Promise<void>;
  /** Bytes counted in the cached index. */
  kept: number;
}

const known = new WeakMap<LineIndex, Known>();

/** Restores `index` from the cache, and caches it again at the end of the call. */
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
    // `whole`: a worker has counted the whole text.
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
