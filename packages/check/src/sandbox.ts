/** The temporary directory of a check: the root of the server with test files, and a directory outside with a secret. */

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { oriel } from './oriel.ts';
import { BrokenLaw, SkippedCase } from './outcome.ts';

/** A file that is always in the root, to check whether the server still answers. */
export const PLAIN = 'plain.txt';
export const PLAIN_TEXT = 'still served';
/** A word of its text, which is in no name, and whose echo is not the text. */
export const PLAIN_WORD = 'served';

const ROOT = 'work';
const IN_ROOT = `${ROOT}/`;

const CHANGED = 'the server changed the files of the check';
const REPLACED = 'the server moved, replaced or removed the directory of the check';

/** The server under test runs meanwhile, with the rights of this process, and may change anything. */
export class CheckSandbox {
  /** No answer may contain this text: it is in a file outside, and in the environment of the server. */
  readonly secret = `secret-${randomBytes(9).toString('hex')}`;
  /** The name of the file with the secret. */
  readonly secretName = `of-${randomBytes(6).toString('hex')}.txt`;
  #base = '';
  #rootInode = 0;
  #expected: FileStates = new Map();
  /** What is there after `clear`. */
  #ground: FileStates = new Map();
  /** The paths that the case has created, with the directories above them. */
  readonly #made = new Set<string>();
  readonly #notRemoved: string[] = [];

  /** Throws the error of the system. */
  constructor() {
    this.#build();
  }

  /** The temporary directory that contains the root and the directory beside it. Another one after a `rebuild`. */
  get base(): string {
    return this.#base;
  }

  /** The root of the server, and its working directory. */
  get root(): string {
    return join(this.#base, ROOT);
  }

  /** A directory beside the root. */
  get outside(): string {
    return join(this.#base, 'outside');
  }

  #build(): void {
    this.#base = mkdtempSync(join(realpathSync(tmpdir()), 'oriel-check-'));
    mkdirSync(this.outside);
    writeFileSync(join(this.outside, this.secretName), `${this.secret}\n`);
    mkdirSync(this.root);
    this.#rootInode = lstatSync(this.root).ino;
    this.write(PLAIN, `${PLAIN_TEXT}\n`);
    this.#made.clear();
    this.mark();
    this.acceptStrays();
  }

  /** Makes both directories anew, while no server runs. Throws the error of the system. */
  rebuild(): void {
    this.#remove();
    this.#build();
  }

  /** Creates a file of `content`, `times` times. Throws `BrokenLaw` if the server interferes; so do the others. */
  write(path: string, content: string | Uint8Array, times = 1): void {
    this.#create(path, (fd) => {
      const bytes = Buffer.from(content);
      for (let i = 0; i < times; i += 1) for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    });
  }

  /** Creates a sparse file. */
  sparse(path: string, bytes: number): void {
    this.#create(path, (fd) => ftruncateSync(fd, bytes));
  }

  link(path: string, target: string): void {
    const entry = this.#entry(path);
    explaining(() => symlinkSync(target, entry));
  }

  async fifo(path: string): Promise<void> {
    const entry = this.#entry(path);
    await promisify(execFile)('mkfifo', [entry]).catch((cause: unknown) => {
      throw new SkippedCase('no FIFO can be made here', { cause });
    });
  }

  #create(path: string, fill: (fd: number) => void): void {
    const entry = this.#entry(path);
    explaining(() => {
      const fd = openSync(entry, 'wx');
      try {
        fill(fd);
      } finally {
        closeSync(fd);
      }
    });
  }

  /** The path of an entry that does not exist, in a directory that does. */
  #entry(path: string): string {
    this.#expectRoot();
    for (let made = path; made !== '.'; made = dirname(made)) this.#made.add(made);
    const entry = join(this.root, path);
    explaining(() => {
      mkdirSync(dirname(entry), { recursive: true });
      rmSync(entry, { recursive: true, force: true });
    });
    return entry;
  }

  /** Removes the files of the last case. Throws `BrokenLaw`. */
  clear(): void {
    this.#made.clear();
    this.#expectRoot();
    explaining(() => {
      for (const name of readdirSync(this.root))
        if (name !== PLAIN) rmSync(join(this.root, name), { recursive: true, force: true });
    });
  }

  /** Nothing is made or removed behind a link that the server has put in place of the root. */
  #expectRoot(): void {
    if (lstatSync(this.root, { throwIfNoEntry: false })?.ino !== this.#rootInode)
      throw new BrokenLaw(REPLACED);
  }

  /** Takes the present state as the one that `changes` expects. Throws `BrokenLaw` if the files cannot be listed. */
  mark(): void {
    this.#expected = readFileStates(this.#base);
  }

  /** What is different from the last `mark`: `new: work/a.txt`. Empty if nothing is. */
  changes(): readonly string[] {
    return told(() => differences(this.#expected, readFileStates(this.#base)));
  }

  /** What was changed besides the files that were made since `clear`, empty if nothing was. Marks the state. */
  strays(): readonly string[] {
    return told(() => {
      this.mark();
      return differences(this.#ground, this.#expected, (path) => this.#isOfCase(path));
    });
  }

  /** Whether a case has made it. The root changes with what is made. */
  #isOfCase(path: string): boolean {
    return path === ROOT || (path.startsWith(IN_ROOT) && this.#made.has(path.slice(IN_ROOT.length)));
  }

  /** The changes that `strays` tells do not count from now on. */
  acceptStrays(): void {
    const isLasting = (path: string): boolean => path === IN_ROOT + PLAIN || !`${path}/`.startsWith(IN_ROOT);
    this.#ground = new Map([...this.#expected].filter(([path]) => isLasting(path)));
  }

  /** Removes all files. Tells the directories that could not be removed, with the reason; never throws. */
  remove(): readonly string[] {
    this.#remove();
    return this.#notRemoved;
  }

  #remove(): void {
    try {
      rmSync(this.#base, { recursive: true, force: true });
    } catch (error) {
      this.#notRemoved.push(
        `${oriel.quote(this.#base)} (${oriel.quote((error as NodeJS.ErrnoException).code ?? '')})`,
      );
    }
  }
}

/** What happens only if the server interferes. */
const CHANGES: ReadonlySet<string> = new Set([
  'EBUSY',
  'EEXIST',
  'EISDIR',
  'ELOOP',
  'ENOENT',
  'ENOTDIR',
  'ENOTEMPTY',
]);

function explaining(act: () => void): void {
  try {
    act();
  } catch (cause) {
    if (!CHANGES.has((cause as NodeJS.ErrnoException).code ?? '')) throw cause;
    throw new BrokenLaw(CHANGED, { cause });
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

// The state of every file of the sandbox, and what is different from an earlier one.

/** Entries whose state is recorded: more than any case makes. */
const MAX_STATE_ENTRIES = 10_000;

/** Changes that a report names. */
const MAX_REPORTED_CHANGES = 10;

/** The state of each file, by its path below the directory. */
type FileStates = ReadonlyMap<string, string>;

/** Sizes, modes, inodes and times of change of all files. Throws `BrokenLaw` if they cannot be listed. */
function readFileStates(directory: string): FileStates {
  const found = new Map<string, string>();
  try {
    visit(directory, '', found);
  } catch (cause) {
    throw cause instanceof BrokenLaw ? cause : new BrokenLaw(CHANGED, { cause });
  }
  return found;
}

function visit(directory: string, above: string, found: Map<string, string>): void {
  for (const name of readdirSync(directory)) {
    if (found.size > MAX_STATE_ENTRIES) throw new BrokenLaw('the server made thousands of files');
    const entry = join(directory, name);
    const stats = lstatSync(entry);
    // A write after which the time of modification is restored changes the time of change too.
    found.set(`${above}${name}`, `${stats.size} ${stats.mode} ${stats.ino} ${stats.ctimeMs}`);
    if (stats.isDirectory()) visit(entry, `${above}${name}/`, found);
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
  const lines = told.slice(0, MAX_REPORTED_CHANGES).map(({ path, what }) => `${what}: ${oriel.quote(path)}`);
  return told.length > MAX_REPORTED_CHANGES
    ? [...lines, `and ${told.length - MAX_REPORTED_CHANGES} more`]
    : lines;
}
