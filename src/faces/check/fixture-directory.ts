/**
 * Files below a directory that another process may change at any moment. Nothing outside the directory is written or removed: the
 * directory is held open, each step goes through an open directory, no link is followed, and no open waits for a FIFO.
 */

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  opendirSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { mountIdOf } from '../../files/mounts.ts';
import { BrokenLaw } from './outcome.ts';

const FRESH =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export class FixtureDirectory {
  readonly #held: OpenDirectory;
  readonly #made = new Set<string>();

  /** Closes `held` when it is closed. */
  constructor(held: OpenDirectory) {
    this.#held = held;
  }

  /** Leads to the directory, wherever it is moved. */
  get path(): string {
    return this.#held.path;
  }

  /** The paths that were created since the last `clear`, with the directories above them. */
  get made(): ReadonlySet<string> {
    return this.#made;
  }

  /** From now on the files are not among those that were made. */
  forgetMade(): void {
    this.#made.clear();
  }

  /** Creates or replaces a file of `content`, `times` times. Directories above it are created. Throws `BrokenLaw`. */
  write(path: string, content: string | Uint8Array, times = 1): void {
    this.#create(path, (fd) => {
      const bytes = Buffer.from(content);
      for (let i = 0; i < times; i += 1) for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    });
  }

  /** Creates or replaces a file of zeros that takes no space. Throws `BrokenLaw`, or the error of the file system. */
  sparse(path: string, bytes: number): void {
    this.#create(path, (fd) => ftruncateSync(fd, bytes));
  }

  link(path: string, target: string): void {
    this.#within(path, (entry) => symlinkSync(target, entry));
  }

  /** Calls `make` with a path at which another process can create the entry. */
  async make(path: string, make: (entry: string) => Promise<unknown>): Promise<void> {
    const { directory, name, close } = this.#enter(path);
    try {
      await make(directory.at(name).toString());
    } finally {
      close();
    }
  }

  /** Removes everything but `kept` in the directory. Throws `BrokenLaw`. */
  clear(kept: readonly string[] = []): void {
    this.#made.clear();
    try {
      emptyDirectory(this.#held, kept);
    } catch (cause) {
      throw cause instanceof BrokenLaw ? cause : new BrokenLaw(CHANGED, { cause });
    }
  }

  close(): void {
    this.#held.close();
  }

  #create(path: string, fill: (fd: number) => void): void {
    this.#within(path, (entry) => {
      const fd = openSync(entry, FRESH, 0o644);
      try {
        fill(fd);
      } finally {
        closeSync(fd);
      }
    });
  }

  /** Calls `act` with the path of an entry that was removed before. */
  #within(path: string, act: (entry: Buffer) => void): void {
    const { directory, name, close } = this.#enter(path);
    try {
      removeEntry(directory, name);
      act(directory.at(name));
    } catch (cause) {
      throw explained(cause);
    } finally {
      close();
    }
  }

  /** The directory of an entry, which is open until `close`. Missing directories are created. */
  #enter(path: string): { readonly directory: OpenDirectory; readonly name: string; close(): void } {
    const opened: OpenDirectory[] = [];
    const close = (): void => opened.forEach((one) => one.close());
    let directory = this.#held;
    this.#made.add(path);
    try {
      const names = dirname(path)
        .split('/')
        .filter((part) => part !== '.');
      for (const [i, name] of names.entries()) {
        this.#made.add(names.slice(0, i + 1).join('/'));
        const next = directory.at(name);
        ignoring('EEXIST', () => mkdirSync(next));
        directory = directory.enter(name);
        opened.push(directory);
      }
    } catch (cause) {
      close();
      throw explained(cause);
    }
    return { directory, name: basename(path), close };
  }
}

/** What happens only if another process interferes. */
const CHANGES: ReadonlySet<string> = new Set(['EEXIST', 'ELOOP', 'ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EISDIR']);

function explained(cause: unknown): unknown {
  const { code = '' } = cause as NodeJS.ErrnoException;
  if (code === 'EBUSY') return new BrokenLaw(MOUNTED, { cause });
  return CHANGES.has(code) ? new BrokenLaw(CHANGED, { cause }) : cause;
}

function ignoring(code: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== code) throw error;
  }
}

// A directory that is held open, while another process may exchange it or any directory above it. On Linux its entries are
// reached through the descriptor, and no link is followed. Elsewhere a path must be used: its directory is compared with the
// open one before each step, which leaves a race.

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const HAS_DESCRIPTORS = existsSync('/proc/self/fd');

/** Names that are listed at once: a server may make millions of files. */
export const MAX_DIRECTORY_NAMES = 20_000;

/** A directory of at most this many bytes has fewer on the usual file systems. */
const SMALL = 256 << 10;

export const CHANGED = 'the server changed the files of the check';

/** Linux refuses to remove, rename or replace what something is mounted on, with `EBUSY`. */
export const MOUNTED = 'the server mounted a file system';

/** The name of an entry; as bytes, because it need not be UTF-8. */
type EntryName = string | Buffer;

export class OpenDirectory {
  /** Leads to it wherever it is moved, also for other processes of this user, so it is not below /proc/self. */
  readonly path: string;
  readonly #fd: number;
  readonly #identity: string;
  readonly #dev: bigint;
  /** A bind mount of the same file system has the same device. */
  readonly #mount: string | undefined;
  #isOpen = true;

  /** Throws the error of the system: `ELOOP` or `ENOTDIR` for a link. */
  constructor(path: EntryName) {
    this.#fd = openSync(path, DIRECTORY);
    this.path = HAS_DESCRIPTORS ? `/proc/${process.pid}/fd/${this.#fd}` : path.toString();
    const stats = fstatSync(this.#fd, { bigint: true });
    this.#identity = `${stats.dev}:${stats.ino}`;
    this.#dev = stats.dev;
    this.#mount = mountIdOf(this.#fd);
  }

  /** Whether `path` is this directory, and no link to it. */
  isAt(path: string): boolean {
    const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return stats !== undefined && `${stats.dev}:${stats.ino}` === this.#identity;
  }

  /** Whether something else is mounted where it is now. False if the system does not tell. */
  get isCovered(): boolean {
    const { place } = this;
    return HAS_DESCRIPTORS && existsSync(place) && !this.isAt(place);
  }

  /** Where it is now, if the system tells. */
  get place(): string {
    return HAS_DESCRIPTORS ? readlinkSync(this.path) : this.path;
  }

  /** The names of its entries; of more than `MAX_DIRECTORY_NAMES` some. None if it does not exist any more. */
  names(): Buffer[] {
    if (!HAS_DESCRIPTORS && !lstatSync(this.path, { throwIfNoEntry: false })) return [];
    this.#expectUnchanged();
    if (fstatSync(this.#fd).size <= SMALL) return readdirSync(this.path, { encoding: 'buffer' });
    const directory = opendirSync(this.path, { encoding: 'latin1', bufferSize: 1_024 });
    try {
      const names: Buffer[] = [];
      for (
        let entry = directory.readSync();
        entry && names.length < MAX_DIRECTORY_NAMES;
        entry = directory.readSync()
      )
        names.push(Buffer.from(entry.name, 'latin1'));
      return names;
    } finally {
      directory.closeSync();
    }
  }

  /** The path of an entry. Throws `BrokenLaw` if paths must be used, and another directory is at this one. */
  at(name: EntryName): Buffer {
    this.#expectUnchanged();
    return Buffer.concat([Buffer.from(`${this.path}/`), Buffer.from(name)]);
  }

  /** Opens a directory in this one. Throws `BrokenLaw` for one that is mounted there, whose files may be anyone's. */
  enter(name: EntryName): OpenDirectory {
    const inner = new OpenDirectory(this.at(name));
    if (inner.#dev === this.#dev && inner.#mount === this.#mount) return inner;
    inner.close();
    throw new BrokenLaw(MOUNTED);
  }

  /** May be called again. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.#fd);
  }

  #expectUnchanged(): void {
    // The number of its descriptor may mean another directory now.
    if (!this.#isOpen) throw new Error('the directory was closed');
    if (!HAS_DESCRIPTORS && !this.isAt(this.path)) throw new BrokenLaw(CHANGED);
  }
}

// Removes files and directories that another process may exchange at any moment. Nothing outside is removed: each step goes through
// an open directory, and no link is followed.

/** Most entries that are removed at once: other processes may create new ones without end. */
const MAX_REMOVED_ENTRIES = 200_000;

/** How often an entry is tried: another process may fill a directory that was just emptied. */
const MAX_REMOVAL_TRIES = 4;

/**
 * Removes everything but `kept`. Directories inside are moved up into `top` first, so two are open at a time however deep they are.
 * Throws the error of the first entry that cannot be removed, after all others were.
 */
export function emptyDirectory(top: OpenDirectory, kept: readonly string[] = []): void {
  const tries = new Map<string, number>();
  const failures: unknown[] = [];
  const count = counter();
  const prefix = `removed-${randomBytes(6).toString('hex')}`;
  const isLeft = (name: Buffer): boolean => {
    const key = name.toString('latin1');
    return !kept.includes(key) && (tries.get(key) ?? 0) < MAX_REMOVAL_TRIES;
  };
  for (let names = top.names().filter(isLeft); names.length > 0; names = top.names().filter(isLeft)) {
    for (const name of names) {
      count();
      try {
        if (!unlinked(top, name)) removeDirectory(top, name, () => `${prefix}-${count()}`, count);
      } catch (error) {
        if (error instanceof TooMany) throw error;
        const key = name.toString('latin1');
        tries.set(key, (tries.get(key) ?? 0) + 1);
        if (!isLeft(name)) failures.push(error);
      }
    }
  }
  if (failures.length > 0) throw failures[0];
}

class TooMany extends Error {}

/** Counts the entries, and throws if there are too many. */
function counter(): () => number {
  let count = 0;
  return () => {
    count += 1;
    if (count > MAX_REMOVED_ENTRIES) throw new TooMany(`over ${MAX_REMOVED_ENTRIES} files`);
    return count;
  };
}

/** Removes a file, a link, or a directory with everything in it, if it exists. Throws the error of the system. */
export function removeEntry(directory: OpenDirectory, name: EntryName): void {
  if (unlinked(directory, name)) return;
  const inner = directory.enter(name);
  try {
    emptyDirectory(inner);
  } finally {
    inner.close();
  }
  rmdirSync(directory.at(name));
}

/** False for a directory. */
function unlinked(directory: OpenDirectory, name: EntryName): boolean {
  try {
    unlinkSync(directory.at(name));
    return true;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return true;
    // Linux says EISDIR, POSIX EPERM.
    if (code !== 'EISDIR' && code !== 'EPERM') throw error;
    return false;
  }
}

/** Removes a directory in `top`, whose own directories are moved to new names in `top`. Throws as `emptyDirectory`. */
function removeDirectory(
  top: OpenDirectory,
  name: EntryName,
  fresh: () => string,
  count: () => number,
): void {
  const inner = top.enter(name);
  try {
    for (let names = inner.names(); names.length > 0; names = inner.names()) {
      const failures: unknown[] = [];
      for (const child of names) {
        count();
        try {
          if (!unlinked(inner, child)) renameSync(inner.at(child), top.at(fresh()));
        } catch (error) {
          if (error instanceof TooMany) throw error;
          failures.push(error);
        }
      }
      if (failures.length > 0) throw failures[0];
    }
  } finally {
    inner.close();
  }
  rmdirSync(top.at(name));
}
