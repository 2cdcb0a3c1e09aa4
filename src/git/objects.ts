/**
 * Reads the objects and small files of a repository through directories that are held open: it runs no git and follows no
 * link. All functions are synchronous, for worker threads.
 */

import { createHash } from 'node:crypto';
import {
  closeHeld,
  HeldDirectory,
  type HeldFile,
  openHeld,
  pathToLatin1,
  readHeld,
  skipFiles,
} from '../files/held-directory.ts';
import type { KeptFiles } from '../files/kept-files.ts';
import { isShortage } from '../files/system-failure.ts';
import { inflateSync } from '../process/worker-ending.ts';
import { GitConfig } from './settings.ts';
import {
  damaged,
  type GitObject,
  GitPack,
  inflatedHead,
  MAX_ABBREVIATED_IDS,
  MAX_GIT_OBJECT_BYTES,
  ObjectCache,
  PackIndex,
  tooLarge,
  UnreadableObject,
  type WindowedFile,
} from './pack.ts';

/** Maximum packs that are open at a time: two descriptors each. */
const MAX_OPEN_PACKS = 32;

/** Maximum packs of a repository. `git gc --auto` merges packs when there are more than 50. */
const MAX_PACKS = 4_096;

/** Maximum loose objects whose ids begin with the same byte, of which one is found by an abbreviated id. */
const MAX_LOOSE_ENTRIES = 100_000;

/** The ids of the empty directory. */
const EMPTY_TREES: ReadonlySet<string> = new Set([
  '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
]);

/** A directory that another thread holds open, with its real path. */
export interface OpenDescriptor {
  readonly path: string;
  readonly fd: number;
}

/** A repository, as it is sent to a thread. */
export interface RepositoryHandles {
  /** What belongs to one work tree: HEAD and the index. */
  readonly git: OpenDescriptor;
  /** Objects and other refs; the same as `git` but for a further work tree. */
  readonly common: OpenDescriptor;
  /** Further directories of objects. */
  readonly alternates: readonly OpenDescriptor[];
  /** Real paths; empty if there are none. */
  readonly roots: readonly string[];
  /** Files that must not be opened, and the rules for private files. */
  readonly kept: KeptFiles;
  readonly denied?: string | undefined;
}

/** A repository in a thread. `close` it. */
export class GitRepository {
  /** The size of an id in bytes: 20, or 32 for SHA-256. */
  readonly idBytes: 20 | 32;
  /** Its own configuration: that of the user and of the system is not read. */
  readonly config: GitConfig;
  readonly #git: HeldDirectory;
  readonly #common: HeldDirectory;
  readonly #roots: readonly string[];
  readonly #stores: readonly ObjectStore[];

  constructor({ git, common, alternates, roots, kept, denied }: RepositoryHandles) {
    skipFiles(kept, denied);
    this.#git = HeldDirectory.adopt(git.path, git.fd);
    this.#common = common === git ? this.#git.share() : HeldDirectory.adopt(common.path, common.fd);
    // Comparable with the paths of held directories.
    this.#roots = roots.map(pathToLatin1);
    const config = new GitConfig(this.text('config', MAX_CONFIG_BYTES, 'common') ?? '');
    const own = config.isTrue('extensions.worktreeconfig')
      ? this.text('config.worktree', MAX_CONFIG_BYTES, 'git')
      : undefined;
    this.config = own === undefined ? config : new GitConfig(own, config);
    this.idBytes = config.get('extensions.objectformat')?.toLowerCase() === 'sha256' ? 32 : 20;
    const objects = enter(this.#common, 'objects', this.#roots);
    const others = alternates.map(({ path, fd }) => HeldDirectory.adopt(path, fd));
    this.#stores = [...(objects ? [objects] : []), ...others].map(
      (directory) => new ObjectStore(directory, this.#roots, this.idBytes),
    );
  }

  /**
   * The object with this id. Undefined if it is missing. Throws `UnreadableObject` if it is damaged or too large. `head`: its
   * first bytes do, about so many.
   */
  read(id: Buffer, head?: number): GitObject | undefined {
    const { found, failure } = firstIn(this.#stores, id, head);
    if (!found && failure) throw failure;
    if (found) return found;
    // git writes no empty directory, and knows it.
    return EMPTY_TREES.has(id.toString('hex')) ? { kind: 'tree', bytes: Buffer.alloc(0) } : undefined;
  }

  /** Whether the id is that of the bytes: git compares them when it receives objects, not when it reads them. */
  isIntact(id: Buffer, { kind, bytes }: GitObject): boolean {
    return this.hasher(kind, bytes.length).update(bytes).digest().equals(id);
  }

  /** For the id of an object, which is that of its bytes. */
  hasher(kind: GitObject['kind'], size: number): ReturnType<typeof createHash> {
    return createHash(this.idBytes === 32 ? 'sha256' : 'sha1').update(`${kind} ${size}\0`);
  }

  /** The ids that begin with these hexadecimal digits (at least four); at most 16. */
  idsWith(digits: string): string[] {
    const found = this.#stores.flatMap((store) => store.idsWith(digits));
    return [...new Set(found)].slice(0, MAX_ABBREVIATED_IDS);
  }

  /** Whether objects were left out of the clone. */
  get isPartial(): boolean {
    return this.config.has(/^(?:extensions\.partialclone|remote\..*\.promisor)$/s);
  }

  /** A file of the repository as Latin-1; `path` is Latin-1, too. Undefined if it cannot be read, or has more than `most` bytes. */
  text(path: string, most: number, from: 'git' | 'common'): string | undefined {
    return this.stored(path, most, from)?.bytes?.toString('latin1');
  }

  /** The bytes of the file with its time of the file in milliseconds since the epoch. Without `bytes` if it has more than `most`. */
  stored(
    path: string,
    most: number,
    from: 'git' | 'common',
  ): { readonly bytes: Buffer | undefined; readonly mtimeMs: number } | undefined {
    const file = this.#open(path, from);
    if (!file) return undefined;
    try {
      const bytes = file.size > most ? undefined : readPart(file, 0, file.size);
      return { bytes, mtimeMs: file.mtimeMs };
    } finally {
      closeHeld(file);
    }
  }

  /** The files below a directory of the common part, as paths from there; at most `most`. */
  filesBelow(path: string, most: number): string[] {
    const found: string[] = [];
    const visit = (directory: HeldDirectory, front: string, depth: number): void => {
      for (const { name, kind } of directory.entries(most).entries) {
        if (found.length >= most) return;
        if (kind === 'file') found.push(front + name);
        const inner = kind === 'directory' && depth < 16 ? enter(directory, name, this.#roots) : undefined;
        if (!inner) continue;
        visit(inner, `${front}${name}/`, depth + 1);
        inner.release();
      }
    };
    inDirectory(this.#common, path.split('/'), this.#roots, (directory) => visit(directory, '', 0));
    return found;
  }

  close(): void {
    for (const store of this.#stores) store.close();
    this.#common.release();
    this.#git.release();
  }

  #open(path: string, from: 'git' | 'common'): HeldFile | undefined {
    const names = path.split('/');
    const last = names.pop() as string;
    const top = from === 'git' ? this.#git : this.#common;
    return inDirectory(top, names, this.#roots, (directory) => openFile(directory, last));
  }
}

const MAX_CONFIG_BYTES = 1 << 20;

/** A directory of objects: packs, and loose objects, each a file of its own. */
class ObjectStore {
  readonly #directory: HeldDirectory;
  readonly #packs: HeldDirectory | undefined;
  readonly #names: readonly string[];
  readonly #roots: readonly string[];
  readonly #idBytes: number;
  readonly #cache = new ObjectCache();
  /** The one opened last is at the end. Undefined: it cannot be read. */
  readonly #open = new Map<string, { pack?: GitPack | undefined; files: HeldFile[] }>();

  constructor(directory: HeldDirectory, roots: readonly string[], idBytes: number) {
    this.#directory = directory;
    this.#roots = roots;
    this.#idBytes = idBytes;
    this.#packs = enter(directory, 'pack', roots);
    const entries = this.#packs?.entries(4 * MAX_PACKS).entries ?? [];
    this.#names = entries.flatMap(({ name }) => /^(pack-[0-9a-f]{40,64})\.idx$/.exec(name)?.[1] ?? []);
  }

  read(id: Buffer, head?: number): GitObject | undefined {
    const { found, failure } = firstIn(this.#each(), id, head);
    if (found) return found;
    const name = id.toString('hex');
    const known = this.#cache.get(name);
    if (known) return known;
    const loose = this.#loose(name, head);
    if (!loose && failure) throw failure;
    return loose && head === undefined ? this.#cache.set(name, loose) : loose;
  }

  idsWith(digits: string): string[] {
    const packed: string[] = [];
    // One by one: a pack may be closed when the next one is opened.
    for (const pack of this.#each()) packed.push(...pack.idsWith(digits));
    const directory = enter(this.#directory, digits.slice(0, 2), this.#roots);
    if (!directory) return packed;
    const loose = directory
      .entries(MAX_LOOSE_ENTRIES)
      .entries.map(({ name }) => digits.slice(0, 2) + name)
      .filter((id) => id.startsWith(digits) && id.length === 2 * this.#idBytes);
    directory.release();
    return [...packed, ...loose];
  }

  close(): void {
    for (const name of this.#open.keys()) this.#closePack(name);
    this.#packs?.release();
    this.#directory.release();
  }

  /** All packs that can be read, the open ones first. */
  *#each(): Generator<GitPack> {
    const open = [...this.#open.keys()];
    for (const name of [...open.toReversed(), ...this.#names.filter((one) => !this.#open.has(one))]) {
      const pack = (this.#open.get(name) ?? this.#openPack(name)).pack;
      if (pack) yield pack;
    }
  }

  #openPack(name: string): { pack?: GitPack | undefined; files: HeldFile[] } {
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MAX_OPEN_PACKS && oldest !== undefined) this.#closePack(oldest);
    const files = [`${name}.idx`, `${name}.pack`].flatMap((file) => {
      const packs = this.#packs;
      return (packs && this.#spared(() => openFile(packs, file))) ?? [];
    });
    const [indexFile, packFile] = files.map((file): WindowedFile => ({
      size: file.size,
      read: (from, length) => readPart(file, from, length),
    }));
    const index = indexFile && PackIndex.of(indexFile, this.#idBytes);
    const pack = packFile && index && new GitPack(name, packFile, index, this.#cache);
    const opened = { pack, files };
    this.#open.set(name, opened);
    return opened;
  }

  /** Opens with the descriptors of packs, the oldest first, if there are no others. */
  #spared<T>(open: () => T): T {
    try {
      return open();
    } catch (error) {
      const [oldest] = this.#open.keys();
      if (oldest === undefined || !isShortage(error)) throw error;
      this.#closePack(oldest);
      return this.#spared(open);
    }
  }

  #closePack(name: string): void {
    for (const file of this.#open.get(name)?.files ?? []) closeHeld(file);
    this.#open.delete(name);
  }

  /** `id`: hexadecimal. */
  #loose(id: string, head?: number): GitObject | undefined {
    const directory = this.#spared(() => enter(this.#directory, id.slice(0, 2), this.#roots));
    if (!directory) return undefined;
    const file = this.#spared(() => openFile(directory, id.slice(2)));
    directory.release();
    if (!file) return undefined;
    try {
      if (file.size > MAX_GIT_OBJECT_BYTES) throw tooLarge();
      return looseObject(readPart(file, 0, head ?? file.size), head);
    } finally {
      closeHeld(file);
    }
  }
}

/** The object in the first of them in which it can be read, or the last reason why it cannot. */
function firstIn(stores: Iterable<Pick<GitPack, 'read'>>, id: Buffer, head?: number) {
  let failure: UnreadableObject | undefined;
  for (const store of stores) {
    try {
      const found = store.read(id, head);
      if (found) return { found, failure };
    } catch (error) {
      if (!(error instanceof UnreadableObject)) throw error;
      failure = error;
    }
  }
  return { found: undefined, failure };
}

/** Inflates and parses `TYPE SP SIZE NUL BYTES`. */
function looseObject(stored: Buffer, most: number | undefined): GitObject {
  let bytes: Buffer;
  try {
    bytes =
      most === undefined
        ? inflateSync(stored, { maxOutputLength: MAX_GIT_OBJECT_BYTES + 32 })
        : inflatedHead(stored);
  } catch (error) {
    throw error instanceof RangeError ? tooLarge() : damaged();
  }
  const head = /^(commit|tree|blob|tag) (\d{1,10})\0/.exec(bytes.subarray(0, 32).toString('latin1'));
  const body = bytes.subarray(head?.[0].length ?? 0);
  if (!head || (most === undefined && body.length !== Number(head[2]))) throw damaged();
  return { kind: head[1] as GitObject['kind'], bytes: body };
}

/** Fewer bytes at the end of the file. */
export function readPart(file: HeldFile, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, file.size - from)));
  return bytes.subarray(0, readHeld(file, bytes, 0, bytes.length, from));
}

/** What `act` returns of the directory at `names` below `top`; undefined if it cannot be entered. `roots` are Latin-1. */
export function inDirectory<T>(
  top: HeldDirectory,
  names: readonly string[],
  roots: readonly string[],
  act: (directory: HeldDirectory) => T,
): T | undefined {
  let at = top.share();
  for (const name of names) {
    const inner = enter(at, name, roots);
    at.release();
    if (!inner) return undefined;
    at = inner;
  }
  try {
    return act(at);
  } finally {
    at.release();
  }
}

/** Undefined unless it is a directory that may be entered. Throws if there are no descriptors. */
export function enter(
  directory: HeldDirectory,
  name: string,
  roots: readonly string[],
): HeldDirectory | undefined {
  return unlessShort(() => directory.enter(name, roots));
}

/** Undefined unless it is a regular file that may be opened. Throws if there are no descriptors. */
export function openFile(directory: HeldDirectory, name: string): HeldFile | undefined {
  return unlessShort(() => openHeld(directory, name));
}

/** Undefined if it fails; without descriptors nothing is known of what is there. */
function unlessShort<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (isShortage(error)) throw error;
    return undefined;
  }
}
