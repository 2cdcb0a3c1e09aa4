/**
 * The index of the files below one directory in the cache on disk. It consists of parts, each written once: a process with
 * new tags adds another part, and updates the list of all parts.
 */

import { randomBytes } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { packTags, unpackTags } from '../tags.ts';
import type { TagBlock, TagEntry, TagShard, TagStore } from './tag-store.ts';

/** A part takes no further block after so many bytes of tags. */
const PART_BYTES = 1 << 20;

/** Maximum parts of a directory. If there are more, those with the fewest live files are merged until half as many are left. */
const MAX_INDEX_PARTS = 128;

/** Blocks with fewer files are repacked together with others. */
const SMALL = 16;

export interface WrittenPart {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface Part {
  readonly name: string;
  /** Whether it is in the list on disk, or `takeChanges` has returned it for that. */
  isListed: boolean;
  /** The number of files in it. */
  readonly files: number;
}

/** The live files of each block, with their 0-based positions in it. */
type FilesOf = ReadonlyMap<TagBlock, readonly { readonly entry: TagEntry; readonly at: number }[]>;

export class IndexParts {
  /** Whether all parts on disk were loaded. */
  isLoaded = false;
  readonly #store: TagStore;
  readonly #home: string;
  /** The oldest first. */
  #parts: Part[] = [];
  /** The names of parts that are to be removed from the list. */
  #gone: string[] = [];

  /** `home`: the prefix of the real paths of the files, with a slash at its end. */
  constructor(store: TagStore, home: string) {
    [this.#store, this.#home] = [store, home];
  }

  /** Adds the tags of a part on disk that is older than all known parts. Ignored if it is known, or the store is full. */
  load(name: string, bytes: Uint8Array): void {
    if (this.#store.isFull) return;
    if (this.#parts.some((part) => part.name === name)) return;
    const shards = readPart(bytes);
    if (shards.length === 0) return this.miss(name);
    const files = shards.reduce((sum, { entries }) => sum + entries.length, 0);
    this.#parts.unshift({ name, files, isListed: true });
    for (const shard of shards) this.#store.put(shard, this.#home, { isOlder: true, part: name });
  }

  /** Removes a part from the list, because it could not be read. */
  miss(name: string): void {
    this.#gone.push(name);
  }

  /** The change of the list since the last call. */
  takeChanges(): PartListChange {
    const added = this.#parts.filter(({ isListed }) => !isListed);
    for (const part of added) part.isListed = true;
    return { names: this.#names, added: added.map(({ name }) => name), gone: this.#gone.splice(0) };
  }

  /** The names of all parts, the oldest first. */
  get #names(): readonly string[] {
    return this.#parts.map(({ name }) => name);
  }

  /** Marks the parts with few live files for rewriting: `next` returns their files again, in new parts. */
  compact(): void {
    const live = new Map<string, number>();
    for (const [block, files] of this.#store.blocksBelow(this.#home))
      if (block.part !== undefined) live.set(block.part, (live.get(block.part) ?? 0) + files.length);
    const fewest = this.#parts.toSorted((a, b) => (live.get(a.name) ?? 0) - (live.get(b.name) ?? 0));
    const merged =
      this.#parts.length > MAX_INDEX_PARTS ? fewest.slice(0, this.#parts.length - MAX_INDEX_PARTS / 2) : [];
    const thin = this.#parts.filter(({ name, files }) => (live.get(name) ?? 0) < files / 2);
    const gone = new Set([...merged, ...thin].map(({ name }) => name));
    if (gone.size === 0) return;
    this.#gone.push(...gone);
    this.#parts = this.#parts.filter(({ name }) => !gone.has(name));
    for (const block of this.#store.blocksBelow(this.#home).keys())
      if (block.part !== undefined && gone.has(block.part)) block.part = undefined;
  }

  /** Packs the next part from files that are in no part; undefined if there are none. */
  next(): WrittenPart | undefined {
    const names = new Set(this.#names);
    const unwritten = new Map<TagBlock, readonly { readonly entry: TagEntry; readonly at: number }[]>();
    let bytes = 0;
    for (const [block, files] of this.#store.blocksBelow(this.#home)) {
      if (block.part !== undefined && names.has(block.part)) continue;
      unwritten.set(block, files);
      bytes += block.bytes;
      if (bytes >= PART_BYTES) break;
    }
    if (unwritten.size === 0) return undefined;
    const shards = shardsOf(unwritten);
    const name = randomBytes(8).toString('hex');
    for (const block of unwritten.keys()) block.part = name;
    this.#parts.push({
      name,
      isListed: false,
      files: shards.reduce((sum, { entries }) => sum + entries.length, 0),
    });
    return { name, bytes: writePart(shards) };
  }
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
export const INDEX_VERSION = 'oriel tags 7';

/** One part. It is not compressed again: packed tags are already compressed, and hashes of names do not compress. */
export function writePart(shards: readonly TagShard[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(serialize({ version: INDEX_VERSION, shards }));
}

/** The list of parts; `parts`: their names, the oldest first. */
function writePartNames(parts: readonly string[]): Uint8Array<ArrayBuffer> {
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
const MAX_LISTED_PARTS = 256;

/** Applies the change to the list `bytes`. Parts that other processes have added meanwhile stay in it. */
export function changePartNames(
  bytes: Uint8Array | undefined,
  { names, added, gone }: PartListChange,
): Uint8Array<ArrayBuffer> {
  const listed = bytes ? readPartNames(bytes) : [];
  const isGone = new Set(gone);
  const left = (listed.length === 0 ? names : listed).filter((name) => !isGone.has(name));
  return writePartNames([...new Set([...left, ...added])].slice(-MAX_LISTED_PARTS));
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
export function readPart(bytes: Uint8Array): readonly TagShard[] {
  try {
    const { version, shards } = deserialize(bytes) as { version?: string; shards?: readonly TagShard[] };
    return version === INDEX_VERSION && shards ? shards : [];
  } catch {
    return [];
  }
}
