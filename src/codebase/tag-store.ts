/** The tags of files by their real paths, packed as they were parsed together, within a budget of memory. */

import {
  countsIn,
  declaredIn,
  KNOWN,
  type PackedTags,
  packedTagsBytes,
  unpackTags,
  usedIn,
} from '../views/packed-tags.ts';

/** What was parsed: a path, and the key of the identity of the bytes that were parsed. */
export interface Entry {
  readonly path: string;
  readonly key: string;
}

/** Files that were parsed together; `entries` by their positions in `tags`. */
export interface Shard {
  readonly entries: readonly Entry[];
  readonly tags: PackedTags;
}

/** Bytes of packed tags that are held. Those of files that were not asked for lately go first. */
const MOST_HELD = 96 << 20;

/** Characters of tags that are held unpacked: those of a few thousand files. */
const MOST_UNPACKED = 12 << 20;

export interface Block {
  readonly tags: PackedTags;
  /** Lines of each file. */
  readonly imports: readonly string[];
  readonly bytes: number;
  /** Files whose tags are in it still. */
  live: number;
  /** The part on disk that has it. */
  part: string | undefined;
}

/** What is known of one version of a file: another version is another object. */
export class StoredFile {
  readonly key: string;
  readonly block: Block;
  readonly at: number;
  /** It took too long to parse; not kept beyond the process. */
  readonly isSlow: boolean;
  readonly #unpack: (block: Block) => readonly string[];

  constructor(
    { key, block, at, isSlow }: Pick<StoredFile, 'key' | 'block' | 'at' | 'isSlow'>,
    unpack: (block: Block) => readonly string[],
  ) {
    [this.key, this.block, this.at, this.isSlow] = [key, block, at, isSlow];
    this.#unpack = unpack;
  }

  /** See `KNOWN`. */
  get known(): number {
    return this.block.tags.known[this.at] ?? KNOWN.nothing;
  }

  /** Hashes of names: see views/packed-tags.ts. */
  get declared(): Uint32Array {
    return declaredIn(this.block.tags, this.at);
  }

  get used(): Uint32Array {
    return usedIn(this.block.tags, this.at);
  }

  get counts(): Uint8Array {
    return countsIn(this.block.tags, this.at);
  }

  /** Modules, as written. */
  get imports(): readonly string[] {
    return (this.block.imports[this.at] ?? '').split('\n').filter((line) => line !== '');
  }

  /** As `writeTags` writes them. */
  tags(): string {
    return this.#unpack(this.block)[this.at] ?? '';
  }
}

interface PutOptions {
  /** Files that are known already stay as they are. */
  readonly isOlder?: boolean;
  readonly isSlow?: boolean;
  /** The part on disk from which it comes. */
  readonly part?: string;
}

export class TagStore {
  readonly #files = new Map<string, StoredFile>();
  readonly #unpacked = new Map<Block, readonly string[]>();
  #unpackedChars = 0;
  #held = 0;

  /** The key of the bytes of which a file's tags are known. */
  keyOf(path: string): string | undefined {
    return this.#files.get(path)?.key;
  }

  /** How much is known of a file: `KNOWN`, or that it took too long. */
  knownOf(path: string): 'slow' | number | undefined {
    const known = this.#files.get(path);
    return known && (known.isSlow ? 'slow' : known.known);
  }

  /** What is known of a file; undefined if nothing is. */
  fileOf(path: string): StoredFile | undefined {
    const known = this.#files.get(path);
    return known?.known === KNOWN.nothing ? undefined : known;
  }

  /** `base` is put before each path. */
  put(
    { entries, tags }: Shard,
    base: string,
    { isOlder = false, isSlow = false, part }: PutOptions = {},
  ): void {
    const block: Block = {
      tags,
      imports: tags.imports.split('\0'),
      bytes: packedTagsBytes(tags),
      live: 0,
      part,
    };
    entries.forEach(({ path, key }, at) => {
      const name = base + path;
      const known = this.#files.get(name);
      if (known && isOlder) return;
      if (known) this.#forget(known);
      block.live += 1;
      this.#files.set(name, new StoredFile({ key, block, at, isSlow }, this.#unpack));
    });
    if (block.live > 0) this.#held += block.bytes;
  }

  /** Whether more is not to be held. */
  get isFull(): boolean {
    return this.#held > MOST_HELD;
  }

  /** Forgets files that are none of `usedNow` until no more is held than may be. */
  makeRoom(usedNow: () => ReadonlySet<string>): void {
    if (this.#held <= MOST_HELD) return;
    const used = usedNow();
    for (const [path, known] of this.#files) {
      if (used.has(path)) continue;
      this.#files.delete(path);
      this.#forget(known);
      if (this.#held <= MOST_HELD) return;
    }
  }

  /** The files below `home` (it ends in a slash) that may be kept beyond the process, their paths relative to it. */
  blocksBelow(home: string): Map<Block, { readonly entry: Entry; readonly at: number }[]> {
    const byBlock = new Map<Block, { readonly entry: Entry; readonly at: number }[]>();
    for (const [path, { key, block, at, isSlow }] of this.#files) {
      if (key === '' || isSlow || !path.startsWith(home)) continue;
      const entry = { path: path.slice(home.length), key };
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

  readonly #unpack = (block: Block): readonly string[] => {
    const known = this.#unpacked.get(block) ?? unpackTags(block.tags);
    if (this.#unpacked.delete(block)) this.#unpackedChars -= block.tags.chars;
    // The one that was used last is the last.
    this.#unpacked.set(block, known);
    this.#unpackedChars += block.tags.chars;
    for (const oldest of this.#unpacked.keys()) {
      if (this.#unpackedChars <= MOST_UNPACKED || oldest === block) break;
      this.#drop(oldest);
    }
    return known;
  };

  #drop(block: Block): void {
    if (this.#unpacked.delete(block)) this.#unpackedChars -= block.tags.chars;
  }
}
