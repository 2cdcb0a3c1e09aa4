/**
 * The index of the files below one directory in the cache on disk. It consists of parts, each written once: a process with
 * new tags adds another part, and replaces the list of all parts. What another process has added meanwhile is lost: its
 * files are parsed again.
 */

import { randomBytes } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { packTags, unpackTags } from '../tags.ts';
import type { TagBlock, TagEntry, TagShard, TagStore } from './tag-store.ts';

/** A part takes no further block after so many bytes of tags. */
const PART_BYTES = 1 << 20;

/** Maximum parts of a directory. If there are more, all are written again. */
const MAX_INDEX_PARTS = 128;

/** Blocks with fewer files are repacked together with others. */
const SMALL = 16;

export interface WrittenPart {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The live files of each block, with their 0-based positions in it. */
type FilesOf = ReadonlyMap<TagBlock, readonly { readonly entry: TagEntry; readonly at: number }[]>;

export class IndexParts {
  /** Whether all parts on disk were loaded. */
  isLoaded = false;
  readonly #store: TagStore;
  readonly #home: string;
  /** The parts with their numbers of files, the oldest first. */
  #parts: { readonly name: string; readonly files: number }[] = [];

  /** `home`: the prefix of the real paths of the files, with a slash at its end. */
  constructor(store: TagStore, home: string) {
    [this.#store, this.#home] = [store, home];
  }

  /** The list of all parts: their names, the oldest first. */
  get list(): Uint8Array<ArrayBuffer> {
    const parts = this.#parts.map(({ name }) => name);
    return new Uint8Array(Buffer.from(JSON.stringify({ version: INDEX_VERSION, parts })));
  }

  /** Adds the tags of a part on disk that is older than all known parts. Ignored if it is damaged, or the store is full. */
  load(name: string, bytes: Uint8Array): void {
    const shards = this.#store.isFull ? [] : readPart(bytes);
    if (shards.length === 0) return;
    this.#parts.unshift({ name, files: filesIn(shards) });
    for (const shard of shards) this.#store.put(shard, this.#home, { isOlder: true, part: name });
  }

  /** If there are too many parts, or most of their files are outdated, `next` returns all files again, in new parts. */
  compact(): void {
    const names = this.#names;
    let live = 0;
    for (const [{ part = '' }, files] of this.#store.blocksBelow(this.#home))
      if (names.has(part)) live += files.length;
    const written = this.#parts.reduce((sum, { files }) => sum + files, 0);
    if (names.size > MAX_INDEX_PARTS || written > 2 * live) this.#parts = [];
  }

  get #names(): ReadonlySet<string> {
    return new Set(this.#parts.map(({ name }) => name));
  }

  /** Packs the next part from files that are in no part; undefined if there are none. */
  next(): WrittenPart | undefined {
    const names = this.#names;
    const unwritten = new Map<TagBlock, readonly { readonly entry: TagEntry; readonly at: number }[]>();
    let bytes = 0;
    for (const [block, files] of this.#store.blocksBelow(this.#home)) {
      if (names.has(block.part ?? '')) continue;
      unwritten.set(block, files);
      bytes += block.bytes;
      if (bytes >= PART_BYTES) break;
    }
    if (unwritten.size === 0) return undefined;
    const shards = shardsOf(unwritten);
    const name = randomBytes(8).toString('hex');
    for (const block of unwritten.keys()) block.part = name;
    this.#parts.push({ name, files: filesIn(shards) });
    return { name, bytes: writePart(shards) };
  }
}

function filesIn(shards: readonly TagShard[]): number {
  return shards.reduce((sum, { entries }) => sum + entries.length, 0);
}

/** Complete blocks are taken over unchanged; the live files of small and incomplete ones are packed together. */
function shardsOf(blocks: FilesOf): TagShard[] {
  const shards: TagShard[] = [];
  const loose: { readonly entry: TagEntry; readonly tags: string }[] = [];
  for (const [block, files] of blocks) {
    const count = block.tags.known.length;
    if (files.length === count && count >= SMALL) {
      const entries = files.toSorted((a, b) => a.at - b.at).map(({ entry }) => entry);
      shards.push({ entries, tags: block.tags });
      continue;
    }
    const texts = unpackTags(block.tags);
    for (const { entry, at } of files) loose.push({ entry, tags: texts[at] ?? '' });
  }
  for (let i = 0; i < loose.length; i += 4 * SMALL) {
    const part = loose.slice(i, i + 4 * SMALL);
    shards.push({ entries: part.map(({ entry }) => entry), tags: packTags(part.map(({ tags }) => tags)) });
  }
  return shards;
}

// The format of the index on disk: parts with the tags of many files, and the list of the names of all parts.

/** Incremented when the extraction of tags or the format changes. */
export const INDEX_VERSION = 'oriel tags 11';

/** One part. It is not compressed again: packed tags are already compressed, and hashes of names do not compress. */
export function writePart(shards: readonly TagShard[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(serialize({ version: INDEX_VERSION, shards }));
}

/** The names in the list, the oldest first; none if it was written by another version or is damaged. */
export function readPartNames(bytes: Uint8Array): readonly string[] {
  try {
    const { version, parts } = JSON.parse(Buffer.from(bytes).toString()) as {
      version?: string | undefined;
      parts?: readonly string[] | undefined;
    };
    return version === INDEX_VERSION && parts ? parts : [];
  } catch {
    return [];
  }
}

/** The tags in a part; none if it was written by another version or is damaged. Pass only bytes of `writePart`: V8 deserializes them. */
export function readPart(bytes: Uint8Array): readonly TagShard[] {
  try {
    const { version, shards } = deserialize(bytes) as {
      version?: string | undefined;
      shards?: readonly TagShard[] | undefined;
    };
    return version === INDEX_VERSION && shards ? shards : [];
  } catch {
    return [];
  }
}
