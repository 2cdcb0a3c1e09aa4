/**
 * Files below a directory that another process may change at any moment. Nothing outside the directory is written or removed: the
 * directory is held open, each step goes through an open directory, no link is followed, and no open waits for a FIFO.
 */

import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { Broken } from './outcome.ts';

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const FRESH =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Deepest directory that is emptied: no case makes one of more than a few levels. */
const MOST_DEPTH = 64;

/** Without it (macOS) paths must be used, and a directory that is replaced meanwhile is not noticed. */
const HAS_DESCRIPTORS = existsSync('/proc/self/fd');

const CHANGED = 'the server changed the files of the check';

interface Held {
  readonly fd: number;
  /** Where its entries are. Also for other processes of this user, so not below /proc/self. */
  readonly path: string;
}

function hold(path: string): Held {
  const fd = openSync(path, DIRECTORY);
  return { fd, path: HAS_DESCRIPTORS ? `/proc/${process.pid}/fd/${fd}` : path };
}

export class FixtureDirectory {
  readonly #held: Held;

  constructor(path: string) {
    this.#held = hold(path);
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
    const { entry, close } = this.#enter(path);
    try {
      await make(entry);
    } finally {
      close();
    }
  }

  /** Removes everything but `kept` in the directory. Throws `Broken`. */
  clear(kept: readonly string[]): void {
    try {
      for (const name of readdirSync(this.#held.path))
        if (!kept.includes(name)) removeEntry(`${this.#held.path}/${name}`, MOST_DEPTH);
    } catch (cause) {
      throw cause instanceof Broken ? cause : new Broken(CHANGED, { cause });
    }
  }

  close(): void {
    closeSync(this.#held.fd);
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
  #within(path: string, act: (entry: string) => void): void {
    const { entry, close } = this.#enter(path);
    try {
      ignoring('ENOENT', () => removeEntry(entry, MOST_DEPTH));
      act(entry);
    } catch (cause) {
      throw explained(cause);
    } finally {
      close();
    }
  }

  /** The path of an entry in a directory that is open until `close`. Missing directories are created. */
  #enter(path: string): { readonly entry: string; close(): void } {
    const opened: Held[] = [];
    const close = (): void => {
      for (const { fd } of opened) closeSync(fd);
    };
    let directory = this.#held;
    try {
      for (const name of dirname(path)
        .split('/')
        .filter((part) => part !== '.')) {
        const next = `${directory.path}/${name}`;
        ignoring('EEXIST', () => mkdirSync(next));
        directory = hold(next);
        opened.push(directory);
      }
    } catch (cause) {
      close();
      throw explained(cause);
    }
    return { entry: `${directory.path}/${basename(path)}`, close };
  }
}

/** What happens only if another process interferes. */
const CHANGES: ReadonlySet<string> = new Set(['EEXIST', 'ELOOP', 'ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EISDIR']);

function explained(cause: unknown): unknown {
  const { code = '' } = cause as NodeJS.ErrnoException;
  return CHANGES.has(code) ? new Broken(CHANGED, { cause }) : cause;
}

function ignoring(code: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== code) throw error;
  }
}

/** Removes a file, a link, or a directory with everything in it. */
function removeEntry(entry: string, depth: number): void {
  try {
    return unlinkSync(entry);
  } catch (error) {
    // Linux says EISDIR, POSIX EPERM.
    if (!/^(?:EISDIR|EPERM)$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  if (depth === 0) throw new Broken('the server made directories that are too deep to be removed');
  const directory = hold(entry);
  try {
    for (const name of readdirSync(directory.path)) removeEntry(`${directory.path}/${name}`, depth - 1);
  } finally {
    closeSync(directory.fd);
  }
  rmdirSync(entry);
}
