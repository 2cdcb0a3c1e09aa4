/** Which files differ between two directories of a repository, without reading subtrees that are equal. */

import { ID } from './pack-index.ts';

/** Reads a directory by its id; undefined for one that is not there. */
export type ReadTree = (id: Buffer) => Buffer | undefined;

export interface Difference {
  /** Paths of files that were added or changed: bytes, one character each, with `/`. */
  readonly paths: string[];
  /** More than was allowed, or something that could not be read. */
  isCut: boolean;
}

interface Entry {
  readonly name: string;
  readonly is: 'file' | 'directory' | 'other';
  readonly id: Buffer;
  /** Where the next entry begins. */
  readonly end: number;
}

/** Directories inside directories. */
const DEEPEST = 64;

const SPACE = 0x20;

/** What `newer` has otherwise than `older` (none: nothing), of more than `most` files any so many. */
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

/** As git sorts them: a directory as if its name ended in a slash. */
function compareNames(a: Entry, b: Entry): number {
  const [one, other] = [sortName(a), sortName(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}

function sortName({ name, is }: Entry): string {
  return is === 'directory' ? `${name}/` : name;
}

/** `MODE SP NAME NUL ID`. Undefined at the end, and for what is no entry. */
function entryAt(tree: Buffer, at: number): Entry | undefined {
  const space = tree.indexOf(SPACE, at);
  const zero = space === -1 ? -1 : tree.indexOf(0, space);
  const end = zero + 1 + ID;
  if (zero === -1 || end > tree.length) return undefined;
  const mode = tree.toString('latin1', at, space);
  const is = mode === '40000' ? 'directory' : mode.startsWith('100') ? 'file' : 'other';
  return { name: tree.toString('latin1', space + 1, zero), is, id: tree.subarray(zero + 1, end), end };
}
