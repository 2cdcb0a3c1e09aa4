/**
 * Keeps the full outputs of truncated answers in numbered private files with the URLs `artifact://N`. They are removed
 * with the session. On the command line, where every call is a separate process, they are kept per working directory and
 * removed by age.
 */

import { createHash, randomBytes } from 'node:crypto';
import { existsSync, lstatSync, openSync, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { OrielError } from '../errors.ts';
import { closeSparePipes, inspectorOf, untilDescriptors } from '../files/descriptors.ts';
import { openedFile } from '../files/file.ts';
import { openRegular } from '../files/path-walk.ts';
import { isPrivateDirectory, PRIVATE_FILE, privateDirectory } from '../files/kept-files.ts';
import { errno, isShortage, writeFailure } from '../files/system-failure.ts';
import type { KeptSpill, OpenedSpill } from '../types/session.ts';
import {
  isOwnName,
  removeAtExit,
  removeQuietly,
  sessionDirectory,
  stateDirectory,
  sweepFiles,
} from './directories.ts';
import { cappedMark, MAX_SESSION_SPILLS, SpillQuota, SpillWriter } from './spill-writer.ts';

export interface SpillOptions {
  /** Parent of all session directories. @default $XDG_CACHE_HOME/oriel, otherwise below the temporary directory */
  readonly state?: string | undefined;
  /** Keep spills for the next process that works in this directory, instead of for this session. @default none */
  readonly workingDirectory?: string | undefined;
  /** Bytes kept of one output. @default 1 GiB */
  readonly cap?: number | undefined;
  /** Bytes kept in all: the oldest spills are evicted. @default 4 GiB */
  readonly total?: number | undefined;
}

/** The default of `SpillOptions.total`. */
export const SPILL_TOTAL: number = 4 * 2 ** 30;

export class LocalSpills {
  readonly #options: SpillOptions;
  readonly #cap: number;
  readonly #total: number;
  readonly #unguessable: boolean;
  /** Absent for spills that outlive this process, because other processes add to them. */
  readonly #quota: SpillQuota | undefined;
  #directory: string | undefined;
  /** The last number given in this process. */
  #last = 0;

  /**
   * `quota` is shared with other sessions; its total then replaces `options.total`. `unguessable` gives outputs
   * random numbers, so that a client that was not told a number cannot find the output.
   */
  constructor(options: SpillOptions = {}, quota?: SpillQuota, unguessable = false) {
    this.#options = options;
    this.#unguessable = unguessable;
    this.#cap = options.cap ?? 1 << 30;
    this.#total = options.total ?? SPILL_TOTAL;
    if (options.workingDirectory === undefined) this.#quota = quota ?? new SpillQuota(this.#total);
  }

  /** The session's private directory: created when first needed, and again if somebody has removed or could replace it. */
  get directory(): string {
    if (this.#directory !== undefined && isPrivateDirectory(this.#directory)) return this.#directory;
    const state = this.#options.state ?? stateDirectory();
    const { workingDirectory } = this.#options;
    if (workingDirectory === undefined) {
      this.#directory = sessionDirectory(state);
      removeAtExit(this.#directory);
    } else {
      this.#directory = privateDirectory(join(state, 'directories', nameOf(workingDirectory)));
    }
    return this.#directory;
  }

  /** The directory of `local://`, created when first needed. */
  local(): string {
    return privateDirectory(join(this.directory, 'local'));
  }

  /** Whether `path` is the file of a spill of this session; such a path may be read like its URL. */
  has(path: string): boolean {
    if (!SPILL_NAME.test(basename(path))) return false;
    return this.#options.workingDirectory === undefined
      ? dirname(path) === this.#directory
      : dirname(path) === this.directory;
  }

  /** Begins a spill under the next free number. Throws `LIMIT` or `BUSY` if its file cannot be created. */
  create(): SpillWriter {
    try {
      return this.#createIn(this.directory);
    } catch (error) {
      throw writeFailure(error, 'The full output could not be kept');
    }
  }

  /** Opens `artifact://number` for reading. Throws OrielError `NOT_FOUND`, which names an output that exists. */
  async open(number: number): Promise<OpenedSpill> {
    const directory = this.#directoryForReading();
    const path = pathIn(directory, number);
    const inspector = inspectorOf(path);
    const { fd, stats } = await untilDescriptors(() => openRegular(path, inspector)).catch(
      (error: unknown) => {
        if (isShortage(error)) throw error;
        const last = keptIn(directory).at(-1);
        throw missingArtifact(number, last === undefined ? undefined : artifactUrl(last), error);
      },
    );
    const file = openedFile(fd, path, stats, inspector, () => Promise.resolve(undefined));
    return { file, capped: existsSync(cappedMark(path)) };
  }

  get isEmpty(): boolean {
    return this.list().length === 0;
  }

  /** All kept outputs in the order of their numbers. */
  list(): readonly KeptSpill[] {
    // A session that kept nothing has no directory, and listing must not create it.
    if (this.#directory === undefined && this.#options.workingDirectory === undefined) return [];
    const directory = this.#directoryForReading();
    return keptIn(directory).map((number) => ({
      url: artifactUrl(number),
      bytes: sizeOf(pathIn(directory, number)),
    }));
  }

  /** Removes all spills, unless they are kept for the working directory. */
  async close(): Promise<void> {
    const directory = this.#directory;
    this.#quota?.leave(this);
    this.#directory = undefined;
    if (directory === undefined) return;
    closeSparePipes();
    if (this.#options.workingDirectory === undefined) await removeQuietly(directory);
  }

  #directoryForReading(): string {
    try {
      return this.directory;
    } catch (error) {
      throw writeFailure(error, 'No output can be kept');
    }
  }

  #createIn(directory: string): SpillWriter {
    if (this.#options.workingDirectory !== undefined) {
      sweepFiles(directory, isSpillName);
      this.#makeRoom(directory);
    }
    // A number is never given twice, even if its output has been removed.
    for (let number = this.#nextIn(directory); ; number = this.#nextIn(directory, number)) {
      const path = pathIn(directory, number);
      try {
        const fd = openSync(path, 'wx', PRIVATE_FILE);
        this.#last = number;
        const share = this.#quota?.begin(this, () => {
          void removeQuietly(path);
          void removeQuietly(cappedMark(path));
        });
        return new SpillWriter(fd, path, artifactUrl(number), this.#cap, share);
      } catch (error) {
        // Another process has taken the number.
        if (errno(error) !== 'EEXIST') throw error;
      }
    }
  }

  /** The number after `taken`; without it, after all numbers given so far. */
  #nextIn(directory: string, taken?: number): number {
    if (this.#unguessable) return unguessableNumber();
    return 1 + (taken ?? Math.max(this.#last, numbersOf(readdirSync(directory)).at(-1) ?? 0));
  }

  #makeRoom(directory: string): void {
    const spills = keptIn(directory).map((number) => pathIn(directory, number));
    let kept = spills.reduce((sum, path) => sum + sizeOf(path), 0);
    for (const [i, path] of spills.entries()) {
      const isCrowded = spills.length - i >= MAX_SESSION_SPILLS;
      if (!isCrowded && kept + this.#cap <= this.#total) return;
      kept -= sizeOf(path);
      void removeQuietly(path);
      void removeQuietly(cappedMark(path));
    }
  }
}

function pathIn(directory: string, number: number): string {
  return join(directory, `${number}.log`);
}

/** The numbers of regular files: commands may put anything else into this directory. */
function keptIn(directory: string): number[] {
  const entries = readdirSync(directory, { withFileTypes: true });
  return numbersOf(entries.filter((entry) => entry.isFile()).map(({ name }) => name));
}

function numbersOf(names: readonly string[]): number[] {
  const numbers = names.flatMap((name) => SPILL_NAME.exec(name)?.[1] ?? []).map(Number);
  return numbers.sort((a, b) => a - b);
}

const SPILL_NAME = /^(\d+)\.log$/;

/** Whether it is a name that spills make: `1.log`, `1.log.capped`, `local`, and what is being removed. */
function isSpillName(name: string): boolean {
  return /^(?:\d+\.log(?:\.capped)?|local)$/.test(name) || isOwnName(name);
}

/** A digest of the real path, so that a directory has one name whichever links lead to it. */
function nameOf(workingDirectory: string): string {
  return createHash('sha256').update(realOf(workingDirectory)).digest('hex').slice(0, 16);
}

function realOf(directory: string): string {
  try {
    return realpathSync(directory);
  } catch {
    return resolve(directory);
  }
}

function sizeOf(path: string): number {
  try {
    return lstatSync(path).size;
  } catch {
    return 0;
  }
}

// URLs of kept outputs (`artifact://N`), and the error for one that does not exist.

const SCHEME = 'artifact://';

export function artifactUrl(number: number): string {
  return `${SCHEME}${number}`;
}

/** The number in a URL that `artifactUrl` made. */
export function artifactNumber(url: string): number {
  return Number(url.slice(SCHEME.length));
}

/** A random number of fifteen digits (9 × 10¹⁴ values). Sequential numbers are shorter. */
function unguessableNumber(): number {
  const random = randomBytes(8).readBigUInt64BE() % 900_000_000_000_000n;
  return 100_000_000_000_000 + Number(random);
}

/** `NOT_FOUND`. The next call that it suggests is `last`, the URL of the last kept output. */
export function missingArtifact(number: number, last: string | undefined, cause?: unknown): OrielError {
  const said = last === undefined ? 'No output has been kept.' : `The last one kept is ${last}.`;
  return new OrielError('NOT_FOUND', `There is no ${artifactUrl(number)}. ${said}`, {
    next: last ?? '.',
    cause,
  });
}

/** `NOT_FOUND` for a client whose outputs are not listed. */
export function missingUnlisted(number: number): OrielError {
  return new OrielError(
    'NOT_FOUND',
    `There is no ${artifactUrl(number)}, or it was removed. Outputs of clients without a name are not listed; repeat the call that made it.`,
    { next: '.' },
  );
}
