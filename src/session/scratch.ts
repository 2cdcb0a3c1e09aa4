/** Owns the session's private folder and the files in it: what is too large for memory, readable by this user only. */

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

  /** A new empty file (mode 0600). Throws `LIMIT` where no temporary file can be made. */
  async file(): Promise<ScratchFile> {
    let handle: FileHandle;
    let path: string;
    try {
      // mkdtemp makes a folder that only this user may enter.
      this.#folder ??= mkdtemp(join(tmpdir(), 'oriel-'));
      path = join(await this.#folder, String((this.#files += 1)));
      handle = await open(path, CREATE, 0o600);
    } catch (cause) {
      this.#folder = undefined;
      throw new OrielError(
        'LIMIT',
        'This is larger than memory may hold, and no temporary file could be made for it.',
        { cause },
      );
    }
    return scratchFile(path, handle);
  }

  async remove(): Promise<void> {
    const folder = await this.#folder?.catch(() => undefined);
    this.#folder = undefined;
    if (folder) await rm(folder, { recursive: true, force: true });
  }
}

function scratchFile(path: string, handle: FileHandle): ScratchFile {
  let size = 0;
  let closed = false;
  return {
    path,
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
    async close(keep = false) {
      if (closed) return;
      closed = true;
      await handle.close();
      if (!keep) await rm(path, { force: true });
    },
  };
}
