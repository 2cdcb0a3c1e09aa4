/**
 * A directory that is held open, while another process may exchange it or any directory above it. On Linux its entries are
 * reached through the descriptor, and no link is followed. Elsewhere a path must be used: its directory is compared with the
 * open one before each step, which leaves a race.
 */

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readdirSync,
  readlinkSync,
} from 'node:fs';
import { mountIdOf } from '../../access/mounts.ts';
import { Broken } from './outcome.ts';

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const HAS_DESCRIPTORS = existsSync('/proc/self/fd');

/** Names that are listed at once: a server may make millions of files. */
export const MOST_NAMES = 20_000;

/** A directory of at most this many bytes has fewer on the usual file systems. */
const SMALL = 256 << 10;

export const CHANGED = 'the server changed the files of the check';

/** Linux refuses to remove, rename or replace what something is mounted on, with `EBUSY`. */
export const MOUNTED = 'the server mounted a file system';

/** The name of an entry; as bytes, because it need not be UTF-8. */
export type Name = string | Buffer;

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
  constructor(path: Name) {
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

  /** The names of its entries; of more than `MOST_NAMES` some. None if it does not exist any more. */
  names(): Buffer[] {
    if (!HAS_DESCRIPTORS && !lstatSync(this.path, { throwIfNoEntry: false })) return [];
    this.#expectUnchanged();
    if (fstatSync(this.#fd).size <= SMALL) return readdirSync(this.path, { encoding: 'buffer' });
    const directory = opendirSync(this.path, { encoding: 'latin1', bufferSize: 1_024 });
    try {
      const names: Buffer[] = [];
      for (let entry = directory.readSync(); entry && names.length < MOST_NAMES; entry = directory.readSync())
        names.push(Buffer.from(entry.name, 'latin1'));
      return names;
    } finally {
      directory.closeSync();
    }
  }

  /** The path of an entry. Throws `Broken` if paths must be used, and another directory is at this one. */
  at(name: Name): Buffer {
    this.#expectUnchanged();
    return Buffer.concat([Buffer.from(`${this.path}/`), Buffer.from(name)]);
  }

  /** Opens a directory in this one. Throws `Broken` for one that is mounted there, whose files may be anyone's. */
  enter(name: Name): OpenDirectory {
    const inner = new OpenDirectory(this.at(name));
    if (inner.#dev === this.#dev && inner.#mount === this.#mount) return inner;
    inner.close();
    throw new Broken(MOUNTED);
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
    if (!HAS_DESCRIPTORS && !this.isAt(this.path)) throw new Broken(CHANGED);
  }
}
