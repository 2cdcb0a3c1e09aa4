/**
 * The index of the files below one directory in the cache on disk: in parts, each written once. A process
 * with new results writes another part, and a list of all parts.
 */

import { randomBytes } from 'node:crypto';
import { packTags, unpackTags } from '../views/packed-tags.ts';
import { type PartsChanged, readKept, writeKept } from './kept.ts';
import type { Block, Entry, Shard, TagStore } from './tag-store.ts';

/** Bytes of tags after which a part ends. */
const PART_BYTES = 1 << 20;

/** Parts of one directory. When there are more, the smallest are written again as one, until half as many are left. */
const MOST_PARTS = 128;

/** Of a block with fewer files the tags are packed again with those of others. */
const SMALL = 16;

export interface WrittenPart {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface Part {
  readonly name: string;
  /** Whether it was handed out to be listed, or comes from the list. */
  isListed: boolean;
  /** Files of which it had tags when it was written. */
  readonly files: number;
}

/** Files of one block, with their positions in it. */
type FilesOf = ReadonlyMap<Block, readonly { readonly entry: Entry; readonly at: number }[]>;

export class KeptParts {
  /** Whether all that is on disk was read. */
  isLoaded = false;
  readonly #store: TagStore;
  readonly #home: string;
  /** The oldest first. */
  #parts: Part[] = [];
  /** Parts that are not needed any more. */
  #gone: string[] = [];

  /** `home` ends in a slash. */
  constructor(store: TagStore, home: string) {
    [this.#store, this.#home] = [store, home];
  }

  /** Takes what was read of a part that is older than all that are known, as far as there is room. */
  load(name: string, kept: Uint8Array): void {
    if (this.#store.isFull) return;
    if (this.#parts.some((part) => part.name === name)) return;
    const shards = readKept(kept);
    if (shards.length === 0) return this.miss(name);
    const files = shards.reduce((sum, { entries }) => sum + entries.length, 0);
    this.#parts.unshift({ name, files, isListed: true });
    for (const shard of shards) this.#store.put(shard, this.#home, { isOlder: true, part: name });
  }

  /** A part that is listed could not be read: it need not be looked for again. */
  miss(name: string): void {
    this.#gone.push(name);
  }

  /** What is to change in the list of parts; each change once. */
  takeChanges(): PartsChanged {
    const added = this.#parts.filter(({ isListed }) => !isListed);
    for (const part of added) part.isListed = true;
    return { names: this.#names, added: added.map(({ name }) => name), gone: this.#gone.splice(0) };
  }

  /** Of all parts, the oldest first. */
  get #names(): readonly string[] {
    return this.#parts.map(({ name }) => name);
  }

  /** Makes the parts that hold little be written again. */
  sweep(): void {
    const live = new Map<string, number>();
    for (const [block, files] of this.#store.blocksBelow(this.#home))
      if (block.part !== undefined) live.set(block.part, (live.get(block.part) ?? 0) + files.length);
    const fewest = this.#parts.toSorted((a, b) => (live.get(a.name) ?? 0) - (live.get(b.name) ?? 0));
    const merged =
      this.#parts.length > MOST_PARTS ? fewest.slice(0, this.#parts.length - MOST_PARTS / 2) : [];
    const thin = this.#parts.filter(({ name, files }) => (live.get(name) ?? 0) < files / 2);
    const gone = new Set([...merged, ...thin].map(({ name }) => name));
    if (gone.size === 0) return;
    this.#gone.push(...gone);
    this.#parts = this.#parts.filter(({ name }) => !gone.has(name));
    for (const block of this.#store.blocksBelow(this.#home).keys())
      if (block.part !== undefined && gone.has(block.part)) block.part = undefined;
  }

  /** The next part of what is in none; undefined if there is nothing. */
  next(): WrittenPart | undefined {
    const names = new Set(this.#names);
    const unkept = new Map<Block, readonly { readonly entry: Entry; readonly at: number }[]>();
    let bytes = 0;
    for (const [block, files] of this.#store.blocksBelow(this.#home)) {
      if (block.part !== undefined && names.has(block.part)) continue;
      unkept.set(block, files);
      bytes += block.bytes;
      if (bytes >= PART_BYTES) break;
    }
    if (unkept.size === 0) return undefined;
    const shards = shardsOf(unkept);
    const name = randomBytes(8).toString('hex');
    for (const block of unkept.keys()) block.part = name;
    this.#parts.push({
      name,
      isListed: false,
      files: shards.reduce((sum, { entries }) => sum + entries.length, 0),
    });
    return { name, bytes: writeKept(shards) };
  }
}

/** Whole blocks as they are, and of others the files that are left, packed together. */
function shardsOf(blocks: FilesOf): Shard[] {
  const shards: Shard[] = [];
  const loose: { readonly entry: Entry; readonly tags: string }[] = [];
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
