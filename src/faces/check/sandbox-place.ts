/**
 * One temporary directory with the root of the server and a directory beside it. It is held open: when the server moves or replaces it,
 * what is written and removed is still in the directory that was made here.
 */

import { mkdirSync, mkdtempSync, realpathSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quote } from '../../text/visible.ts';
import { type State, stateOf } from './file-states.ts';
import { FixtureDirectory } from './fixture-directory.ts';
import { CHANGED, MOUNTED, OpenDirectory } from './open-directory.ts';
import { Broken } from './outcome.ts';
import { emptyDirectory } from './remove-entry.ts';

const ROOT = 'work';
const OUTSIDE = 'outside';
const IN_ROOT = `${ROOT}/`;

const REPLACED = 'the server moved, replaced or removed the directory of the check';

/** A file by its name. */
export interface Fixture {
  readonly name: string;
  readonly text: string;
}

export class Place {
  readonly base: string;
  readonly root: string;
  readonly outside: string;
  readonly #base: OpenDirectory;
  readonly #inside: Fixture;
  readonly #beside: Fixture;
  #files: FixtureDirectory | undefined;
  #isLeft = false;

  /** Throws the error of the system, or `Broken` if another process took the new directory. */
  constructor(inside: Fixture, beside: Fixture) {
    this.base = mkdtempSync(join(realpathSync(tmpdir()), 'oriel-check-'));
    this.root = join(this.base, ROOT);
    this.outside = join(this.base, OUTSIDE);
    this.#inside = inside;
    this.#beside = beside;
    this.#base = new OpenDirectory(this.base);
    // A process that outlived the server may have put another directory in its place.
    if (this.#base.names().length > 0) {
      this.leave();
      throw new Broken(REPLACED);
    }
    try {
      this.#build();
    } catch (error) {
      this.remove();
      throw error;
    }
  }

  /** The files in the root. */
  get files(): FixtureDirectory {
    if (!this.#files) throw new Broken(CHANGED);
    return this.#files;
  }

  /** Makes both directories anew. Throws `Broken` if this is not the directory at its path any more. */
  rebuild(): void {
    this.#expectHere();
    this.#discard();
    emptyDirectory(this.#base);
    this.#build();
  }

  #build(): void {
    const beside = this.#make(OUTSIDE);
    beside.write(this.#beside.name, this.#beside.text);
    beside.close();
    this.#files = this.#make(ROOT);
    this.#files.write(this.#inside.name, this.#inside.text);
    this.#files.forgetMade();
  }

  #make(name: string): FixtureDirectory {
    mkdirSync(this.#base.at(name));
    return new FixtureDirectory(this.#base.enter(name));
  }

  /** Of all files, inside and outside. Throws `Broken` if they cannot be listed. */
  state(): State {
    this.#expectHere();
    return stateOf(this.#base);
  }

  /** Whether a case has made it. The root changes with what is made. */
  isOfCase(path: string): boolean {
    return path === ROOT || (path.startsWith(IN_ROOT) && this.files.made.has(path.slice(IN_ROOT.length)));
  }

  /** The part of a state that is still there when the files of a case are removed. */
  lasting(state: State): State {
    const plain = `${IN_ROOT}${this.#inside.name}`;
    return new Map([...state].filter(([path]) => path === plain || !`${path}/`.startsWith(IN_ROOT)));
  }

  /** Ends the work here, and leaves the files where they are. */
  leave(): void {
    this.#isLeft = true;
    this.#files?.close();
    this.#base.close();
  }

  /** Removes everything that was made here, also if it was moved. The message says what could not be removed. */
  remove(): string | undefined {
    if (this.#isLeft) return undefined;
    const failures = [() => this.#discard(), () => emptyDirectory(this.#base), () => this.#removeBase()]
      .map(failureOf)
      .filter((failure) => failure !== undefined);
    this.leave();
    return failures[0] && `${quote(this.base)} (${failures[0]})`;
  }

  /** If it is nowhere, the server has removed it; what else is at its path is not ours. */
  #removeBase(): void {
    const { place } = this.#base;
    if (this.#base.isCovered) throw new Broken(MOUNTED);
    if (this.#base.isAt(place)) rmdirSync(place);
  }

  /** Empties the root, wherever the server has moved it. */
  #discard(): void {
    const files = this.#files;
    this.#files = undefined;
    try {
      files?.clear();
    } finally {
      files?.close();
    }
  }

  #expectHere(): void {
    if (!this.#base.isAt(this.base)) throw new Broken(REPLACED);
  }
}

function failureOf(act: () => void): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    // The error of the system tells more than that the server changed something.
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
    return quote(code ?? message);
  }
}
