/**
 * The tags of some files together, deflated, and beside them the numbers that ranking needs: for 20,000 files
 * all numbers are read, but only the tags of a few files.
 */

import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { isCut, readImports, readNames, readUseCounts } from './file-tags.ts';

/** Plain data, as it travels between threads and is kept. Files are told by their positions, from 0. */
export interface PackedTags {
  /** All tags, joined by `\0` and deflated. */
  readonly packed: Uint8Array;
  /** Their characters. */
  readonly chars: number;
  /** For each file what is known of it: see `KNOWN`. */
  readonly known: Uint8Array;
  /** Hashes of the names that each file declares, then of those that it uses. */
  readonly names: Uint32Array;
  /** How often it uses each; 0 for those that it declares. At most 255. */
  readonly counts: Uint8Array;
  /** Where in `names` those of each file begin: declared, used, and so on; at last the end. */
  readonly starts: Uint32Array;
  /** What each file imports, lines; files joined by `\0`. */
  readonly imports: string;
}

/** Nothing is known of a file; all is; or the first 5,000 symbols and names. */
export const KNOWN = { nothing: 0, all: 1, part: 2 } as const;

const PACKING = { level: constants.Z_BEST_SPEED };

/** Names as numbers of 32 bits. Of a hundred thousand names two or three have the same one: look at the names. */
export function hashOf(name: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let i = 0; i < name.length; i += 1) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01_00_01_93);
  return hash >>> 0;
}

/** `tags`: of each file, as `writeTags` writes them; empty if nothing is known. */
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

/** Hashes of what a file declares. */
export function declaredIn({ names, starts }: PackedTags, file: number): Uint32Array {
  return names.subarray(starts[2 * file], starts[2 * file + 1]);
}

/** Hashes of what a file uses, each once. */
export function usedIn({ names, starts }: PackedTags, file: number): Uint32Array {
  return names.subarray(starts[2 * file + 1], starts[2 * file + 2]);
}

/** How often a file uses each of `usedIn`. */
export function countsIn({ counts, starts }: PackedTags, file: number): Uint8Array {
  return counts.subarray(starts[2 * file + 1], starts[2 * file + 2]);
}

/** Bytes that it takes, about. */
export function packedTagsBytes({ packed, known, names, counts, starts, imports }: PackedTags): number {
  return packed.length + known.length + names.byteLength + counts.length + starts.byteLength + imports.length;
}
