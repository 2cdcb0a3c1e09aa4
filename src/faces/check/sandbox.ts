/** The temporary directory of a check: the root of the server with test files, and a directory outside with a secret. */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { quote } from '../../text/visible.ts';
import { FixtureDirectory } from './fixture-directory.ts';
import { Broken, Skipped } from './outcome.ts';

/** A file that is always in the root, to check whether the server still answers. */
export const PLAIN = 'plain.txt';
export const PLAIN_TEXT = 'still served';
/** A word of its text, which is in no name, and whose echo is not the text. */
export const PLAIN_WORD = 'served';

/** Entries whose state is recorded: more than any case makes. */
const MOST_ENTRIES = 10_000;

/** Changes that a report names. */
const MOST_TOLD = 10;

/** The state of each file, by its path. */
export type State = ReadonlyMap<string, string>;

/** The server under test runs meanwhile, and may change anything. */
export class Sandbox {
  /** The temporary directory that contains the root and the directory beside it. */
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), 'oriel-check-')));
  /** The root of the server, and its working directory. */
  readonly root = join(this.base, 'work');
  /** A directory beside it. */
  readonly outside = join(this.base, 'outside');
  /** No answer may contain this text: it is in a file outside, and in the environment of the server. */
  readonly secret = `secret-${randomBytes(9).toString('hex')}`;
  /** The name of the file with the secret. */
  readonly secretName = `of-${randomBytes(6).toString('hex')}.txt`;
  #files: FixtureDirectory;

  constructor() {
    this.#files = this.#build();
  }

  #build(): FixtureDirectory {
    for (const path of [this.root, this.outside]) {
      rmSync(path, { recursive: true, force: true });
      mkdirSync(path);
    }
    const outside = new FixtureDirectory(this.outside);
    outside.write(this.secretName, `${this.secret}\n`);
    outside.close();
    const files = new FixtureDirectory(this.root);
    files.write(PLAIN, `${PLAIN_TEXT}\n`);
    return files;
  }

  /** Makes both directories anew, while no server runs. */
  rebuild(): void {
    this.#files.close();
    this.#files = this.#build();
  }

  /** Creates a file of `content`, `times` times. Throws `Broken` if the server interferes; so do the others. */
  write(path: string, content: string | Uint8Array, times = 1): void {
    this.#files.write(path, content, times);
  }

  /** Creates a sparse file. */
  sparse(path: string, bytes: number): void {
    this.#files.sparse(path, bytes);
  }

  link(path: string, target: string): void {
    this.#files.link(path, target);
  }

  async fifo(path: string): Promise<void> {
    try {
      await this.#files.make(path, (entry) => promisify(execFile)('mkfifo', [entry]));
    } catch (cause) {
      if (cause instanceof Broken) throw cause;
      throw new Skipped('no FIFO can be made here', { cause });
    }
  }

  /** Sizes, modes, inodes and times of change of all files by path, inside and outside. Throws `Broken` if they cannot be listed. */
  state(): State {
    const found = new Map<string, string>();
    const visit = (directory: string): void => {
      for (const entry of readdirSync(join(this.base, directory), { withFileTypes: true })) {
        const path = join(directory, entry.name);
        if (found.size > MOST_ENTRIES) throw new Broken('the server made thousands of files');
        const { size, mode, ino, ctimeMs } = lstatSync(join(this.base, path));
        // A write after which the time of modification is restored changes the time of change too.
        found.set(path, `${size} ${mode} ${ino} ${ctimeMs}`);
        if (entry.isDirectory()) visit(path);
      }
    };
    try {
      visit('');
    } catch (cause) {
      throw cause instanceof Broken
        ? cause
        : new Broken('the server changed the files of the check', { cause });
    }
    return found;
  }

  /** What is different from an earlier state: `new: work/a.txt`. Empty if nothing is. */
  changesSince(before: State): readonly string[] {
    try {
      return differences(before, this.state());
    } catch (error) {
      if (error instanceof Broken) return [error.message];
      throw error;
    }
  }

  /** Removes the files of the last case. Throws `Broken`. */
  clear(): void {
    this.#files.clear([PLAIN]);
  }

  /** Ends its work, and leaves the files where they are. */
  leave(): void {
    this.#files.close();
  }

  remove(): void {
    this.leave();
    rmSync(this.base, { recursive: true, force: true, maxRetries: 3 });
  }
}

function differences(before: State, now: State): readonly string[] {
  const found = [
    ...[...now].flatMap(([path, state]) => {
      const was = before.get(path);
      return was === state ? [] : [{ path, what: was === undefined ? 'new' : 'changed' }];
    }),
    ...[...before.keys()].filter((path) => !now.has(path)).map((path) => ({ path, what: 'removed' })),
  ];
  // A directory changes when a file in it does.
  const parents = new Set(found.map(({ path }) => dirname(path)));
  const told = found.filter(({ path }) => !parents.has(path));
  const lines = told.slice(0, MOST_TOLD).map(({ path, what }) => `${what}: ${quote(path)}`);
  return told.length > MOST_TOLD ? [...lines, `and ${told.length - MOST_TOLD} more`] : lines;
}
