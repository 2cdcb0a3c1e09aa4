/** Private temporary files of a session for data too large for memory: mode 0600, and unlinked as soon as they are open. */

import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { untilDescriptors } from '../access/descriptors.ts';
import { errno, writeFailure } from '../access/system-failure.ts';
import { OrielError } from '../errors.ts';
import type { ScratchFile } from '../types/session.ts';
import { removeAtExit, removeNow } from './directories.ts';
import { ownName, isLeftBehind } from './owner.ts';

const CREATE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

const TOO_LARGE = 'This is larger than memory may hold, and it could not be written to a temporary file';

export class ScratchDirectory {
  #made: Promise<string> | undefined;
  #files = 0;
  #removed = false;

  /** A new empty file (mode 0600). Throws `LIMIT` if no temporary file can be made, `BUSY` without descriptors. */
  async file(): Promise<ScratchFile> {
    if (this.#removed) throw new OrielError('CANCELLED', 'The session is closed.');
    try {
      return scratchFile(await untilDescriptors(() => this.#create()));
    } catch (error) {
      throw writeFailure(error, TOO_LARGE);
    }
  }

  /** Removes the directory. Later calls of `file` throw. */
  async remove(): Promise<void> {
    this.#removed = true;
    const directory = await this.#made?.catch(() => undefined);
    if (directory) await removeNow(directory);
  }

  /** Creates the directory again if it is gone, because systems remove temporary directories by age. */
  async #create(): Promise<FileHandle> {
    try {
      return await this.#createIn(await this.#directory());
    } catch (error) {
      if (errno(error) !== 'ENOENT' || this.#removed) throw error;
      this.#made = undefined;
      return this.#createIn(await this.#directory());
    }
  }

  /** One directory for all files of the session. If it could not be created, the next file tries again. */
  #directory(): Promise<string> {
    this.#made ??= makeDirectory().catch((error: unknown) => {
      this.#made = undefined;
      throw error;
    });
    return this.#made;
  }

  async #createIn(directory: string): Promise<FileHandle> {
    const path = join(directory, String((this.#files += 1)));
    const handle = await open(path, CREATE, 0o600);
    // An unlinked file disappears with its descriptor, also if the process is killed. Windows refuses to unlink open files.
    await rm(path).catch(() => undefined);
    return handle;
  }
}

async function makeDirectory(): Promise<string> {
  const directory = join(tmpdir(), `${PREFIX}${ownName()}`);
  await mkdir(directory, { mode: 0o700 });
  removeAtExit(directory);
  void sweep(tmpdir()).catch(() => undefined);
  return directory;
}

const PREFIX = 'oriel-scratch-';

/** Removes the directories of killed processes. */
async function sweep(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(PREFIX) || !isLeftBehind(name.slice(PREFIX.length))) continue;
    const path = join(parent, name);
    const stats = await lstat(path).catch(() => undefined);
    // Everybody can write to tmp: another user could replace a part of the tree by a link during the removal.
    if (!stats?.isDirectory() || stats.uid !== process.getuid?.()) continue;
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

function scratchFile(handle: FileHandle): ScratchFile {
  let size = 0;
  let closed = false;
  return {
    fd: handle.fd,
    async append(bytes) {
      let written = 0;
      while (written < bytes.length) {
        const step = await handle
          .write(bytes, written, bytes.length - written, size)
          .catch((error: unknown) => {
            throw writeFailure(error, TOO_LARGE);
          });
        written += step.bytesWritten;
        size += step.bytesWritten;
      }
    },
    async readInto(target, offset) {
      let filled = 0;
      while (filled < target.length) {
        const { bytesRead } = await handle.read(target, filled, target.length - filled, offset + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled;
    },
    async close() {
      if (closed) return;
      closed = true;
      // The content is no longer needed, so a failed close does not matter.
      await handle.close().catch(() => undefined);
    },
  };
}
