/** The format of the index on disk: parts with the tags of many files, and the list of the names of all parts. */

import { deserialize, serialize } from 'node:v8';
import type { Shard } from './tag-store.ts';

/** Incremented when the extraction of tags or the format changes. */
export const INDEX_VERSION = 'oriel tags 7';

/** One part. It is not compressed again: packed tags are already compressed, and hashes of names do not compress. */
export function writePart(shards: readonly Shard[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(serialize({ version: INDEX_VERSION, shards }));
}

/** The list of parts; `parts`: their names, the oldest first. */
export function writePartNames(parts: readonly string[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(JSON.stringify({ version: INDEX_VERSION, parts })));
}

/** The change that one process makes to the list of parts. */
export interface PartListChange {
  /** The names of all parts that it knows, the oldest first. */
  readonly names: readonly string[];
  /** Those of `names` that are not in the list yet. */
  readonly added: readonly string[];
  /** The parts that it has replaced, or found to be missing. */
  readonly gone: readonly string[];
}

/** Maximum parts in the list of a directory; the oldest are dropped. */
const MOST_LISTED = 256;

/** Applies the change to the list `bytes`. Parts that other processes have added meanwhile stay in it. */
export function changePartNames(
  bytes: Uint8Array | undefined,
  { names, added, gone }: PartListChange,
): Uint8Array<ArrayBuffer> {
  const listed = bytes ? readPartNames(bytes) : [];
  const isGone = new Set(gone);
  const left = (listed.length === 0 ? names : listed).filter((name) => !isGone.has(name));
  return writePartNames([...new Set([...left, ...added])].slice(-MOST_LISTED));
}

/** The names in the list, the oldest first; none if it was written by another version or is damaged. */
export function readPartNames(bytes: Uint8Array): readonly string[] {
  try {
    const { version, parts } = JSON.parse(Buffer.from(bytes).toString()) as {
      version?: string;
      parts?: readonly string[];
    };
    return version === INDEX_VERSION && parts ? parts : [];
  } catch {
    return [];
  }
}

/** The tags in a part; none if it was written by another version or is damaged. Pass only bytes of `writePart`: V8 deserializes them. */
export function readPart(bytes: Uint8Array): readonly Shard[] {
  try {
    const { version, shards } = deserialize(bytes) as { version?: string; shards?: readonly Shard[] };
    return version === INDEX_VERSION && shards ? shards : [];
  } catch {
    return [];
  }
}
