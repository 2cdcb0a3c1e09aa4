/** The tags of many files as bytes: how they are kept between processes. */

import { deserialize, serialize } from 'node:v8';
import type { Shard } from './tag-store.ts';

/** Counted up when tags are made or written in another way. */
const VERSION = 'oriel tags 3';

/** They are packed already; names are numbers that nothing packs. */
export function writeKept(shards: readonly Shard[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(serialize({ version: VERSION, shards }));
}

/** None of what was written by another version, or is damaged. Only what `writeKept` wrote may be read. */
export function readKept(bytes: Uint8Array): readonly Shard[] {
  try {
    const { version, shards } = deserialize(bytes) as { version?: string; shards?: readonly Shard[] };
    return version === VERSION && shards ? shards : [];
  } catch {
    return [];
  }
}
