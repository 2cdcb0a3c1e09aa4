/**
 * The roots: nothing outside of these directories is opened. A root is identified by its real path, device and inode, taken
 * once at the start; after the directory was replaced by a link or another directory, nothing in it is opened.
 */

import { lstatSync, readlinkSync } from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { advised, OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import { isSame, type Root, rootsIn, standsStill } from './held-roots.ts';
import { refuseProcessSecret } from './kernel-files.ts';
import { isLocal } from './mounts.ts';
import { within } from './paths.ts';
import { type Reached, walk } from './path-walk.ts';

/** A path with more links counts as a loop. Source: MAXSYMLINKS in linux/namei.h. */
const MOST_LINKS = 40;

export class Roots {
  readonly #roots: readonly Root[];
  readonly #cwd: string;

  /** Throws OrielError (`NOT_FOUND`, `NOT_DIRECTORY`) for a root that is not a directory. */
  constructor(paths: readonly string[], cwd: string) {
    this.#cwd = cwd;
    this.#roots = rootsIn(paths);
  }

  /** Whether there are roots at all. */
  get any(): boolean {
    return this.#roots.length > 0;
  }

  get paths(): readonly string[] {
    return this.#roots.map((root) => root.real);
  }

  /** Whether a typed path (absolute, without `..`) is lexically inside a root. */
  mayName(path: string): boolean {
    return !this.any || this.#roots.some((root) => within(path, root.given) || within(path, root.real));
  }

  /** Whether the opened real path is inside a root whose directory is unchanged. */
  async holds(realPath: string): Promise<boolean> {
    if (!this.any) return true;
    for (const root of this.#roots) {
      if (within(realPath, root.real) && (await isUnchanged(root))) return true;
    }
    return false;
  }

  /** The error for `shown`. Names only paths below the working directory: others would reveal what is outside. */
  outside(shown: string, cause?: unknown): OrielError {
    const what = isAbsolute(shown) ? 'That path' : quote(shown);
    const next = this.mayName(this.#cwd) ? '.' : this.#roots[0]?.given;
    const use =
      next === '.' ? 'Use . to list the working directory.' : `Use ${quote(next ?? '.')} to list what may.`;
    const why = `${what} lies outside the directories that may be read.`;
    return advised('OUTSIDE_ROOT', why, use, { next, cause });
  }

  /**
   * Resolves `path` without touching anything outside, so that neither the answer nor its timing reveals whether something
   * outside exists. Throws `OUTSIDE_ROOT` for a path that leads out, `LOOP`, and the system's errors for paths inside.
   */
  async find(path: string, shown: () => string): Promise<Reached> {
    return this.#follow(path, shown, async (at, root) => {
      const found = await walk(at, root);
      if (found === undefined) throw this.outside(shown());
      return found;
    });
  }

  /** `path` with its links resolved, for systems on which directories cannot be held by descriptors. */
  async resolve(path: string, shown: () => string): Promise<string> {
    if (!this.any) return path;
    const { real } = await this.#follow(path, shown, async (at, root) => {
      return (await firstLink(at, root.real)) ?? { real: at };
    });
    return real;
  }

  /** The result of `step`, which is called again for each path that it returns instead. */
  async #follow<T extends object>(
    path: string,
    shown: () => string,
    step: (at: string, root: Root) => Promise<T | string>,
  ): Promise<T> {
    let at = path;
    for (let links = 0; links <= MOST_LINKS; links += 1) {
      at = this.#realName(at);
      refuseProcessSecret(at, shown);
      const root = this.#roots.find(({ real }) => within(at, real));
      if (!root) throw this.outside(shown());
      const found = await step(at, root);
      if (typeof found !== 'string') return found;
      at = found;
    }
    throw new OrielError('LOOP', `${quote(shown())} leads into a loop of links.`);
  }

  /** Replaces the given path of a root at the start of `path` by the root's real path. */
  #realName(path: string): string {
    const root = this.#roots.find(({ given }) => within(path, given));
    return root && root.given !== root.real ? join(root.real, path.slice(root.given.length)) : path;
  }
}

/** Whether the path of a root still leads to the same directory as at the start. */
async function isUnchanged(root: Root): Promise<boolean> {
  if (isLocal(root.real)) return standsStill(root);
  try {
    return isSame(root, await lstat(root.real, { bigint: true }));
  } catch {
    return false;
  }
}

/** `path` with its first link below `base` replaced by its target, or undefined if there is no link. */
async function firstLink(path: string, base: string): Promise<string | undefined> {
  const parts = path.slice(base.length).split(sep).filter(Boolean);
  const local = isLocal(path);
  let at = base;
  for (const [i, part] of parts.entries()) {
    at = join(at, part);
    const target = local ? linkTarget(at) : await readlink(at).catch(() => undefined);
    if (target !== undefined) return resolve(dirname(at), target, ...parts.slice(i + 1));
  }
  return undefined;
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
