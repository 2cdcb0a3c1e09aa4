/**
 * The objects of a repository, read from its `.git` directory alone: no git runs, no configuration is read, no link is
 * followed, and what `alternates`, `commondir` or a `.git` file name elsewhere is not opened. Everything here blocks.
 */

import { inflateSync } from 'node:zlib';
import {
  closeHeld,
  type HeldDirectory,
  type HeldFile,
  openHeld,
  readHeld,
} from '../../access/held-directory.ts';
import { type GitObject, MOST_BYTES, Pack } from './pack.ts';
import { PackIndex, type Windowed } from './pack-index.ts';

/** Packs that are looked into: `git gc` makes one of fifty. */
const MOST_PACKS = 64;

/** Bytes of an object in a separate file, as it is stored. */
const MOST_STORED = 4 << 20;

export class Repository {
  readonly #objects: HeldDirectory | undefined;
  readonly #roots: readonly string[];
  readonly #packs: readonly Pack[];
  readonly #open: HeldFile[] = [];

  /** `git`: its `.git`. `roots`: bytes of the paths outside which nothing is entered; none for no roots. */
  constructor(git: HeldDirectory, roots: readonly string[]) {
    this.#roots = roots;
    this.#objects = entered(git, 'objects', roots);
    this.#packs = this.#objects ? this.#openPacks(this.#objects) : [];
  }

  /** Undefined if it is not there, damaged, or too large. `id` is 20 bytes. */
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
    const directory = entered(objects, 'pack', this.#roots);
    if (!directory) return [];
    try {
      const names = directory
        .entries(4 * MOST_PACKS)
        .entries.flatMap(({ name }) => /^(pack-[0-9a-f]{40})\.idx$/.exec(name)?.[1] ?? []);
      return names.slice(0, MOST_PACKS).flatMap((name) => {
        const index = this.#windowed(directory, `${name}.idx`);
        const pack = this.#windowed(directory, `${name}.pack`);
        const known = index && PackIndex.of(index);
        return pack && known ? [new Pack(pack, known)] : [];
      });
    } finally {
      directory.release();
    }
  }

  #windowed(directory: HeldDirectory, name: string): Windowed | undefined {
    const file = opened(directory, name);
    if (!file) return undefined;
    this.#open.push(file);
    return { size: file.size, read: (from, length) => partOf(file, from, length) };
  }

  #loose(id: string): GitObject | undefined {
    const directory = this.#objects && entered(this.#objects, id.slice(0, 2), this.#roots);
    if (!directory) return undefined;
    const file = opened(directory, id.slice(2));
    directory.release();
    if (!file) return undefined;
    try {
      return file.size > MOST_STORED ? undefined : looseObject(partOf(file, 0, file.size));
    } finally {
      closeHeld(file);
    }
  }
}

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

function partOf(file: HeldFile, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, file.size - from)));
  return bytes.subarray(0, readHeld(file, bytes, 0, bytes.length, from));
}

/** Undefined for everything but a directory that may be entered. */
function entered(
  directory: HeldDirectory,
  name: string,
  roots: readonly string[],
): HeldDirectory | undefined {
  try {
    return directory.enter(name, roots);
  } catch {
    return undefined;
  }
}

/** Undefined for everything but a regular file that may be opened. */
function opened(directory: HeldDirectory, name: string): HeldFile | undefined {
  try {
    return openHeld(directory.self, directory.dev, name);
  } catch {
    return undefined;
  }
}
