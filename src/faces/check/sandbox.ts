/** The temporary directory of a check: the root of the server with test files, and a directory outside with a secret. */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { differences } from './file-states.ts';
import { Broken, Skipped } from './outcome.ts';
import { Place } from './sandbox-place.ts';

/** A file that is always in the root, to check whether the server still answers. */
export const PLAIN = 'plain.txt';
export const PLAIN_TEXT = 'still served';
/** A word of its text, which is in no name, and whose echo is not the text. */
export const PLAIN_WORD = 'served';

/** The server under test runs meanwhile, and may change anything. */
export class Sandbox {
  /** No answer may contain this text: it is in a file outside, and in the environment of the server. */
  readonly secret = `secret-${randomBytes(9).toString('hex')}`;
  /** The name of the file with the secret. */
  readonly secretName = `of-${randomBytes(6).toString('hex')}.txt`;
  #place = this.#newPlace();
  #expected = this.#place.state();
  /** What is there after `clear`. */
  #ground = this.#place.lasting(this.#expected);
  readonly #notRemoved: string[] = [];

  /** The temporary directory that contains the root and the directory beside it. Another one after a `rebuild`, if it was replaced. */
  get base(): string {
    return this.#place.base;
  }

  /** The root of the server, and its working directory. */
  get root(): string {
    return this.#place.root;
  }

  /** Leads to the root even if the server puts something else at its path. For processes of the cases. */
  get heldRoot(): string {
    return this.#place.files.path;
  }

  /** A directory beside the root. */
  get outside(): string {
    return this.#place.outside;
  }

  #newPlace(): Place {
    return new Place(
      { name: PLAIN, text: `${PLAIN_TEXT}\n` },
      { name: this.secretName, text: `${this.secret}\n` },
    );
  }

  /** Makes both directories anew, while no server runs: elsewhere, if they cannot be made here. Throws the error of the system. */
  rebuild(): void {
    try {
      this.#place.rebuild();
    } catch {
      this.#remove();
      this.#place = this.#newPlace();
    }
    this.mark();
    this.acceptStrays();
  }

  /** Creates a file of `content`, `times` times. Throws `Broken` if the server interferes; so do the others. */
  write(path: string, content: string | Uint8Array, times = 1): void {
    this.#place.files.write(path, content, times);
  }

  /** Creates a sparse file. */
  sparse(path: string, bytes: number): void {
    this.#place.files.sparse(path, bytes);
  }

  link(path: string, target: string): void {
    this.#place.files.link(path, target);
  }

  async fifo(path: string): Promise<void> {
    try {
      await this.#place.files.make(path, (entry) => promisify(execFile)('mkfifo', [entry]));
    } catch (cause) {
      if (cause instanceof Broken) throw cause;
      throw new Skipped('no FIFO can be made here', { cause });
    }
  }

  /** Removes the files of the last case. Throws `Broken`. */
  clear(): void {
    this.#place.files.clear([PLAIN]);
  }

  /** Takes the present state as the one that `changes` expects. Throws `Broken` if the files cannot be listed. */
  mark(): void {
    this.#expected = this.#place.state();
  }

  /** What is different from the last `mark`: `new: work/a.txt`. Empty if nothing is. */
  changes(): readonly string[] {
    return told(() => differences(this.#expected, this.#place.state()));
  }

  /** What was changed besides the files that were made since `clear`, empty if nothing was. Marks the state. */
  strays(): readonly string[] {
    return told(() => {
      this.mark();
      return differences(this.#ground, this.#expected, (path) => this.#place.isOfCase(path));
    });
  }

  /** The changes that `strays` tells do not count from now on. */
  acceptStrays(): void {
    this.#ground = this.#place.lasting(this.#expected);
  }

  /** Ends its work, and leaves the files where they are. */
  leave(): void {
    this.#place.leave();
  }

  /** Removes all files. Tells the directories that could not be removed, with the reason; never throws. */
  remove(): readonly string[] {
    this.#remove();
    return this.#notRemoved;
  }

  #remove(): void {
    const failure = this.#place.remove();
    if (failure !== undefined) this.#notRemoved.push(failure);
  }
}

function told(changes: () => readonly string[]): readonly string[] {
  try {
    return changes();
  } catch (error) {
    if (error instanceof Broken) return [error.message];
    throw error;
  }
}
