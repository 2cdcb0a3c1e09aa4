/** Private temporary files of a session for data too large for memory: mode 0600, and unlinked as soon as they are open. */

import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { untilDescriptors } from '../access/descriptors.ts';
import { isPrivateDirectory, PRIVATE_FILE, privateDirectory } from '../access/private-files.ts';
import { writeFailure } from '../access/system-failure.ts';
import { OrielError } from '../errors.ts';
import type { ScratchFile } from '../types/session.ts';
import { removeAtExit, removeNow, temporaryDirectory } from './directories.ts';
import { ownName, isLeftBehind } from './owner.ts';

const CREATE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

const TOO_LARGE = 'This is larger than memory may hold, and it could not be written to a temporary file';

export class ScratchDirectory {
  #directory: string | undefined;
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
    if (this.#directory !== undefined) await removeNow(this.#directory);
  }

  async #create(): Promise<FileHandle> {
    const path = join(this.#checked(), String((this.#files += 1)));
    const handle = await open(path, CREATE, PRIVATE_FILE);
    // An unlinked file disappears with its descriptor, also if the process is killed. Windows refuses to unlink open files.
    await rm(path).catch(() => undefined);
    return handle;
  }

  /** One directory for all files of the session, made again if it is gone: systems remove temporary directories by age. */
  #checked(): string {
    if (this.#directory === undefined || !isPrivateDirectory(this.#directory)) {
      const parent = temporaryDirectory();
      this.#directory = privateDirectory(join(parent, `${PREFIX}${ownName()}`));
      removeAtExit(this.#directory);
      void sweep(parent).catch(() => undefined);
    }
    return this.#directory;
  }
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
