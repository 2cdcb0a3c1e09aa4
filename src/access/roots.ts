/**
 * The directories outside which nothing is opened. A root is its real path and its identity, both taken once at the
 * start: replacing the directory later, by a link or by another one, opens nothing.
 */

import { type BigIntStats, lstatSync, realpathSync } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import { failure } from './failure.ts';
import { isLocal } from './mounts.ts';
import { fromWorkingFolder, within } from './paths.ts';

interface Root {
  /** As given: paths may be typed with it. */
  readonly given: string;
  readonly real: string;
  readonly dev: bigint;
  readonly ino: bigint;
}

/** More links than this in one path are a loop. Source: MAXSYMLINKS in linux/namei.h. */
const MOST_LINKS = 40;

export class Roots {
  readonly #roots: readonly Root[];
  readonly #cwd: string;

  /** Throws OrielError (`NOT_FOUND`, `NOT_DIRECTORY`) for a root that is no folder. */
  constructor(paths: readonly string[], cwd: string) {
    this.#cwd = cwd;
    this.#roots = paths.map((path) => {
      const given = fromWorkingFolder(path);
      let stats: BigIntStats;
      let real: string;
      try {
        real = realpathSync(given);
        stats = lstatSync(real, { bigint: true });
      } catch (error) {
        throw failure(error, given);
      }
      if (!stats.isDirectory())
        throw new OrielError('NOT_DIRECTORY', `The root ${quote(given)} is not a directory.`);
      return { given, real, dev: stats.dev, ino: stats.ino };
    });
  }

  /** Whether there are roots at all. */
  get any(): boolean {
    return this.#roots.length > 0;
  }

  get paths(): readonly string[] {
    return this.#roots.map((root) => root.real);
  }

  /** Whether a path as typed (absolute, without `..`) begins inside a root. */
  mayName(path: string): boolean {
    return !this.any || this.#roots.some((root) => within(path, root.given) || within(path, root.real));
  }

  /** Whether what was opened at the real path lies inside a root that is still the folder it was. */
  async holds(realPath: string): Promise<boolean> {
    if (!this.any) return true;
    for (const root of this.#roots) {
      if (within(realPath, root.real) && (await isUnchanged(root))) return true;
    }
    return false;
  }

  /** The refusal of `shown`. Only what lies below the working directory is named: the way there is nobody's business. */
  outside(shown: string, cause?: unknown): OrielError {
    const what = isAbsolute(shown) ? 'That path' : quote(shown);
    const next = this.mayName(this.#cwd) ? '.' : this.#roots[0]?.given;
    const use =
      next === '.' ? 'Use . to list the working directory.' : `Use ${quote(next ?? '.')} to list what may.`;
    return new OrielError('OUTSIDE_ROOT', `${what} lies outside the directories that may be read. ${use}`, {
      next,
      cause,
    });
  }

  /**
   * Why `path` could not be opened, found by walking its links one by one without ever stepping outside. Without
   * this a dangling link would tell whether a file outside exists.
   */
  async explain(path: string, shown: string, error: unknown): Promise<OrielError> {
    if (!this.any) return failure(error, shown);
    const typedIn = this.#roots.find((root) => within(path, root.given));
    let at = typedIn ? typedIn.real + path.slice(typedIn.given.length) : path;
    for (let links = 0; links <= MOST_LINKS; links += 1) {
      if (!this.mayName(at)) return this.outside(shown, error);
      const link = await firstLink(at);
      if (link === undefined) return failure(error, shown);
      at = link;
    }
    return new OrielError('LOOP', `${quote(shown)} goes round in a loop of links.`, { cause: error });
  }
}

/** Whether the path of a root still leads to the directory it led to at the start. */
async function isUnchanged({ real, dev, ino }: Root): Promise<boolean> {
  try {
    const stats = isLocal(real) ? lstatSync(real, { bigint: true }) : await lstat(real, { bigint: true });
    return stats.dev === dev && stats.ino === ino;
  } catch {
    return false;
  }
}

/** `path` with its first link replaced by what it points to, or undefined when it goes through no link. */
async function firstLink(path: string): Promise<string | undefined> {
  const parts = path.split(sep).filter((part) => part !== '');
  let at: string = sep;
  for (const [i, part] of parts.entries()) {
    at = join(at, part);
    const target = await readlink(at).catch(() => undefined);
    if (target !== undefined) return resolve(dirname(at), target, ...parts.slice(i + 1));
  }
  return undefined;
}
