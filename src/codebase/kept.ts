/** The tags of many files as bytes: how they are kept between processes. */

import { deserialize, serialize } from 'node:v8';
import type { Shard } from './tag-store.ts';

/** Counted up when tags are made or written in another way. */
const VERSION = 'oriel tags 4';

/** They are packed already; names are numbers that nothing packs. */
export function writeKept(shards: readonly Shard[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(serialize({ version: VERSION, shards }));
}

/** The names of parts, the oldest first. */
export function writePartNames(parts: readonly string[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(JSON.stringify({ version: VERSION, parts })));
}

/** Without names where they were written by another version, or are damaged. */
export function readPartNames(bytes: Uint8Array): readonly string[] {
  try {
    const { version, parts } = JSON.parse(Buffer.from(bytes).toString()) as {
      version?: string;
      parts?: readonly string[];
    };
    return version === VERSION && parts ? parts : [];
  } catch {
    return [];
  }
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
