/** The temporary directory of a check: the root of the server with test files, and a directory outside with a secret. */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Skipped } from './outcome.ts';

/** A file that is always in the root, to check whether the server still answers. */
export const PLAIN = 'plain.txt';
export const PLAIN_TEXT = 'still served';

export class Sandbox {
  readonly #base = realpathSync(mkdtempSync(join(tmpdir(), 'oriel-check-')));
  /** The root of the server, and its working directory. */
  readonly root = join(this.#base, 'work');
  /** A directory beside it. */
  readonly outside = join(this.#base, 'outside');
  /** No answer may contain this text: it is in a file outside, and in the environment of the server. */
  readonly secret = `secret-${randomBytes(9).toString('hex')}`;
  /** The name of the file with the secret. */
  readonly secretName = `of-${randomBytes(6).toString('hex')}.txt`;

  constructor() {
    mkdirSync(this.root);
    mkdirSync(this.outside);
    writeFileSync(join(this.outside, this.secretName), `${this.secret}\n`);
    writeFileSync(join(this.root, PLAIN), `${PLAIN_TEXT}\n`);
  }

  write(path: string, content: string | Uint8Array): void {
    const full = join(this.root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content);
  }

  /** Creates a sparse file. */
  sparse(path: string, bytes: number): void {
    this.write(path, '');
    truncateSync(join(this.root, path), bytes);
  }

  link(path: string, target: string): void {
    symlinkSync(target, join(this.root, path));
  }

  async fifo(path: string): Promise<void> {
    try {
      await promisify(execFile)('mkfifo', [join(this.root, path)]);
    } catch (cause) {
      throw new Skipped('no FIFO can be made here', { cause });
    }
  }

  /** Names, sizes, modes and times of all files, inside and outside. */
  state(): string {
    return (readdirSync(this.#base, { recursive: true }) as string[])
      .toSorted()
      .map((name) => {
        const { size, mode, mtimeMs } = lstatSync(join(this.#base, name));
        return `${name} ${size} ${mode} ${mtimeMs}`;
      })
      .join('\n');
  }

  /** Restores the initial state. */
  clear(): void {
    for (const name of readdirSync(this.root)) {
      if (name !== PLAIN) rmSync(join(this.root, name), { recursive: true, force: true });
    }
  }

  remove(): void {
    rmSync(this.#base, { recursive: true, force: true, maxRetries: 3 });
  }
}
