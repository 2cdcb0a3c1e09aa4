/**
 * The directories outside which nothing is opened. A root is its real path and its identity, both taken once at the
 * start: replacing the directory later, by a link or by another one, opens nothing.
 */

import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { lstat, readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import { failure } from './failure.ts';
import { isLocal } from './mounts.ts';
import { fromWorkingDirectory, within } from './paths.ts';
import { O_PATH, type Reached, walk } from './path-walk.ts';
import { placeOf } from './place.ts';

interface Root {
  /** As given: paths may be typed with it. */
  readonly given: string;
  readonly real: string;
  readonly dev: bigint;
  readonly ino: bigint;
}

/** Of lists that `holdRoots` has made. */
const held = new WeakMap<readonly string[], readonly Root[]>();

/**
 * The same list, resolved now and not where it is used: all that are given it have the same directories as their roots,
 * whatever stands at these paths by then. Throws OrielError (`NOT_FOUND`, `NOT_DIRECTORY`).
 */
export function holdRoots(paths: readonly string[]): readonly string[] {
  if (held.has(paths)) return paths;
  const list = Array.from(paths);
  held.set(list, list.map(rootAt));
  return list;
}

/** Roots inside those of a server, with whose identity they are held. Only `narrowRoots` makes them. */
export type NarrowedRoots = readonly string[] & { readonly [narrowed]: true };
declare const narrowed: unique symbol;

/**
 * Those of `wanted` (absolute paths of directories) that lie inside held roots which are still in their places; a wanted
 * one that holds such a root stands for it. What lies elsewhere opens nothing: all that is wanted does where the list is
 * empty. Throws OrielError (`OUTSIDE_ROOT`) when what lies inside is not there, or is no directory.
 */
export async function narrowRoots(
  roots: readonly string[],
  wanted: readonly string[],
): Promise<NarrowedRoots> {
  const known = held.get(roots) ?? roots.map(rootAt);
  const places = await Promise.all(wanted.map(placeOf));
  const inside = places.flatMap(({ real, isThere }) => {
    const same = known.filter((root) => within(root.real, real));
    if (same.length > 0) return same;
    const holder = known.find((root) => within(real, root.real) || within(real, root.given));
    return holder ? [isThere ? rootInside(holder, real) : undefined] : [];
  });
  const found = inside.flatMap((root) => root ?? []);
  if (inside.length > 0 && found.length === 0)
    throw new OrielError(
      'OUTSIDE_ROOT',
      'The directories that the client declares as its roots are not there: nothing else may be read. Declare others.',
    );
  const unique = Array.from(new Map(found.map((root) => [root.real, root])).values());
  const list = unique.map(({ real }) => real);
  held.set(list, unique);
  return list as readonly string[] as NarrowedRoots;
}

/** What tells one list of held roots from another: a directory that is made again is another one. */
export function rootsKey(roots: readonly string[]): string {
  return JSON.stringify(held.get(roots)?.map(({ real, dev, ino }) => [real, `${dev}:${ino}`]) ?? roots);
}

/** What stands at the path now. */
function rootAt(path: string): Root {
  const given = fromWorkingDirectory(path);
  let stats: BigIntStats;
  let real: string;
  try {
    real = realpathSync(given);
    stats = lstatSync(real, { bigint: true });
  } catch (error) {
    const known = failure(error, given);
    if (!(known instanceof OrielError) || known.code !== 'NOT_FOUND') throw known;
    const message = `The root ${quote(given)} does not exist. Use a directory that does.`;
    throw new OrielError('NOT_FOUND', message, { cause: error });
  }
  if (!stats.isDirectory())
    throw new OrielError('NOT_DIRECTORY', `The root ${quote(given)} is not a directory. Use one that is.`);
  return { given, real, dev: stats.dev, ino: stats.ino };
}

/**
 * The directory at `real` as a root, where it lies in `holder`. Its path and its identity are those of one descriptor: what
 * is exchanged at the path meanwhile becomes no root.
 */
function rootInside(holder: Root, real: string): Root | undefined {
  if (process.platform !== 'linux') {
    const root = realDirectory(real) === undefined ? undefined : rootAt(real);
    return root && within(root.real, holder.real) && standsStill(holder) ? root : undefined;
  }
  let fd: number;
  try {
    fd = openSync(real, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch {
    return undefined;
  }
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    const path = readlinkSync(`/proc/self/fd/${fd}`);
    const isInside = within(path, holder.real) && standsStill(holder);
    return isInside ? { given: path, real: path, dev, ino } : undefined;
  } finally {
    closeSync(fd);
  }
}

/** More links than this in one path are a loop. Source: MAXSYMLINKS in linux/namei.h. */
const MOST_LINKS = 40;

export class Roots {
  readonly #roots: readonly Root[];
  readonly #cwd: string;

  /** Throws OrielError (`NOT_FOUND`, `NOT_DIRECTORY`) for a root that is not a directory. */
  constructor(paths: readonly string[], cwd: string) {
    this.#cwd = cwd;
    this.#roots = held.get(paths) ?? paths.map(rootAt);
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

  /** Whether what was opened at the real path lies inside a root that is still the directory it was. */
  async holds(realPath: string): Promise<boolean> {
    if (!this.any) return true;
    for (const root of this.#roots) {
      if (within(realPath, root.real) && (await isUnchanged(root))) return true;
    }
    return false;
  }

  /** The error for `shown`. Names only paths below the working directory: others would reveal what lies outside. */
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
   * What `path` leads to, found without ever stepping outside: whether something outside exists can be seen neither from
   * the answer nor from the time it takes. Throws `OUTSIDE_ROOT` for a path that leads out, `LOOP`, and what the system
   * says of what lies inside.
   */
  async find(path: string, shown: () => string): Promise<Reached> {
    return this.#follow(path, shown, async (at, root) => {
      const found = await walk(at, root);
      if (found === undefined) throw this.outside(shown());
      return found;
    });
  }

  /** `path` with its links replaced by what they point to, where directories cannot be held by descriptors. */
  async resolve(path: string, shown: () => string): Promise<string> {
    if (!this.any) return path;
    const { real } = await this.#follow(path, shown, async (at, root) => {
      return (await firstLink(at, root.real)) ?? { real: at };
    });
    return real;
  }

  /** What `step` gives, which is asked again with each path that it gives instead. */
  async #follow<T extends object>(
    path: string,
    shown: () => string,
    step: (at: string, root: Root) => Promise<T | string>,
  ): Promise<T> {
    let at = path;
    for (let links = 0; links <= MOST_LINKS; links += 1) {
      at = this.#realName(at);
      const root = this.#roots.find(({ real }) => within(at, real));
      if (!root) throw this.outside(shown());
      const found = await step(at, root);
      if (typeof found !== 'string') return found;
      at = found;
    }
    throw new OrielError('LOOP', `${quote(shown())} goes round in a loop of links.`);
  }

  /** A path that begins with a root as it was given begins with its real path instead, which was taken at the start. */
  #realName(path: string): string {
    const root = this.#roots.find(({ given }) => within(path, given));
    return root && root.given !== root.real ? join(root.real, path.slice(root.given.length)) : path;
  }
}

/** The real path of a directory; undefined for a path that is not one. */
export function realDirectory(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return lstatSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the path of a root still leads to the directory it led to at the start. */
async function isUnchanged(root: Root): Promise<boolean> {
  if (isLocal(root.real)) return standsStill(root);
  try {
    return isSame(root, await lstat(root.real, { bigint: true }));
  } catch {
    return false;
  }
}

function standsStill(root: Root): boolean {
  try {
    return isSame(root, lstatSync(root.real, { bigint: true }));
  } catch {
    return false;
  }
}

/** A link may have the number of the directory that was removed for it. */
function isSame({ dev, ino }: Root, stats: BigIntStats): boolean {
  return stats.isDirectory() && stats.dev === dev && stats.ino === ino;
}

/** `path` with its first link below `base` replaced by what it points to, or undefined when it goes through no link. */
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
