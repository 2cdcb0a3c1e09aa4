/**
 * The roots: nothing outside of these directories is opened. A root is identified by its real path, device and inode, taken
 * once at the start; after the directory was replaced by a link or another directory, nothing in it is opened. Only where the
 * roots are held and the directory was removed, one that is made at its path takes its place.
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
import { lstat, readlink, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { advised, OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import { hasDescriptorPaths, inspectorOf } from './descriptors.ts';
import type { DenyRule } from '../types/access.ts';
import { type DenyRules, privateFile } from './deny-rules.ts';
import { refuseProcessSecret } from './kernel-files.ts';
import { isLocalPath } from './mounts.ts';
import { O_PATH, type ReachedPath, walkPath } from './path-walk.ts';
import { fromWorkingDirectory, isPathWithin } from './paths.ts';
import { isKeptAt, keptFromClients } from './kept-files.ts';
import { isShortage, systemError } from './system-failure.ts';

/** A path with more links counts as a loop. Source: MAXSYMLINKS in linux/namei.h. */
const MAX_PATH_LINKS = 40;

/** The rule that makes one of the names on the way private. */
export interface DeniedName {
  readonly denied?: DenyRule | undefined;
}

export class FileRoots {
  /** Whether there are roots at all. */
  readonly any: boolean;
  readonly paths: readonly string[];
  readonly #roots: readonly HeldRoot[];
  readonly #cwd: string;

  /** Throws OrielError (`NOT_FOUND`, `NOT_DIRECTORY`) for a root that is not a directory. */
  constructor(paths: readonly string[], cwd: string) {
    this.#cwd = cwd;
    this.#roots = rootsIn(paths);
    this.any = this.#roots.length > 0;
    this.paths = this.#roots.map((root) => root.real);
  }

  /** Whether a typed path (absolute, without `..`) is lexically inside a root. */
  mayName(path: string): boolean {
    return (
      !this.any || this.#roots.some((root) => isPathWithin(path, root.given) || isPathWithin(path, root.real))
    );
  }

  /** Whether the opened real path is inside a root whose directory is unchanged. */
  async holds(realPath: string): Promise<boolean> {
    if (!this.any) return true;
    for (const root of this.#roots) {
      if (isPathWithin(realPath, root.real) && ((await isUnchanged(root)) || isMadeAgain(root))) return true;
    }
    return false;
  }

  /** The error for `shown`. Names only paths below the working directory: others would reveal what is outside. */
  outside(shown: string): OrielError {
    const what = isAbsolute(shown) ? 'That path' : quote(shown);
    const next = this.mayName(this.#cwd) ? '.' : this.#roots[0]?.given;
    const use =
      next === '.' ? 'Use . to list the working directory.' : `Use ${quote(next ?? '.')} to list what may.`;
    const why = `${what} lies outside the directories that may be read.`;
    return advised('OUTSIDE_ROOT', why, use, { next });
  }

  /**
   * Resolves `path` without touching anything outside, so that neither the answer nor its timing reveals whether something
   * outside exists. Throws `OUTSIDE_ROOT` for a path that leads out, `LOOP`, and the system's errors for paths inside.
   */
  async find(path: string, shown: () => string, rules?: DenyRules): Promise<ReachedPath & DeniedName> {
    return this.#follow(path, shown, rules, async (at, root) => {
      const found = (await walkPath(at, root)) ?? (isMadeAgain(root) ? await walkPath(at, root) : undefined);
      if (found !== undefined) return found;
      throw isRemoved(root) ? missingRoot(root.given) : this.outside(shown());
    });
  }

  /** `path` with its links resolved, for systems on which directories cannot be held by descriptors. */
  async resolve(
    path: string,
    shown: () => string,
    rules?: DenyRules,
  ): Promise<Pick<ReachedPath, 'path'> & DeniedName> {
    if (!this.any) return { path };
    return this.#follow(path, shown, rules, async (at, root) => {
      return (await firstLink(at, root.real)) ?? { path: at };
    });
  }

  /**
   * The result of `step`, which is called again for each path that it returns instead. A path ends at its first private name:
   * whether anything is behind it is not revealed, and a name that does not exist is not private.
   */
  async #follow<T extends object>(
    path: string,
    shown: () => string,
    rules: DenyRules | undefined,
    step: (at: string, root: HeldRoot) => Promise<T | string>,
  ): Promise<T & DeniedName> {
    let at = path;
    let denied: DenyRule | undefined;
    for (let links = 0; links <= MAX_PATH_LINKS; links += 1) {
      at = this.#realName(at);
      refuseProcessSecret(at, shown);
      const root = this.#roots.find(({ real }) => isPathWithin(at, real));
      // Where a private link leads is not revealed.
      if (!root) throw denied ? privateFile(shown(), denied) : this.outside(shown());
      const first = denied ? undefined : rules?.first(at, false);
      if (first) [at, denied] = [first.path, first.rule];
      const found = await step(at, root);
      if (typeof found !== 'string') return denied ? { ...found, denied } : found;
      at = found;
    }
    throw new OrielError('LOOP', `${quote(shown())} leads into a loop of links.`);
  }

  /** Replaces the given path of a root at the start of `path` by the root's real path. */
  #realName(path: string): string {
    const root = this.#roots.find(({ given }) => isPathWithin(path, given));
    return root && root.given !== root.real ? join(root.real, path.slice(root.given.length)) : path;
  }
}

/** Whether the path of a root still leads to the same directory as at the start. */
async function isUnchanged(root: HeldRoot): Promise<boolean> {
  if (isLocalPath(root.real)) return isRootInPlace(root);
  try {
    return isSameRoot(root, await lstat(root.real, { bigint: true }));
  } catch {
    return false;
  }
}

/** `path` with its first link below `base` replaced by its target, or undefined if there is no link. */
async function firstLink(path: string, base: string): Promise<string | undefined> {
  const parts = path.slice(base.length).split(sep).filter(Boolean);
  const local = isLocalPath(path);
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
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

// Narrows the roots of a server to the directories that a client declares as its roots.

/**
 * The directories of `wanted` (absolute paths) that are inside held roots which are unchanged; for a wanted
 * directory that contains such a root, the root itself. Names are resolved inside a root, and targets of
 * links outside are not touched. Throws OrielError (`OUTSIDE_ROOT`) if none of them is a directory inside: then
 * nothing may be read.
 */
export async function narrowRoots(
  roots: readonly string[],
  wanted: readonly string[],
): Promise<NarrowedRoots> {
  const known = rootsIn(roots);
  const all = new FileRoots(roots, '/');
  const found = (await Promise.all(wanted.map((path) => rootsFor(path, known, all)))).flat();
  if (found.length === 0) {
    const message =
      'None of the roots that the client declares is a directory inside those of this server, so nothing can be read. Declare one that is.';
    throw new OrielError('OUTSIDE_ROOT', message);
  }
  return holdNarrowed(Array.from(new Map(found.map((root) => [root.real, root])).values()), outermost(roots));
}

/** Empty for a path outside, without a directory, or of oriel itself. */
async function rootsFor(
  path: string,
  known: readonly HeldRoot[],
  all: FileRoots,
): Promise<readonly HeldRoot[]> {
  const isNamedInside = hasDescriptorPaths() && all.mayName(path);
  const real = isNamedInside ? path : await realPlace(path);
  const held = known.filter((root) => isPathWithin(root.real, real));
  if (held.length > 0) return held;
  const holder = known.find((root) => isPathWithin(real, root.real) || isPathWithin(real, root.given));
  if (!holder) return [];
  return hasDescriptorPaths() ? found(real, all) : byName(real, holder, all);
}

/** Maximum parent directories that are looked up; above that, the path is used as given. */
const MAX_PARENT_LOOKUPS = 64;

/** The real path, or the path that it would have if it existed. The number of lookups does not depend on the result. */
async function realPlace(path: string): Promise<string> {
  let place: string | undefined;
  for (let [at, tried] = [path, 0]; tried < MAX_PARENT_LOOKUPS; [at, tried] = [dirname(at), tried + 1]) {
    const real = await realpath(at).catch(() => undefined);
    if (real !== undefined) place ??= join(real, path.slice(at.length));
    if (dirname(at) === at) break;
  }
  return place ?? path;
}

/** The directory, reached without leaving the roots. Path and identity come from the same descriptor. */
async function found(path: string, all: FileRoots): Promise<readonly HeldRoot[]> {
  try {
    const { fd, path: real, stats } = await all.find(path, () => path);
    await inspectorOf(real).close(fd, 0);
    if (isKeptAt(keptFromClients(all.paths), real, stats)) return [];
    return stats.isDirectory() ? [{ given: real, real, dev: stats.dev, ino: stats.ino }] : [];
  } catch (error) {
    if (isShortage(error)) throw error;
    return [];
  }
}

/** For systems on which directories cannot be held by descriptors. */
function byName(real: string, holder: HeldRoot, all: FileRoots): readonly HeldRoot[] {
  const root = realDirectory(real) === undefined ? undefined : rootAt(real);
  if (!root || !isPathWithin(root.real, holder.real) || !isRootInPlace(holder)) return [];
  const stats = lstatSync(root.real, { bigint: true, throwIfNoEntry: false });
  return stats && !isKeptAt(keptFromClients(all.paths), root.real, stats) ? [root] : [];
}

// Lists of roots with the identities of their directories, which are read once: all users of a list have the
// same directories as roots, even if their paths are replaced later.

interface HeldRoot {
  /** The path as it was given: typed paths may begin with it. */
  readonly given: string;
  readonly real: string;
  dev: bigint;
  ino: bigint;
  /** Held open by `holdRoots`, so that a directory that was removed can be told from one that was moved. */
  fd?: number | undefined;
}

/** The roots of the lists that `holdRoots` returned. */
const held = new WeakMap<readonly string[], readonly HeldRoot[]>();

/**
 * The same list, resolved now instead of when it is used: all users have the same directories as roots, even
 * if their paths are replaced later. Throws OrielError (`NOT_FOUND`, `NOT_DIRECTORY`).
 */
export function holdRoots(paths: readonly string[]): readonly string[] {
  if (held.has(paths)) return paths;
  const list = Array.from(paths);
  const roots = list.map((path) => holdOpen(rootAt(path)));
  held.set(list, roots);
  unused.register(list, roots);
  return list;
}

/** Closes the descriptors of roots that nobody uses any more. */
const unused = new FinalizationRegistry<readonly HeldRoot[]>((roots) => {
  for (const { fd } of roots) if (fd !== undefined) closeSync(fd);
});

function holdOpen(root: HeldRoot): HeldRoot {
  if (hasDescriptorPaths())
    root.fd = openSync(root.real, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  return root;
}

function isRemoved({ fd }: HeldRoot): boolean {
  return fd !== undefined && fstatSync(fd).nlink === 0;
}

/** Whether the root was removed and a directory was made at its path, which is the root from now on. */
function isMadeAgain(root: HeldRoot): boolean {
  if (!isRemoved(root)) return false;
  const old = root.fd as number;
  try {
    const fd = holdOpen(root).fd as number;
    const { dev, ino } = fstatSync(fd, { bigint: true });
    // A link above it leads elsewhere.
    const isThere = readlinkSync(`/proc/self/fd/${fd}`) === root.real;
    if (isThere) Object.assign(root, { dev, ino });
    else root.fd = old;
    closeSync(isThere ? old : fd);
    return isThere;
  } catch {
    return false;
  }
}

/** Held roots that are inside those of a server, at least one. Only `holdNarrowed` makes them. */
export type NarrowedRoots = readonly [string, ...string[]] & { readonly [narrowed]: true };
declare const narrowed: unique symbol;

function holdNarrowed(roots: readonly HeldRoot[], outer: readonly string[]): NarrowedRoots {
  const list = roots.map(({ real }) => real);
  held.set(list, roots);
  outerRoots.set(list, outer);
  return list as readonly string[] as NarrowedRoots;
}

/** By a narrowed list, the real paths of the roots of the server. */
const outerRoots = new WeakMap<readonly string[], readonly string[]>();

/** The real paths of the roots that these were narrowed from; the same roots where they were not. */
export function outermost(roots: readonly string[]): readonly string[] {
  return outerRoots.get(roots) ?? rootsIn(roots).map(({ real }) => real);
}

/** A key for a list of held roots. A directory that is removed and created again has another key. */
export function rootsKey(roots: readonly string[]): string {
  return JSON.stringify(held.get(roots)?.map(({ real, dev, ino }) => [real, `${dev}:${ino}`]) ?? roots);
}

/**
 * The roots of a held list, or the directories that are at the paths now. Throws OrielError (`NOT_FOUND`,
 * `NOT_DIRECTORY`).
 */
export function rootsIn(paths: readonly string[]): readonly HeldRoot[] {
  return held.get(paths) ?? paths.map(rootAt);
}

/** The directory that is at the path now. Throws as `rootsIn`. */
export function rootAt(path: string): HeldRoot {
  const given = fromWorkingDirectory(path);
  let stats: BigIntStats;
  let real: string;
  try {
    real = realpathSync(given);
    stats = lstatSync(real, { bigint: true });
  } catch (error) {
    const known = systemError(error, given);
    if (!(known instanceof OrielError) || known.code !== 'NOT_FOUND') throw known;
    throw missingRoot(given, error);
  }
  if (!stats.isDirectory())
    throw new OrielError('NOT_DIRECTORY', `The root ${quote(given)} is not a directory. Use one that is.`);
  return { given, real, dev: stats.dev, ino: stats.ino };
}

function missingRoot(given: string, cause?: unknown): OrielError {
  const message = `The root ${quote(given)} does not exist. Use a directory that does.`;
  return new OrielError('NOT_FOUND', message, { cause });
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

function isRootInPlace(root: HeldRoot): boolean {
  try {
    return isSameRoot(root, lstatSync(root.real, { bigint: true }));
  } catch {
    return false;
  }
}

/** A link may have the inode number of the directory that it replaced. */
export function isSameRoot({ dev, ino }: HeldRoot, stats: BigIntStats): boolean {
  return stats.isDirectory() && stats.dev === dev && stats.ino === ino;
}
