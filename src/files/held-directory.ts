/**
 * Directories that a walk holds by descriptor, so that renames have no effect. Their entries are opened through the
 * descriptor, without following links. All functions here block: they are for worker threads.
 *
 * Names and paths are strings with one character for each byte (latin1), because a name need not be UTF-8. Comparing such
 * strings compares bytes.
 */

import * as fs from 'node:fs';
import type { FileFacts } from '../identity.ts';
import type { DenyData, DenyRule, PrivateNames } from '../types/access.ts';
import {
  DenyRules,
  isCurrent,
  type KnownFacts,
  linkedBelow,
  type LinkedFiles,
  linkedRule,
  type NeededFacts,
  withoutFacts,
} from './deny-rules.ts';
import { hasDescriptorPaths } from './descriptors.ts';
import { isKernelFileSystem, mayBeProcessSecret } from './kernel-files.ts';
import { O_PATH } from './path-walk.ts';
import { isPathWithin } from './paths.ts';
import { isKept, type KeptFiles } from './kept-files.ts';
import { decodeText, encodeText } from '../text/encoding.ts';
import { errno } from './system-failure.ts';

export interface HeldEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'link' | 'other';
}

export interface HeldFile {
  readonly fd: number;
  readonly size: number;
  readonly dev: number;
  readonly ino: number;
  /** Modification time in milliseconds since the epoch. */
  readonly mtimeMs: number;
}

/** A directory of at most this many bytes has few entries on any file system. */
const SMALL = 64 << 10;

/** Without `/proc/self/fd` paths must be used, and a directory that is replaced meanwhile is not noticed. */
const BY_DESCRIPTOR = hasDescriptorPaths();

/** With the process id instead of `self`, which would be one more link to resolve for each file. */
const DESCRIPTORS = BY_DESCRIPTOR ? `/proc/${fs.readlinkSync('/proc/self')}/fd` : '';

const { O_RDONLY, O_DIRECTORY = 0, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOCTTY = 0 } = fs.constants;
const ENTER = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK;
const READ = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

/** By device: whether its file system is a virtual one of the kernel. */
const kernelDevices = new Map<number, boolean>();

/** What the current walk of this thread must not open. */
let kept: KeptFiles | undefined;

/** From now on this thread opens none of these files and directories, whatever their names, and none that is private. */
export function skipFiles(files: KeptFiles, denied?: PrivateNames['packed']): void {
  kept = files;
  if (denied !== packed) {
    rules = denied === undefined ? undefined : new DenyRules(JSON.parse(denied) as DenyData, denied);
    [packed, linked] = [denied, undefined];
  }
  began = Date.now();
}

let rules: DenyRules | undefined;
/** Of the rules. */
let packed: string | undefined;
let linked: LinkedFiles | undefined;
/** When the current walk began, in milliseconds since the epoch. */
let began = 0;

/** The rule by which the file is private under another of its names. */
function ruleOfLinked(stats: Pick<fs.Stats, 'dev' | 'ino' | 'ctimeMs'>): DenyRule | undefined {
  if (!rules) return undefined;
  if (!linked || !isCurrent(linked, stats, began)) {
    const comparing = linkedBelow(rules);
    let step = comparing.next();
    while (!step.done) step = comparing.next(factsFor(step.value));
    linked = step.value;
  }
  return linkedRule(linked, stats);
}

function factsFor(need: NeededFacts): KnownFacts {
  try {
    if ('stat' in need) return fs.lstatSync(need.stat);
    const entries: fs.Dirent[] = [];
    const directory = fs.opendirSync(need.list, { bufferSize: 512 });
    try {
      for (let entry = directory.readSync(); entry; entry = directory.readSync()) {
        entries.push(entry);
        if (entries.length === need.most) break;
      }
    } finally {
      directory.closeSync();
    }
    return entries;
  } catch (error) {
    return withoutFacts(error);
  }
}

export class HeldDirectory {
  /** Absolute; the path at which it was opened. */
  readonly path: string;
  /** A path that leads to this directory for as long as it is held. */
  readonly self: string;
  readonly dev: number;
  readonly ino: number;
  readonly #fd: number | undefined;
  readonly #size: number;
  readonly #isKept: boolean;
  /** As text. */
  #lastName: string | undefined;
  #users = 1;

  private constructor(path: string, fd: number | undefined, stats: fs.Stats) {
    this.path = path;
    this.self = fd === undefined ? path : `${DESCRIPTORS}/${fd}`;
    this.dev = stats.dev;
    this.ino = stats.ino;
    this.#fd = fd;
    this.#size = stats.size;
    this.#isKept = kept !== undefined && isKept(kept, stats);
  }

  /** A directory that other code holds open at `fd`, with the real `path` (UTF-8). */
  static adopt(path: string, fd: number): HeldDirectory {
    const at = pathToLatin1(path);
    return HeldDirectory.#open(BY_DESCRIPTOR ? `${DESCRIPTORS}/${fd}` : at, at, ENTER & ~O_NOFOLLOW);
  }

  static #open(where: string, path: string, flags: number): HeldDirectory {
    if (!BY_DESCRIPTOR) return new HeldDirectory(path, undefined, fs.lstatSync(nameOf(where)));
    const fd = fs.openSync(nameOf(where), flags);
    try {
      return new HeldDirectory(path, fd, fs.fstatSync(fd));
    } catch (error) {
      fs.closeSync(fd);
      throw error;
    }
  }

  /** The entries, sorted by their bytes. If there are more than `most`, any `most` of them. */
  entries(most: number): { entries: HeldEntry[]; more: boolean } {
    const entries: HeldEntry[] = [];
    if (this.#size > 0 && this.#size <= SMALL) {
      const all = fs.readdirSync(nameOf(this.self), { encoding: 'latin1', withFileTypes: true });
      for (const entry of all) entries.push({ name: entry.name, kind: this.#typeOf(entry) });
      if (entries.length <= most) return { entries: sorted(entries), more: false };
      return { entries: sorted(entries.slice(0, most)), more: true };
    }
    const directory = fs.opendirSync(nameOf(this.self) as string, { encoding: 'latin1', bufferSize: 256 });
    try {
      for (let entry = directory.readSync(); entry; entry = directory.readSync()) {
        if (entries.length === most) return { entries: sorted(entries), more: true };
        entries.push({ name: entry.name, kind: this.#typeOf(entry) });
      }
    } finally {
      directory.closeSync();
    }
    return { entries: sorted(entries), more: false };
  }

  /**
   * Opens a directory in this one. Undefined for virtual file systems of the kernel, the descriptors of a process, directories
   * of `skipFiles`, and outside of `roots` (if any). `wasCompared`: whether `isPrivate` said that it is not.
   */
  enter(name: string, roots: readonly string[], wasCompared = false): HeldDirectory | undefined {
    if (!wasCompared && this.isPrivate(name, true)) return undefined;
    const inner = HeldDirectory.#open(`${this.self}/${name}`, joined(this.path, name), ENTER);
    let isOurs = false;
    try {
      const mayBeKernels = inner.dev !== this.dev || mayBeProcessSecret(name);
      const isStored = !mayBeKernels || !isKernelDevice(inner.dev, inner.self);
      isOurs = !inner.#isKept && isStored && inner.#isInside(roots);
      return isOurs ? inner : undefined;
    } finally {
      if (!isOurs) inner.release();
    }
  }

  /** Opens the parent directory; undefined if it does not have that identity any more. */
  leave(path: string, dev: number, ino: number): HeldDirectory | undefined {
    const where = BY_DESCRIPTOR ? `${this.self}/..` : path;
    // If the directory was moved, its parent is another one, so it is opened for reading only after its
    // identity was checked.
    const outer = HeldDirectory.#open(where, path, BY_DESCRIPTOR ? ENTER | O_PATH : ENTER);
    try {
      if (outer.dev !== dev || outer.ino !== ino) return undefined;
      return HeldDirectory.#open(outer.self, path, ENTER & ~O_NOFOLLOW);
    } finally {
      outer.release();
    }
  }

  /** Whether the name of an entry is private by the rules of `skipFiles`. */
  isPrivate(name: string, isDirectory: boolean, text?: string): boolean {
    if (!rules) return false;
    this.#lastName ??= latin1ToPath(this.path.slice(this.path.lastIndexOf('/') + 1));
    text ??= latin1ToPath(name);
    if (!rules.mayMatch(text, this.#lastName)) return false;
    return rules.decide(joined(latin1ToPath(this.path), text), isDirectory) !== undefined;
  }

  /** The type of an entry; undefined if it does not exist. */
  kindOf(name: string): HeldEntry['kind'] | undefined {
    const stats = fs.lstatSync(nameOf(`${this.self}/${name}`), { throwIfNoEntry: false });
    if (!stats) return undefined;
    if (stats.isSymbolicLink()) return 'link';
    return stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : 'other';
  }

  /** The stats of the regular file `name`; undefined for anything else, and for private files. */
  factsOf(name: string): FileFacts | undefined {
    const stats = this.statsOf(name);
    return !stats?.isFile() || this.isPrivate(name, false) || this.linkedRule(name, stats)
      ? undefined
      : stats;
  }

  /** The rule by which the regular file `name` is private under another of its names. */
  linkedRule(name: string, stats = this.statsOf(name)): DenyRule | undefined {
    if (!stats?.isFile() || stats.nlink < 2n) return undefined;
    const { dev, ino, ctimeMs } = stats;
    return ruleOfLinked({ dev: Number(dev), ino: Number(ino), ctimeMs: Number(ctimeMs) });
  }

  /** The stats of an entry, of a link itself; undefined if it does not exist. Those of private files are for comparisons only. */
  statsOf(name: string): fs.BigIntStats | undefined {
    return fs.lstatSync(nameOf(`${this.self}/${name}`), { bigint: true, throwIfNoEntry: false });
  }

  /** The path to which a link leads, as stored; undefined if it is no link, or private. */
  linkTarget(name: string): Buffer | undefined {
    if (this.isPrivate(name, false) || this.kindOf(name) !== 'link') return undefined;
    return fs.readlinkSync(nameOf(`${this.self}/${name}`), 'buffer');
  }

  /** Modification time of an entry in milliseconds since the epoch; 0 if it does not exist any more. */
  modified(name: string): number {
    return fs.lstatSync(nameOf(`${this.self}/${name}`), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  }

  /** Adds a user. */
  share(): this {
    this.#users += 1;
    return this;
  }

  /** Closes it when the last user has released it. */
  release(): void {
    this.#users -= 1;
    if (this.#users === 0 && this.#fd !== undefined) fs.closeSync(this.#fd);
  }

  #isInside(roots: readonly string[]): boolean {
    if (roots.length === 0) return true;
    const real = BY_DESCRIPTOR
      ? fs.readlinkSync(this.self, 'latin1')
      : pathToLatin1(fs.realpathSync(nameOf(this.path)));
    return roots.some((root) => isPathWithin(real, root));
  }

  #typeOf(entry: fs.Dirent): HeldEntry['kind'] {
    if (entry.isFile()) return 'file';
    if (entry.isDirectory()) return 'directory';
    if (entry.isSymbolicLink()) return 'link';
    if (entry.isFIFO() || entry.isSocket()) return 'other';
    if (entry.isCharacterDevice() || entry.isBlockDevice()) return 'other';
    // The file system does not report types.
    return this.kindOf(entry.name) ?? 'other';
  }
}

/**
 * Opens the regular file `name` in the directory. Undefined for anything else, for kernel files, and for files of `skipFiles`.
 * Throws the system's error. `wasCompared`: whether the walk already compared the name with the rules for private files.
 */
export function openHeld(
  directory: Pick<HeldDirectory, 'self' | 'dev' | 'isPrivate'>,
  name: string,
  wasCompared = false,
): HeldFile | undefined {
  if (!wasCompared && directory.isPrivate(name, false)) return undefined;
  const { self, dev } = directory;
  const fd = fs.openSync(nameOf(`${self}/${name}`), READ);
  try {
    const stats = fs.fstatSync(fd);
    const stored =
      stats.isFile() && (stats.dev === dev || !isKernelDevice(stats.dev, `${DESCRIPTORS}/${fd}`));
    const isWithheld =
      (kept && isKept(kept, stats)) || (stats.nlink > 1 && ruleOfLinked(stats) !== undefined);
    if (stored && !isWithheld)
      return { fd, size: stats.size, dev: stats.dev, ino: stats.ino, mtimeMs: stats.mtimeMs };
  } catch (error) {
    fs.closeSync(fd);
    throw error;
  }
  fs.closeSync(fd);
  return undefined;
}

/**
 * Reads the start of the file `name` (ASCII) in the directory `self` into `target` from index `at` on, and returns the
 * number of bytes. The type of the file is not checked: the system refuses pipes, sockets and directories, because they
 * have no offsets. Use the bytes only to decide whether to skip the file: files that must not be read are not excluded.
 */
export function peekHeld(self: string, name: string, target: Uint8Array, at: number): number {
  const fd = fs.openSync(`${self}/${name}`, READ);
  try {
    return fs.readSync(fd, target, at, target.length - at, 0);
  } finally {
    fs.closeSync(fd);
  }
}

/** Reads `length` bytes of the file from byte `from` (0-based) into `target` from index `at` on; fewer only at its end. */
export function readHeld({ fd }: HeldFile, target: Uint8Array, at: number, length: number, from = 0): number {
  let filled = 0;
  while (filled < length) {
    const got = fs.readSync(fd, target, at + filled, length - filled, from + filled);
    if (got === 0) break;
    filled += got;
  }
  return filled;
}

export function closeHeld({ fd }: HeldFile): void {
  fs.closeSync(fd);
}

/** The reason why something in a walk could not be opened. */
export type OpenRefusal = 'gone' | 'denied' | 'deep' | 'shortage' | 'failed';

/** Rethrows unknown errors. */
export function openRefusalFor(error: unknown): OpenRefusal {
  switch (errno(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
    case 'ELOOP':
    case 'ENXIO':
      return 'gone';
    case 'ENAMETOOLONG':
      return 'deep';
    case 'EMFILE':
    case 'ENFILE':
      return 'shortage';
    case 'EIO':
      return 'failed';
    case '':
      throw error;
    default:
      return 'denied';
  }
}

/** A path as its bytes, one character each. */
export function pathToLatin1(path: string): string {
  return Buffer.from(encodeText(path)).toString('latin1');
}

/** The path of bytes, one character each. */
export function latin1ToPath(path: string): string {
  return /[^\0-\x7f]/.test(path) ? decodeText(Buffer.from(path, 'latin1')) : path;
}

function nameOf(path: string): string | Buffer {
  return /[^\0-\x7f]/.test(path) ? Buffer.from(path, 'latin1') : path;
}

function joined(path: string, name: string): string {
  return path === '/' ? `/${name}` : `${path}/${name}`;
}

function sorted(entries: HeldEntry[]): HeldEntry[] {
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Clears the cache of devices, because mounts may change between walks. */
export function forgetDevices(): void {
  kernelDevices.clear();
}

function isKernelDevice(dev: number, again: string): boolean {
  let known = kernelDevices.get(dev);
  if (known === undefined) {
    known = isKernelFileSystem(again, BigInt(dev));
    kernelDevices.set(dev, known);
  }
  return known;
}
