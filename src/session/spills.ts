/**
 * Owns the full outputs of which an answer showed only a part: numbered files that only this user can read, named
 * `artifact://N`. They go when the session ends; where every call is a process of its own, they are kept for the
 * working directory and go by age.
 */

import { createHash } from 'node:crypto';
import { constants, existsSync, openSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { inspectorOf, openDescriptor, untilDescriptors } from '../access/descriptors.ts';
import { errno } from '../access/failure.ts';
import { openedFile } from '../access/file.ts';
import { OrielError } from '../errors.ts';
import type { KeptSpill, OpenedSpill } from '../types/session.ts';
import { privateFolder, remove, removeAtExit, sessionFolder, stateFolder, sweepFiles } from './folder.ts';
import { SpillWriter, cappedMark } from './spill-writer.ts';

export interface SpillOptions {
  /** Parent of all session folders; the XDG cache directory when absent. */
  readonly state?: string;
  /** Keep spills for the next process that works in this folder, instead of for this session. */
  readonly workingFolder?: string;
  /** Bytes kept of one output; 1 GiB when absent. */
  readonly cap?: number;
  /** Bytes kept in all: the oldest spills make room; 4 GiB when absent. */
  readonly total?: number;
}

export class Spills {
  readonly #options: SpillOptions;
  readonly #cap: number;
  readonly #total: number;
  #folder: string | undefined;

  constructor(options: SpillOptions = {}) {
    this.#options = options;
    this.#cap = options.cap ?? 1 << 30;
    this.#total = options.total ?? 4 * 2 ** 30;
  }

  /** The session's private folder, made when first needed. */
  get folder(): string {
    if (this.#folder !== undefined) return this.#folder;
    const state = this.#options.state ?? stateFolder();
    const { workingFolder } = this.#options;
    if (workingFolder === undefined) {
      this.#folder = sessionFolder(state);
      removeAtExit(this.#folder);
    } else {
      this.#folder = privateFolder(join(state, 'folders', nameOf(workingFolder)));
    }
    return this.#folder;
  }

  /** Whether `path` is that of a spill: hosts that know only paths may read it by that. */
  has(path: string): boolean {
    if (!SPILL_NAME.test(basename(path))) return false;
    return this.#options.workingFolder === undefined
      ? dirname(path) === this.#folder
      : dirname(path) === this.folder;
  }

  /** Begins a spill under the next free number. */
  create(): SpillWriter {
    if (this.#options.workingFolder !== undefined) sweepFiles(this.folder);
    this.#makeRoom();
    for (let number = 1 + Math.max(0, ...this.#numbers()); ; number += 1) {
      const path = this.#pathOf(number);
      try {
        const fd = openSync(path, 'wx', 0o600);
        return new SpillWriter(fd, path, urlOf(number), this.#cap);
      } catch (error) {
        // Another process has taken the number.
        if (errno(error) !== 'EEXIST') throw error;
      }
    }
  }

  /** Opens `artifact://number` for reading. Throws OrielError `NOT_FOUND` with what there is instead. */
  async open(number: number): Promise<OpenedSpill> {
    const path = this.#pathOf(number);
    const open = (): Promise<number> => openDescriptor(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    const fd = await untilDescriptors(open).catch((cause: unknown) => {
      throw this.#missing(number, cause);
    });
    const inspector = inspectorOf(path);
    const file = openedFile(fd, path, await inspector.stat(fd), inspector, () => Promise.resolve(undefined));
    return { file, capped: existsSync(cappedMark(path)) };
  }

  /** What is kept, in the order in which it was made. */
  list(): readonly KeptSpill[] {
    // A session that kept nothing has no folder, and listing makes none.
    if (this.#folder === undefined && this.#options.workingFolder === undefined) return [];
    return this.#numbers().map((number) => ({ url: urlOf(number), bytes: sizeOf(this.#pathOf(number)) }));
  }

  /** Removes all spills, unless they are kept for the working directory. */
  close(): void {
    if (this.#options.workingFolder === undefined && this.#folder !== undefined) remove(this.#folder);
    this.#folder = undefined;
  }

  #pathOf(number: number): string {
    return join(this.folder, `${number}.log`);
  }

  /** Numbers in use, in ascending order. */
  #numbers(): number[] {
    const numbers = readdirSync(this.folder).flatMap((name) => Number(SPILL_NAME.exec(name)?.[1] ?? []));
    return numbers.sort((a, b) => a - b);
  }

  #makeRoom(): void {
    const spills = this.#numbers().map((number) => this.#pathOf(number));
    let kept = spills.reduce((sum, path) => sum + sizeOf(path), 0);
    for (const path of spills) {
      if (kept + this.#cap <= this.#total) return;
      kept -= sizeOf(path);
      remove(path);
      remove(cappedMark(path));
    }
  }

  #missing(number: number, cause: unknown): OrielError {
    const last = this.#numbers().at(-1);
    const message = `There is no artifact://${number}.`;
    if (last === undefined)
      return new OrielError('NOT_FOUND', `${message} No output has been kept.`, { cause });
    return new OrielError('NOT_FOUND', `${message} The last one kept is ${urlOf(last)}.`, {
      next: urlOf(last),
      cause,
    });
  }
}

const SPILL_NAME = /^(\d+)\.log$/;

function urlOf(number: number): string {
  return `artifact://${number}`;
}

/** A folder has one name, however it is reached. */
function nameOf(workingFolder: string): string {
  return createHash('sha256').update(realOf(workingFolder)).digest('hex').slice(0, 16);
}

function realOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
