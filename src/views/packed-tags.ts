/**
 * The tags of a group of files, compressed, with the numbers for ranking in separate arrays: ranking 20,000 files reads
 * all numbers, but the tags of only a few files.
 */

import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { isCut, readImports, readNames, readUseCounts } from './file-tags.ts';

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
  let hash = 0x81_1c_9d_c5;
  for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01_00_01_93);
  return hash >>> 0;
}

/** `tags`: the result of `writeTags` for each file; empty if its tags are missing. */
export function packTags(tags: readonly string[]): PackedTags {
  const names: number[] = [];
  const counts: number[] = [];
  const starts: number[] = [];
  const imports: string[] = [];
  for (const one of tags) {
    starts.push(names.length);
    for (const hash of new Set(readNames(one).map(hashOf))) {
      names.push(hash);
      counts.push(0);
    }
    starts.push(names.length);
    for (const [name, count] of readUseCounts(one)) {
      names.push(hashOf(name));
      counts.push(Math.min(255, count));
    }
    imports.push(readImports(one).join('\n'));
  }
  const text = tags.join('\0');
  return {
    packed: new Uint8Array(deflateRawSync(text, PACKING)),
    chars: text.length,
    known: Uint8Array.from(tags, (one) => (one === '' ? KNOWN.nothing : isCut(one) ? KNOWN.part : KNOWN.all)),
    names: Uint32Array.from(names),
    counts: Uint8Array.from(counts),
    starts: Uint32Array.from([...starts, names.length]),
    imports: imports.join('\0'),
  };
}

/** The tags of each file. */
export function unpackTags({ packed }: PackedTags): string[] {
  return inflateRawSync(packed).toString().split('\0');
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
