/** The temporary directory of a check: the root of the server with test files, and a directory outside with a secret. */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, realpathSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { quote } from '../../text/visible.ts';
import { CHANGED, emptyDirectory, FixtureDirectory, MOUNTED, OpenDirectory } from './fixture-directory.ts';
import { BrokenLaw, SkippedCase } from './outcome.ts';

/** A file that is always in the root, to check whether the server still answers. */
export const PLAIN = 'plain.txt';
export const PLAIN_TEXT = 'still served';
/** A word of its text, which is in no name, and whose echo is not the text. */
export const PLAIN_WORD = 'served';

/** The server under test runs meanwhile, and may change anything. */
export class CheckSandbox {
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

  #newPlace(): SandboxPlace {
    return new SandboxPlace(
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

  /** Creates a file of `content`, `times` times. Throws `BrokenLaw` if the server interferes; so do the others. */
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
      if (cause instanceof BrokenLaw) throw cause;
      throw new SkippedCase('no FIFO can be made here', { cause });
    }
  }

  /** Removes the files of the last case. Throws `BrokenLaw`. */
  clear(): void {
    this.#place.files.clear([PLAIN]);
  }

  /** Takes the present state as the one that `changes` expects. Throws `BrokenLaw` if the files cannot be listed. */
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
    if (error instanceof BrokenLaw) return [error.message];
    throw error;
  }
}

// One temporary directory with the root of the server and a directory beside it. It is held open: when the server moves or replaces it,
// what is written and removed is still in the directory that was made here.

const ROOT = 'work';
const OUTSIDE = 'outside';
const IN_ROOT = `${ROOT}/`;

const REPLACED = 'the server moved, replaced or removed the directory of the check';

/** A file by its name. */
interface FixtureFile {
  readonly name: string;
  readonly text: string;
}

export class SandboxPlace {
  readonly base: string;
  readonly root: string;
  readonly outside: string;
  readonly #base: OpenDirectory;
  readonly #inside: FixtureFile;
  readonly #beside: FixtureFile;
  #files: FixtureDirectory | undefined;
  #isLeft = false;

  /** Throws the error of the system, or `BrokenLaw` if another process took the new directory. */
  constructor(inside: FixtureFile, beside: FixtureFile) {
    this.base = mkdtempSync(join(realpathSync(tmpdir()), 'oriel-check-'));
    this.root = join(this.base, ROOT);
    this.outside = join(this.base, OUTSIDE);
    this.#inside = inside;
    this.#beside = beside;
    this.#base = new OpenDirectory(this.base);
    // A process that outlived the server may have put another directory in its place.
    if (this.#base.names().length > 0) {
      this.leave();
      throw new BrokenLaw(REPLACED);
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
    if (!this.#files) throw new BrokenLaw(CHANGED);
    return this.#files;
  }

  /** Makes both directories anew. Throws `BrokenLaw` if this is not the directory at its path any more. */
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

  /** Of all files, inside and outside. Throws `BrokenLaw` if they cannot be listed. */
  state(): FileStates {
    this.#expectHere();
    return readFileStates(this.#base);
  }

  /** Whether a case has made it. The root changes with what is made. */
  isOfCase(path: string): boolean {
    return path === ROOT || (path.startsWith(IN_ROOT) && this.files.made.has(path.slice(IN_ROOT.length)));
  }

  /** The part of a state that is still there when the files of a case are removed. */
  lasting(state: FileStates): FileStates {
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
    if (this.#base.isCovered) throw new BrokenLaw(MOUNTED);
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
    if (!this.#base.isAt(this.base)) throw new BrokenLaw(REPLACED);
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

// The state of every file of the sandbox, and what is different from an earlier one.

/** Entries whose state is recorded, and their deepest directory: more than any case makes. */
const MAX_STATE_ENTRIES = 10_000;
const MAX_STATE_DEPTH = 64;

/** Changes that a report names. */
const MAX_REPORTED_CHANGES = 10;

/** The state of each file, by its path below the directory. */
type FileStates = ReadonlyMap<string, string>;

/** Sizes, modes, inodes and times of change of all files. Throws `BrokenLaw` if they cannot be listed. */
function readFileStates(directory: OpenDirectory): FileStates {
  const found = new Map<string, string>();
  try {
    visit(directory, '', MAX_STATE_DEPTH, found);
  } catch (cause) {
    throw cause instanceof BrokenLaw ? cause : new BrokenLaw(CHANGED, { cause });
  }
  return found;
}

function visit(directory: OpenDirectory, above: string, depth: number, found: Map<string, string>): void {
  if (depth === 0) throw new BrokenLaw('the server made directories that are too deep to be compared');
  for (const name of directory.names()) {
    if (found.size > MAX_STATE_ENTRIES) throw new BrokenLaw('the server made thousands of files');
    const path = `${above}${name.toString()}`;
    const stats = lstatSync(directory.at(name));
    // A write after which the time of modification is restored changes the time of change too.
    found.set(path, `${stats.size} ${stats.mode} ${stats.ino} ${stats.ctimeMs}`);
    if (!stats.isDirectory()) continue;
    const inner = directory.enter(name);
    try {
      visit(inner, `${path}/`, depth - 1, found);
    } finally {
      inner.close();
    }
  }
}

/** What changed: `new: work/a.txt`. Empty if nothing did. `but`: paths that do not count. */
function differences(
  before: FileStates,
  now: FileStates,
  but: (path: string) => boolean = () => false,
): readonly string[] {
  const found = [
    ...[...now].flatMap(([path, state]) => {
      const was = before.get(path);
      return was === state ? [] : [{ path, what: was === undefined ? 'new' : 'changed' }];
    }),
    ...[...before.keys()].filter((path) => !now.has(path)).map((path) => ({ path, what: 'removed' })),
  ].filter(({ path }) => !but(path));
  // A directory changes when a file in it does.
  const parents = new Set(found.map(({ path }) => dirname(path)));
  const told = found.filter(({ path }) => !parents.has(path));
  const lines = told.slice(0, MAX_REPORTED_CHANGES).map(({ path, what }) => `${what}: ${quote(path)}`);
  return told.length > MAX_REPORTED_CHANGES
    ? [...lines, `and ${told.length - MAX_REPORTED_CHANGES} more`]
    : lines;
}
