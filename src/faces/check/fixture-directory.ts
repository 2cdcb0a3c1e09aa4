/**
 * Files below a directory that another process may change at any moment. Nothing outside the directory is written or removed: the
 * directory is held open, each step goes through an open directory, no link is followed, and no open waits for a FIFO.
 */

import { closeSync, constants, ftruncateSync, mkdirSync, openSync, symlinkSync, writeSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { CHANGED, MOUNTED, OpenDirectory } from './open-directory.ts';
import { Broken } from './outcome.ts';
import { emptyDirectory, removeEntry } from './remove-entry.ts';

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

  /** Creates or replaces a file of `content`, `times` times. Directories above it are created. Throws `Broken`. */
  write(path: string, content: string | Uint8Array, times = 1): void {
    this.#create(path, (fd) => {
      const bytes = Buffer.from(content);
      for (let i = 0; i < times; i += 1) for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    });
  }

  /** Creates or replaces a file of zeros that takes no space. Throws `Broken`, or the error of the file system. */
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

  /** Removes everything but `kept` in the directory. Throws `Broken`. */
  clear(kept: readonly string[] = []): void {
    this.#made.clear();
    try {
      emptyDirectory(this.#held, kept);
    } catch (cause) {
      throw cause instanceof Broken ? cause : new Broken(CHANGED, { cause });
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
  if (code === 'EBUSY') return new Broken(MOUNTED, { cause });
  return CHANGES.has(code) ? new Broken(CHANGED, { cause }) : cause;
}

function ignoring(code: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== code) throw error;
  }
}
