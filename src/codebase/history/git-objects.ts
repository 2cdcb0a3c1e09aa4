/**
 * Reads the objects of a repository, only from its `.git` directory: it runs no git, reads no configuration, follows no
 * link, and opens no directory that `alternates`, `commondir` or a `.git` file refers to. All functions are synchronous.
 */

import { inflateSync } from '../../access/uninterrupted.ts';
import {
  closeHeld,
  type HeldDirectory,
  type HeldFile,
  openHeld,
  readHeld,
} from '../../access/held-directory.ts';
import { type GitObject, MOST_BYTES, Pack } from './pack.ts';
import { PackIndex, type WindowedFile } from './pack-index.ts';

/** Maximum packs that are opened. `git gc --auto` merges packs when there are more than 50. */
const MOST_PACKS = 64;

/** Maximum compressed bytes of an object in a file of its own (a loose object). */
const MOST_STORED = 4 << 20;

export class Repository {
  readonly #objects: HeldDirectory | undefined;
  readonly #roots: readonly string[];
  readonly #packs: readonly Pack[];
  readonly #open: HeldFile[] = [];

  /** `git`: the `.git` directory. `roots`: the paths (see `bytesOf`) outside which no directory is entered; empty: no roots. */
  constructor(git: HeldDirectory, roots: readonly string[]) {
    this.#roots = roots;
    this.#objects = enter(git, 'objects', roots);
    this.#packs = this.#objects ? this.#openPacks(this.#objects) : [];
  }

  /** The object with this id of 20 bytes. Undefined if it is missing, damaged or too large. */
  read(id: Buffer): GitObject | undefined {
    for (const pack of this.#packs) {
      const found = pack.read(id);
      if (found) return found;
    }
    return this.#loose(id.toString('hex'));
  }

  close(): void {
    this.#objects?.release();
    for (const file of this.#open.splice(0)) closeHeld(file);
  }

  #openPacks(objects: HeldDirectory): Pack[] {
    const directory = enter(objects, 'pack', this.#roots);
    if (!directory) return [];
    try {
      const names = directory
        .entries(4 * MOST_PACKS)
        .entries.flatMap(({ name }) => /^(pack-[0-9a-f]{40})\.idx$/.exec(name)?.[1] ?? []);
      return names.slice(0, MOST_PACKS).flatMap((name) => {
        const indexFile = this.#openWindowed(directory, `${name}.idx`);
        const packFile = this.#openWindowed(directory, `${name}.pack`);
        const index = indexFile && PackIndex.of(indexFile);
        return packFile && index ? [new Pack(packFile, index)] : [];
      });
    } finally {
      directory.release();
    }
  }

  /** The file stays open until `close`. */
  #openWindowed(directory: HeldDirectory, name: string): WindowedFile | undefined {
    const file = openFile(directory, name);
    if (!file) return undefined;
    this.#open.push(file);
    return { size: file.size, read: (from, length) => readPart(file, from, length) };
  }

  /** `id`: hexadecimal. */
  #loose(id: string): GitObject | undefined {
    const directory = this.#objects && enter(this.#objects, id.slice(0, 2), this.#roots);
    if (!directory) return undefined;
    const file = openFile(directory, id.slice(2));
    directory.release();
    if (!file) return undefined;
    try {
      return file.size > MOST_STORED ? undefined : looseObject(readPart(file, 0, file.size));
    } finally {
      closeHeld(file);
    }
  }
}

/** Inflates and parses `TYPE SP SIZE NUL BYTES`. Undefined if it is damaged or too large. */
function looseObject(stored: Buffer): GitObject | undefined {
  let bytes: Buffer;
  try {
    bytes = inflateSync(stored, { maxOutputLength: MOST_BYTES });
  } catch {
    return undefined;
  }
  const head = /^(commit|tree|blob|tag) (\d{1,10})\0/.exec(bytes.subarray(0, 32).toString('latin1'));
  const body = bytes.subarray(head?.[0].length ?? 0);
  if (!head || body.length !== Number(head[2])) return undefined;
  return { is: head[1] === 'commit' || head[1] === 'tree' ? head[1] : 'other', bytes: body };
}

/** Fewer bytes at the end of the file. */
function readPart(file: HeldFile, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, file.size - from)));
  return bytes.subarray(0, readHeld(file, bytes, 0, bytes.length, from));
}

/** Undefined unless it is a directory that may be entered. */
function enter(directory: HeldDirectory, name: string, roots: readonly string[]): HeldDirectory | undefined {
  try {
    return directory.enter(name, roots);
  } catch {
    return undefined;
  }
}

/** Undefined unless it is a regular file that may be opened. */
function openFile(directory: HeldDirectory, name: string): HeldFile | undefined {
  try {
    return openHeld(directory.self, directory.dev, name);
  } catch {
    return undefined;
  }
}
