/** Commits and trees of a repository: their fields, the entry at a path, and the paths that differ between two trees. */

import { type GitObject, UnreadableObject } from './pack.ts';

export interface GitCommit {
  /** The id of its root directory. */
  readonly tree: Buffer;
  readonly parents: readonly Buffer[];
  /** `Name <address>`, as stored. */
  readonly author: string;
  /** Of the author, in seconds since the epoch, and the time zone: `+0100`. */
  readonly authored: { readonly time: number; readonly zone: string };
  /** Of the committer, in seconds since the epoch. */
  readonly time: number;
  readonly message: string;
}

/** Undefined if it is not valid. */
export function parseCommit(bytes: Buffer): GitCommit | undefined {
  const end = bytes.indexOf('\n\n');
  const head = bytes.toString('utf8', 0, end === -1 ? bytes.length : end);
  const tree = /^tree ([0-9a-f]{40,64})$/m.exec(head)?.[1];
  if (tree === undefined) return undefined;
  const person = (field: string): RegExpExecArray | null =>
    new RegExp(`^${field} (.*) (-?\\d{1,12}) ([+-]\\d{4})$`, 'm').exec(head);
  const [author, committer] = [person('author'), person('committer')];
  // git writes the name of an encoding that is not UTF-8. Few texts have one.
  const encoding = /^encoding (?:iso-?8859-1|latin-?1)$/im.test(head) ? 'latin1' : 'utf8';
  return {
    tree: Buffer.from(tree, 'hex'),
    parents: [...head.matchAll(/^parent ([0-9a-f]{40,64})$/gm)].map(([, id = '']) => Buffer.from(id, 'hex')),
    author: author?.[1] ?? '',
    authored: { time: Number(author?.[2] ?? 0), zone: author?.[3] ?? '+0000' },
    time: Number(committer?.[2] ?? 0),
    message: end === -1 ? '' : bytes.toString(encoding, end + 2),
  };
}

export interface TreeEntry {
  /** Latin-1: each character is a byte. */
  readonly name: string;
  readonly mode: string;
  readonly kind: 'file' | 'directory' | 'link' | 'submodule';
  readonly id: Buffer;
}

/** The byte offset of the next entry. */
type StoredEntry = TreeEntry & { readonly end: number };

/** Reads a tree by its id; undefined if it is missing. */
export type ReadTree = (id: Buffer) => GitObject | undefined;

const SPACE = 0x20;

/** Parses the entry `MODE SP NAME NUL ID` at the offset `at`. Undefined at the end, and if it is not valid. */
function entryAt(tree: Buffer, at: number, idBytes: number): StoredEntry | undefined {
  const space = tree.indexOf(SPACE, at);
  const zero = space === -1 ? -1 : tree.indexOf(0, space);
  const end = zero + 1 + idBytes;
  if (zero === -1 || end > tree.length) return undefined;
  const mode = tree.toString('latin1', at, space).padStart(6, '0');
  const name = tree.toString('latin1', space + 1, zero);
  return { name, mode, kind: kindOfMode(mode), id: tree.subarray(zero + 1, end), end };
}

export function kindOfMode(mode: string): TreeEntry['kind'] {
  if (mode === '040000') return 'directory';
  if (mode === '120000') return 'link';
  return mode === '160000' ? 'submodule' : 'file';
}

export function* entriesOf(tree: Buffer, idBytes: number): Generator<TreeEntry> {
  for (let entry = entryAt(tree, 0, idBytes); entry; entry = entryAt(tree, entry.end, idBytes)) yield entry;
}

/** Throws `UnreadableObject` if it is missing or something else. */
function treeAt(read: ReadTree, id: Buffer): Buffer {
  const found = read(id);
  if (found?.kind !== 'tree') throw new UnreadableObject(found ? 'it is not a directory' : 'it is missing');
  return found.bytes;
}

/** The entry at `path` (Latin-1, without a slash at its ends) below the tree `root`. Undefined if there is none. */
export function entryAtPath(read: ReadTree, root: Buffer, path: string): TreeEntry | undefined {
  let at: TreeEntry = { name: '', mode: '040000', kind: 'directory', id: root };
  for (const name of path === '' ? [] : path.split('/')) {
    if (at.kind !== 'directory') return undefined;
    const tree = treeAt(read, at.id);
    let next = entryAt(tree, 0, root.length);
    while (next && next.name !== name) next = entryAt(tree, next.end, root.length);
    if (!next) return undefined;
    at = next;
  }
  return at;
}

/** A file, a link or a submodule, with its path (Latin-1). */
export interface PathEntry extends TreeEntry {
  readonly path: string;
}

/** All but the directories below the tree `id`, in the order of their paths. Throws `UnreadableObject`. */
export function* filesBelow(read: ReadTree, id: Buffer, front = '', depth = 0): Generator<PathEntry> {
  if (depth > MAX_TREE_DEPTH) throw new UnreadableObject(TOO_DEEP);
  for (const entry of entriesOf(treeAt(read, id), id.length)) {
    const path = front + entry.name;
    if (entry.kind === 'directory') yield* filesBelow(read, entry.id, `${path}/`, depth + 1);
    else yield { ...entry, path };
  }
}

/** A path that differs: added without `before`, removed without `after`. Neither is a directory. */
export interface TreeChange {
  /** Latin-1, separated by `/`. */
  readonly path: string;
  readonly before?: TreeEntry | undefined;
  readonly after?: TreeEntry | undefined;
}

/** Maximum nesting depth of directories. */
const MAX_TREE_DEPTH = 64;
const TOO_DEEP = 'its directories are nested too deeply';

/**
 * The paths that differ between two trees, of which an undefined one is empty. Subdirectories with equal ids are not read.
 * `added`: paths that were removed are left out. Throws `UnreadableObject`.
 */
export function* changesBetween(
  read: ReadTree,
  older: Buffer | undefined,
  newer: Buffer | undefined,
  only?: 'added',
  front = '',
  depth = 0,
): Generator<TreeChange> {
  if (depth > MAX_TREE_DEPTH) throw new UnreadableObject(TOO_DEEP);
  const size = (newer ?? older)?.length ?? 0;
  const [before, after] = [older, newer].map((id) => (id ? treeAt(read, id) : Buffer.alloc(0))) as [
    Buffer,
    Buffer,
  ];
  let [a, b] = [entryAt(before, 0, size), entryAt(after, 0, size)];
  while (a || b) {
    const order = !a ? 1 : !b ? -1 : compareNames(a, b);
    const [from, to] = [order <= 0 ? a : undefined, order >= 0 ? b : undefined];
    const isSame = from && to && from.id.equals(to.id) && from.mode === to.mode;
    if (!isSame && (to || only === undefined)) {
      const path = front + ((from ?? to) as TreeEntry).name;
      const [inFrom, inTo] = [from, to].map((one) => (one?.kind === 'directory' ? one.id : undefined));
      if (inFrom || inTo) yield* changesBetween(read, inFrom, inTo, only, `${path}/`, depth + 1);
      else yield { path, before: from, after: to };
    }
    if (from) a = entryAt(before, from.end, size);
    if (to) b = entryAt(after, to.end, size);
  }
}

/** In the order of git, which sorts a directory as if its name ended in a slash. A file and a directory are never equal. */
function compareNames(a: TreeEntry, b: TreeEntry): number {
  const [one = '', other = ''] = [a, b].map(({ name, kind }) => (kind === 'directory' ? `${name}/` : name));
  return one < other ? -1 : one > other ? 1 : 0;
}
