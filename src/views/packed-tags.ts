/**
 * The tags of a group of files, compressed, with the numbers for ranking in separate arrays: ranking 20,000 files reads
 * all numbers, but the tags of only a few files.
 */

import { constants } from 'node:zlib';
import { deflateRawSync, inflateRawSync } from '../access/uninterrupted.ts';
import { isCut, readImports, visitNames, visitUses } from './file-tags.ts';

/** Plain data for other threads and the cache. Files are identified by their 0-based positions. */
export interface PackedTags {
  /** All tags, joined by `\0` and deflated. */
  readonly packed: Uint8Array;
  /** Characters of all tags. */
  readonly chars: number;
  /** For each file, whether its tags are known: see `KNOWN`. */
  readonly known: Uint8Array;
  /** Hashes of the names that each file declares, then of those that it uses. */
  readonly names: Uint32Array;
  /** How often it uses each; 0 for those that it declares. At most 255. */
  readonly counts: Uint8Array;
  /** Indexes into `names`: for each file the start of its declared and of its used names; finally the end. */
  readonly starts: Uint32Array;
  /** The imports of each file, one on each line; files are joined by `\0`. */
  readonly imports: string;
}

/** The tags of a file are missing, complete, or truncated to the first 5,000 symbols and names. */
export const KNOWN = { nothing: 0, all: 1, part: 2 } as const;

const PACKING = { level: constants.Z_BEST_SPEED };

/** A 32-bit hash of a name (FNV-1a). Of 100,000 names two or three collide, so compare the names themselves too. */
export function hashOf(name: string): number {
  return hashIn(name, 0, name.length);
}

/** The hash of the name at a range of `text`. */
function hashIn(text: string, from: number, to: number): number {
  let hash = 0x81_1c_9d_c5;
  for (let i = from; i < to; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01_00_01_93);
  return hash >>> 0;
}

/** `tags`: the result of `writeTags` for each file; empty if its tags are missing. */
export function packTags(tags: readonly string[]): PackedTags {
  const names = new HashList();
  const starts = new Uint32Array(2 * tags.length + 1);
  // As signed numbers, which V8 stores without an object for each.
  const declared = new Set<number>();
  tags.forEach((one, file) => {
    starts[2 * file] = names.count;
    declared.clear();
    visitNames(one, (from, to) => {
      const hash = hashIn(one, from, to);
      if (declared.has(hash | 0)) return;
      declared.add(hash | 0);
      names.add(hash, 0);
    });
    starts[2 * file + 1] = names.count;
    visitUses(one, (from, to, uses) => names.add(hashIn(one, from, to), uses));
  });
  starts[2 * tags.length] = names.count;
  const text = tags.join('\0');
  return {
    packed: new Uint8Array(deflateRawSync(text, PACKING)),
    chars: text.length,
    known: Uint8Array.from(tags, (one) => (one === '' ? KNOWN.nothing : isCut(one) ? KNOWN.part : KNOWN.all)),
    ...names.packed(),
    starts,
    imports: tags.map((one) => readImports(one).join('\n')).join('\0'),
  };
}

/** Hashes with counts, in arrays that double when they are full. */
class HashList {
  count = 0;
  #names = new Uint32Array(1_024);
  #counts = new Uint8Array(1_024);

  add(hash: number, count: number): void {
    if (this.count === this.#names.length) this.#grow();
    this.#names[this.count] = hash;
    this.#counts[this.count] = Math.min(255, count);
    this.count += 1;
  }

  packed(): Pick<PackedTags, 'names' | 'counts'> {
    return { names: this.#names.slice(0, this.count), counts: this.#counts.slice(0, this.count) };
  }

  #grow(): void {
    const [names, counts] = [this.#names, this.#counts];
    this.#names = new Uint32Array(2 * this.count);
    this.#counts = new Uint8Array(2 * this.count);
    this.#names.set(names);
    this.#counts.set(counts);
  }
}

/** Most bytes of a UTF-16 code unit in UTF-8. */
const UTF8_BYTES = 3;

/** The tags of each file. Throws if they are larger than `chars` says. */
export function unpackTags({ packed, chars }: PackedTags): string[] {
  const maxOutputLength = Math.max(1, chars * UTF8_BYTES);
  return inflateRawSync(packed, { maxOutputLength }).toString().split('\0');
}

/** Hashes of the names that a file declares. */
export function declaredIn({ names, starts }: PackedTags, file: number): Uint32Array {
  return names.subarray(starts[2 * file], starts[2 * file + 1]);
}

/** Hashes of the names that a file uses, each once. */
export function usedIn({ names, starts }: PackedTags, file: number): Uint32Array {
  return names.subarray(starts[2 * file + 1], starts[2 * file + 2]);
}

/** How often a file uses each of `usedIn`. */
export function countsIn({ counts, starts }: PackedTags, file: number): Uint8Array {
  return counts.subarray(starts[2 * file + 1], starts[2 * file + 2]);
}

/** Approximate bytes of memory. */
export function packedTagsBytes({ packed, known, names, counts, starts, imports }: PackedTags): number {
  return packed.length + known.length + names.byteLength + counts.length + starts.byteLength + imports.length;
}
