/** The tags of many files as bytes: how they are kept between processes. */

import { deserialize, serialize } from 'node:v8';
import type { Shard } from './tag-store.ts';

/** Counted up when tags are made or written in another way. */
const VERSION = 'oriel tags 6';

/** They are packed already; names are numbers that nothing packs. */
export function writeKept(shards: readonly Shard[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(serialize({ version: VERSION, shards }));
}

/** The names of parts, the oldest first. */
export function writePartNames(parts: readonly string[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(JSON.stringify({ version: VERSION, parts })));
}

/** What one process changes in the list of parts. */
export interface PartsChanged {
  /** Those that it knows, the oldest first. */
  readonly names: readonly string[];
  /** Those of them that are in no list yet. */
  readonly added: readonly string[];
  /** Those that it has removed, or found to be missing. */
  readonly gone: readonly string[];
}

/** Parts of one directory that are listed: beyond them the oldest are forgotten. */
const MOST_LISTED = 256;

/** The list of parts with these changes: what other processes have listed meanwhile stays. */
export function changePartNames(
  bytes: Uint8Array | undefined,
  { names, added, gone }: PartsChanged,
): Uint8Array<ArrayBuffer> {
  const listed = bytes ? readPartNames(bytes) : [];
  const isGone = new Set(gone);
  const kept = (listed.length === 0 ? names : listed).filter((name) => !isGone.has(name));
  return writePartNames([...new Set([...kept, ...added])].slice(-MOST_LISTED));
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
