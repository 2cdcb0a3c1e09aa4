/** The session's private files, for what is too large for memory: readable by this user only, and without a name. */

import { constants } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OrielError } from '../errors.ts';
import type { ScratchFile } from '../types/session.ts';

const CREATE = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

export class ScratchFolder {
  #folder: Promise<string> | undefined;
  #files = 0;
  #removed = false;

  /** A new empty file (mode 0600). Throws `LIMIT` where no temporary file can be made. */
  async file(): Promise<ScratchFile> {
    if (this.#removed) throw new OrielError('CANCELLED', 'The session is closed.');
    try {
      // mkdtemp makes a directory that only this user may enter.
      this.#folder ??= mkdtemp(join(tmpdir(), 'oriel-'));
      const path = join(await this.#folder, String((this.#files += 1)));
      const handle = await open(path, CREATE, 0o600);
      // Without a name it goes with its descriptor, also where the process is killed. Windows refuses.
      await rm(path).catch(() => undefined);
      return scratchFile(handle);
    } catch (cause) {
      this.#folder = undefined;
      throw new OrielError(
        'LIMIT',
        'This is larger than memory may hold, and no temporary file could be made for it.',
        { cause },
      );
    }
  }

  /** For good: no file is made any more. */
  async remove(): Promise<void> {
    this.#removed = true;
    const folder = await this.#folder?.catch(() => undefined);
    if (folder) await rm(folder, { recursive: true, force: true });
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
        const step = await handle.write(bytes, written, bytes.length - written, size);
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
      await handle.close();
    },
  };
}
