/** Finds the files that differ between two directories of a repository. Subdirectories with equal ids are not read. */

import { ID } from './pack-index.ts';

/** Reads a directory by its id; undefined if it is missing or cannot be read. */
export type ReadTree = (id: Buffer) => Buffer | undefined;

export interface Difference {
  /** Paths of files that were added or changed, separated by `/`. They are Latin-1: each character is a byte of the path. */
  readonly paths: string[];
  /** Whether there are more files than allowed, or a directory could not be read or is nested too deeply. */
  isCut: boolean;
}

interface Entry {
  readonly name: string;
  readonly is: 'file' | 'directory' | 'other';
  readonly id: Buffer;
  /** The byte offset of the next entry. */
  readonly end: number;
}

/** Maximum nesting depth of directories. */
const DEEPEST = 64;

const SPACE = 0x20;

/** The files of `newer` that are not in `older`, or differ from it; at most `most`. `older` undefined: all files of `newer`. */
export function differenceOf(
  read: ReadTree,
  older: Buffer | undefined,
  newer: Buffer,
  most: number,
): Difference {
  const found: Difference = { paths: [], isCut: false };
  compare(read, older, newer, '', { most, found, depth: 0 });
  return found;
}

interface Work {
  readonly most: number;
  readonly found: Difference;
  readonly depth: number;
}

function compare(read: ReadTree, older: Buffer | undefined, newer: Buffer, front: string, work: Work): void {
  const { found, depth, most } = work;
  const [before, after] = [older === undefined ? Buffer.alloc(0) : read(older), read(newer)];
  if (!before || !after || depth > DEEPEST) {
    found.isCut = true;
    return;
  }
  let [a, b] = [entryAt(before, 0), entryAt(after, 0)];
  while (b && !found.isCut) {
    const order = a ? compareNames(a, b) : 1;
    if (a && order < 0) {
      a = entryAt(before, a.end);
      continue;
    }
    const same = order === 0 ? a : undefined;
    if (!same?.id.equals(b.id)) {
      const path = front + b.name;
      if (b.is === 'directory') {
        const inside = same?.is === 'directory' ? same.id : undefined;
        compare(read, inside, b.id, `${path}/`, { ...work, depth: depth + 1 });
      } else if (b.is === 'file') {
        if (found.paths.length === most) found.isCut = true;
        else found.paths.push(path);
      }
    }
    if (a && order === 0) a = entryAt(before, a.end);
    b = entryAt(after, b.end);
  }
}

/** In the order of git, which sorts a directory as if its name ended in a slash. */
function compareNames(a: Entry, b: Entry): number {
  const [one, other] = [sortName(a), sortName(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}

function sortName({ name, is }: Entry): string {
  return is === 'directory' ? `${name}/` : name;
}

/** Parses the entry `MODE SP NAME NUL ID` at the offset `at`. Undefined at the end, and if it is not valid. */
function entryAt(tree: Buffer, at: number): Entry | undefined {
  const space = tree.indexOf(SPACE, at);
  const zero = space === -1 ? -1 : tree.indexOf(0, space);
  const end = zero + 1 + ID;
  if (zero === -1 || end > tree.length) return undefined;
  const mode = tree.toString('latin1', at, space);
  const is = mode === '40000' ? 'directory' : mode.startsWith('100') ? 'file' : 'other';
  return { name: tree.toString('latin1', space + 1, zero), is, id: tree.subarray(zero + 1, end), end };
}
