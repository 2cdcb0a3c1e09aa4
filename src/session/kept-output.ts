/**
 * Keeps a text that does not fit into one answer as an artifact, once per session for the same bytes. The artifact
 * numbers are cached per `SpillStore`, not in the store of derived data: clients share that store, but a number belongs
 * to one client.
 */

import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { Identity } from '../identity.ts';
import type { Spill, SpillStore } from '../types/session.ts';
import { Lru } from './lru.ts';

/** Bytes that are written before the event loop gets control again. */
const AT_ONCE = 256 << 10;

/** The number of texts of one session whose artifact is remembered. */
const MOST_KNOWN = 1_000;

const known = new WeakMap<SpillStore, Lru<Promise<Spill>>>();

/**
 * Keeps `bytes` and returns the kept output, or the existing one for the same `identity`, which is that of `bytes`.
 * Throws OrielError (`LIMIT`, `BUSY`) if it cannot be kept.
 */
export async function keepOutput(bytes: Uint8Array, identity: Identity, spills: SpillStore): Promise<Spill> {
  let ofSession = known.get(spills);
  if (!ofSession) known.set(spills, (ofSession = new Lru(MOST_KNOWN)));
  const { key } = identity;
  const before = await ofSession.get(key);
  // The output may have been evicted, or somebody may have removed the file.
  if (before && existsSync(before.path)) return before;
  const writing = write(bytes, spills);
  ofSession.set(key, writing);
  try {
    return await writing;
  } catch (error) {
    ofSession.delete(key);
    throw error;
  }
}

async function write(bytes: Uint8Array, spills: SpillStore): Promise<Spill> {
  const spill = spills.create();
  for (let at = 0; at < bytes.length; at += AT_ONCE) {
    await spill.write(bytes.subarray(at, at + AT_ONCE));
    await setImmediate();
  }
  return spill.finish();
}
