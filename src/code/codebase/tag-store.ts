/** A cache of the tags of files by their real paths, bounded in bytes. Files that were parsed together stay packed together. */

import type { EnclosingSymbol } from '../structure.ts';
import {
  countsIn,
  declaredIn,
  KNOWN,
  MAX_TAG_NAME_CHARACTERS,
  type PackedTags,
  packedTagsBytes,
  readSymbols,
  unpackTags,
  usedIn,
} from '../tags.ts';

/** A parsed file: its path, and the key of the identity of the parsed bytes (empty if that does not recur). */
export interface TagEntry {
  readonly path: string;
  readonly key: string;
  /**
   * Set if it has no tags because the parser exceeded a timeout or crashed. Who parses this version again: the next call
   * (`again`), later processes (`here`: the machine may have been busy), or nobody (`always`: it used all of its CPU time, or
   * crashed).
   */
  readonly slow?: 'again' | 'here' | 'always' | undefined;
}

/** Files that were parsed together. `entries` are in the order of `tags`. */
export interface TagShard {
  readonly entries: readonly TagEntry[];
  readonly tags: PackedTags;
}

/** Maximum bytes of packed tags. */
const MAX_PACKED_TAGS_BYTES = 96 << 20;

/** Maximum characters of unpacked tags: those of a few thousand files. */
const MAX_UNPACKED_TAGS_CHARACTERS = 12 << 20;

/** A shard in the cache. */
export interface TagBlock {
  readonly tags: PackedTags;
  /** The imports of each file, one on each line. */
  readonly imports: readonly string[];
  readonly bytes: number;
  /** The number of its files that are not replaced or evicted. */
  live: number;
  /** The name of the part on disk that contains it. */
  part: string | undefined;
}

/** The tags of one version of a file. Immutable: a new version is a new object. */
export class StoredFile {
  readonly key: string;
  readonly block: TagBlock;
  /** Its 0-based position in the block. */
  readonly at: number;
  readonly slow: TagEntry['slow'];
  readonly #unpack: (block: TagBlock) => readonly string[];

  constructor(
    { key, block, at, slow }: Pick<StoredFile, 'key' | 'block' | 'at' | 'slow'>,
    unpack: (block: TagBlock) => readonly string[],
  ) {
    [this.key, this.block, this.at, this.slow] = [key, block, at, slow];
    this.#unpack = unpack;
  }

  /** A value of `KNOWN`. */
  get known(): number {
    return this.block.tags.known[this.at] ?? KNOWN.nothing;
  }

  /** Hashes of the names that it declares: see `PackedTags` in tags.ts. */
  get declared(): Uint32Array {
    return declaredIn(this.block.tags, this.at);
  }

  /** Hashes of the names that it uses, each once. */
  get used(): Uint32Array {
    return usedIn(this.block.tags, this.at);
  }

  /** How often it uses each of `used`. */
  get counts(): Uint8Array {
    return countsIn(this.block.tags, this.at);
  }

  /** The modules that it imports, as written. */
  get imports(): readonly string[] {
    return (this.block.imports[this.at] ?? '').split('\n').filter((line) => line !== '');
  }

  /** The tags in the format of `writeTags`. */
  tags(): string {
    return this.#unpack(this.block)[this.at] ?? '';
  }
}

/** Whether one kind of tags is a sketch, and the other one is not. */
function isLess(one: number | undefined, other: number): boolean {
  return one === KNOWN.sketch && (other === KNOWN.all || other === KNOWN.part);
}

interface PutOptions {
  /** Whether files that are already cached keep their tags. */
  readonly isOlder?: boolean | undefined;
  /** The name of the part on disk that contains the shard. */
  readonly part?: string | undefined;
}

export class TagStore {
  readonly #files = new Map<string, StoredFile>();
  readonly #unpacked = new Map<TagBlock, readonly string[]>();
  #unpackedChars = 0;
  #held = 0;

  /** The version that is cached, also if it has no tags. */
  get(path: string): StoredFile | undefined {
    return this.#files.get(path);
  }

  /** Undefined if the file is not cached or has no tags. */
  fileOf(path: string): StoredFile | undefined {
    const known = this.#files.get(path);
    return known?.known === KNOWN.nothing ? undefined : known;
  }

  /** Adds the files of a shard. `base`: the prefix of their real paths, with a slash at its end. */
  put({ entries, tags }: TagShard, base: string, { isOlder = false, part }: PutOptions = {}): void {
    const block: TagBlock = {
      tags,
      imports: tags.imports.split('\0'),
      bytes: packedTagsBytes(tags),
      live: 0,
      part,
    };
    entries.forEach(({ path, key, slow }, at) => {
      const name = base + path;
      const known = this.#files.get(name);
      if (known && isOlder) return;
      // Two calls may look at one file at the same time.
      if (known && key !== '' && known.key === key && isLess(tags.known[at], known.known)) return;
      if (known) this.#forget(known);
      block.live += 1;
      this.#files.set(name, new StoredFile({ key, block, at, slow }, this.#unpack));
    });
    if (block.live > 0) this.#held += block.bytes;
  }

  /** Whether the cache exceeds its maximum size. */
  get isFull(): boolean {
    return this.#held > MAX_PACKED_TAGS_BYTES;
  }

  /** Evicts files, except those in `usedNow`, until the cache is within its maximum size. The oldest go first. */
  makeRoom(usedNow: () => ReadonlySet<string>): void {
    if (this.#held <= MAX_PACKED_TAGS_BYTES) return;
    const used = usedNow();
    for (const [path, known] of this.#files) {
      if (used.has(path)) continue;
      this.#files.delete(path);
      this.#forget(known);
      if (this.#held <= MAX_PACKED_TAGS_BYTES) return;
    }
  }

  /** The files below `home` (a prefix with a slash at its end) that can be stored on disk, with paths relative to it. */
  blocksBelow(home: string): Map<TagBlock, { readonly entry: TagEntry; readonly at: number }[]> {
    const byBlock = new Map<TagBlock, { readonly entry: TagEntry; readonly at: number }[]>();
    for (const [path, { key, block, at, slow }] of this.#files) {
      if (key === '' || slow === 'here' || !path.startsWith(home)) continue;
      const entry = { path: path.slice(home.length), key, slow: slow || undefined };
      const known = byBlock.get(block);
      if (known) known.push({ entry, at });
      else byBlock.set(block, [{ entry, at }]);
    }
    return byBlock;
  }

  #forget({ block }: StoredFile): void {
    block.live -= 1;
    if (block.live > 0) return;
    this.#held -= block.bytes;
    this.#drop(block);
  }

  readonly #unpack = (block: TagBlock): readonly string[] => {
    const known = this.#unpacked.get(block) ?? unpackTags(block.tags);
    if (this.#unpacked.delete(block)) this.#unpackedChars -= block.tags.chars;
    // The most recently used last.
    this.#unpacked.set(block, known);
    this.#unpackedChars += block.tags.chars;
    for (const oldest of this.#unpacked.keys()) {
      if (this.#unpackedChars <= MAX_UNPACKED_TAGS_CHARACTERS || oldest === block) break;
      this.#drop(oldest);
    }
    return known;
  };

  #drop(block: TagBlock): void {
    if (this.#unpacked.delete(block)) this.#unpackedChars -= block.tags.chars;
  }
}

// The symbols around lines of a file, taken from its cached tags instead of parsing it again.

export interface LinesAround {
  /** The real path of the file. */
  readonly path: string;
  /** The key of the identity of its bytes; empty if that does not recur. */
  readonly key: string;
  /** 1-based. */
  readonly lines: readonly number[];
}

/** For each of `lines` the innermost symbol of at least two lines that contains it; undefined if there is none. */
export type AroundLines = readonly (EnclosingSymbol | undefined)[];

/** Undefined unless the store has all symbols of exactly this version of the file. */
export function aroundLines(store: TagStore, { path, key, lines }: LinesAround): AroundLines | undefined {
  const stored = store.get(path);
  if (key === '' || stored?.key !== key || stored.known !== KNOWN.all) return undefined;
  const tags = readSymbols(stored.tags());
  // Long names are truncated in tags, so they could not be shown in full.
  if (tags.some(({ name }) => name.length >= MAX_TAG_NAME_CHARACTERS)) return undefined;
  return lines.map((line) => {
    // A symbol precedes those inside it, so the last match is the innermost.
    const tag = tags.findLast(({ from, to }) => from <= line && line <= to && to > from);
    return tag && { name: tag.qualified, from: tag.from, to: tag.to };
  });
}
