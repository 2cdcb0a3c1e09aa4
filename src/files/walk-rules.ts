/**
 * Decides which entries a walk skips, by the ignore files from the root of the repository down. Ignore files are read with the
 * checks for all files: regular, inside the roots, never through a link (as in git). For worker threads.
 */

import { IgnoreFile } from './glob.ts';
import {
  closeHeld,
  type HeldDirectory,
  type HeldEntry,
  openHeld,
  openRefusalFor,
  readHeld,
} from './held-directory.ts';

/** The most bytes of an ignore file; a larger file is probably not a list of patterns. */
const MAX_IGNORE_FILE_BYTES = 1 << 20;

/** The rules of one file, and the path from its directory to the current one: empty, or ending with a slash. */
interface Layer {
  readonly file: IgnoreFile;
  readonly front: string;
}

type Kind = HeldEntry['kind'] | undefined;

/** Returns the kind of the entry with a name. */
type KindOf = (name: string) => Kind;

/** How ignore files are read. */
export interface RuleReading {
  /** Whether `.ignore`, which git does not know, is read and stronger than `.gitignore`. */
  readonly hasDotIgnore: boolean;
  /** Records an ignore file that cannot be used. */
  leaveUnused(): void;
  /** Calls `open`, and waits for descriptors if there are none. */
  retryOnShortage<T>(open: () => T): T;
}

export class WalkRules {
  static readonly none = new WalkRules([], [], []);

  /** Those of an `info/exclude` alone. */
  static of(exclude: string): WalkRules {
    return new WalkRules([], [], [{ file: new IgnoreFile(exclude), front: '' }]);
  }

  /** Deepest first. Rules of the first list take precedence over those of the second, and so on. */
  readonly #custom: readonly Layer[];
  readonly #git: readonly Layer[];
  readonly #exclude: readonly Layer[];

  private constructor(custom: readonly Layer[], git: readonly Layer[], exclude: readonly Layer[]) {
    this.#custom = custom;
    this.#git = git;
    this.#exclude = exclude;
  }

  ignores(name: string, isDirectory: boolean): boolean {
    for (const layers of [this.#custom, this.#git, this.#exclude]) {
      for (const { file, front } of layers) {
        const verdict = file.verdict(front + name, isDirectory);
        if (verdict) return verdict === 'ignored';
      }
    }
    return false;
  }

  /** The rules for the content of the directory `name`, without its own ignore files. */
  below(name: string): WalkRules {
    const down = (layers: readonly Layer[]): Layer[] =>
      layers.map(({ file, front }) => ({ file, front: `${front}${name}/` }));
    return new WalkRules(down(this.#custom), down(this.#git), down(this.#exclude));
  }

  /** Adds the ignore files of the directory itself. A nested repository does not use any `.gitignore` above it. */
  within(directory: HeldDirectory, kindOf: KindOf, reading: RuleReading): WalkRules {
    const git = kindOf('.git');
    const isRepository = holdsRepository(kindOf);
    const custom = reading.hasDotIgnore ? readRules(directory, '.ignore', kindOf, reading) : undefined;
    const own = readRules(directory, '.gitignore', kindOf, reading);
    if (!isRepository && !custom && !own) return this;
    const exclude = git === 'directory' ? excludeOf(directory, reading) : undefined;
    return new WalkRules(
      custom ? [custom, ...this.#custom] : this.#custom,
      [...(own ? [own] : []), ...(isRepository ? [] : this.#git)],
      isRepository ? (exclude ? [exclude] : []) : this.#exclude,
    );
  }
}

/** Whether a directory is the root of a repository. In a worktree or submodule `.git` is a file. */
export function holdsRepository(kindOf: KindOf): boolean {
  const git = kindOf('.git');
  return git === 'directory' || git === 'file';
}

/** The rules of `.git/info/exclude`. A `.git` that is a file, which points to another directory, is not followed. */
function excludeOf(directory: HeldDirectory, reading: RuleReading): Layer | undefined {
  const held: HeldDirectory[] = [];
  try {
    let at = directory;
    for (const name of ['.git', 'info']) {
      const outer = at;
      const inner = reading.retryOnShortage(() => outer.enter(name, []));
      if (!inner) return undefined;
      held.push(inner);
      at = inner;
    }
    return readRules(at, 'exclude', (name) => at.kindOf(name), reading);
  } catch (error) {
    // A missing file is not a gap: many repositories have no `info/exclude`.
    if (openRefusalFor(error) !== 'gone') reading.leaveUnused();
    return undefined;
  } finally {
    for (const one of held) one.release();
  }
}

function readRules(
  directory: HeldDirectory,
  name: string,
  kindOf: KindOf,
  reading: RuleReading,
): Layer | undefined {
  const kind = kindOf(name);
  if (kind === undefined || kind === 'directory') return undefined;
  const text = kind === 'file' ? readSmall(directory, name, reading) : undefined;
  if (text === undefined) {
    reading.leaveUnused();
    return undefined;
  }
  return { file: new IgnoreFile(text), front: '' };
}

/** Undefined for a file that is too large or cannot be read. */
function readSmall(
  directory: HeldDirectory,
  name: string,
  { retryOnShortage }: RuleReading,
): string | undefined {
  try {
    const file = retryOnShortage(() => openHeld(directory, name));
    if (!file) return undefined;
    try {
      if (file.size > MAX_IGNORE_FILE_BYTES) return undefined;
      const bytes = Buffer.alloc(file.size);
      return bytes.subarray(0, readHeld(file, bytes, 0, bytes.length)).toString('utf8');
    } finally {
      closeHeld(file);
    }
  } catch (error) {
    openRefusalFor(error);
    return undefined;
  }
}
