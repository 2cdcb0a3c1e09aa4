/**
 * Opens local files and directories. A path is first opened without reading rights (`O_PATH`): nothing blocks
 * on a FIFO and no device notices. The type and place of the handle are checked, and only then it is opened
 * for reading, through the handle and not through the path, which may have changed.
 */

import { type BigIntStats, constants, type Dirent, type Stats } from 'node:fs';
import { lstat, opendir, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, parse, relative } from 'node:path';
import { OrielError } from '../errors.ts';
import { Identity } from '../identity.ts';
import { fitTo, queues } from '../queues/queue-table.ts';
import { memoryBytes } from '../text/bytes.ts';
import { decodeText } from '../text/encoding.ts';
import { quote } from '../text/visible.ts';
import type {
  DenyRule,
  FileAccess,
  FileSystemEntry,
  OpenedDirectory,
  OpenedFile,
  OpenedItem,
} from '../types/access.ts';
import { type DenyOptions, DenyPolicy } from './deny-policy.ts';
import { type DenyRules, privateFile } from './deny-rules.ts';
import {
  closeDescriptor,
  type DescriptorInspector,
  hasDescriptorPaths,
  inspectorOf,
  maxDescriptors,
  openDescriptor,
  openOnMainThread,
  readDescriptor,
  statsOf,
  targetOf,
  untilDescriptors,
} from './descriptors.ts';
import { openedFile } from './file.ts';
import {
  isKernelFile,
  mayBeProcessSecret,
  nameInKernel,
  refuseProcessSecret,
  withoutTokens,
} from './kernel-files.ts';
import { noteReached, wasReached } from './mounts.ts';
import { O_PATH } from './path-walk.ts';
import { absolutePath, isPathWithin, systemPath } from './paths.ts';
import { isKept, isKeptAt, type KeptFiles, keptFromClients } from './kept-files.ts';
import { type DeniedName, FileRoots, realDirectory } from './roots.ts';
import { errno, isShortage, systemError } from './system-failure.ts';

export interface AccessOptions {
  readonly cwd: string;
  /** The roots: nothing outside these directories is opened. Empty for no restriction. */
  readonly roots: readonly string[];
  /** Directories in which kernel files may be read anyway: `/proc`, `/sys`. */
  readonly allow: readonly string[];
  /**
   * Whether an absolute path is a file of oriel that may be read although it is outside the roots: a spill of
   * the session.
   */
  ours?(path: string): boolean;
  /** What makes files private; absent if none are. */
  readonly deny?: DenyOptions | undefined;
}

const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Kernel files report a size of 0, so at most this many bytes are read. */
const KERNEL_FILE_BYTES = 1 << 20;

/** File names that would be taken for a URL or a home directory if they were typed: `https:/host/x.ts`. */
const MISTAKEN = /^(?:https?:|[a-z][a-z\d+.-]*:\/|www\.[^/]*[:?#]|~(?:\/|$))/i;

const descriptors = maxDescriptors();
if (descriptors !== undefined) fitTo(descriptors);

/** The error for token files of the server and for files that it keeps for its clients. */
function keptPlace(shown: string): OrielError {
  return new OrielError(
    'DENIED',
    `${quote(shown)} belongs to the server itself and is not read. Use . to list the working directory.`,
    { next: '.' },
  );
}

export function createAccess(options: AccessOptions): FileAccess {
  const roots = new FileRoots(options.roots, options.cwd);
  const { cwd } = options;
  const display = (path: string): string => {
    const inside = relative(cwd, path);
    if (inside === '') return '.';
    if (inside.startsWith('..')) return path;
    return MISTAKEN.test(inside) ? `./${inside}` : inside;
  };

  const policy = options.deny && policyOf(options.deny, roots.paths, cwd);

  const currentRules = policy && ((): Promise<DenyRules> => policy.current());
  const rulesForGit = policy && ((): Promise<DenyRules> => policy.currentForGit());

  async function open(path: string, signal?: AbortSignal, current = currentRules): Promise<OpenedItem> {
    try {
      return await openNow(path, signal, current);
    } catch (error) {
      if (!isShortage(error)) throw error;
    }
    try {
      return await untilDescriptors(() => openNow(path, signal, current), signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw systemError(error, display(path));
    }
  }

  /** A shortage of descriptors is rethrown after everything was closed. */
  async function openNow(
    path: string,
    signal: AbortSignal | undefined,
    current: typeof currentRules,
  ): Promise<OpenedItem> {
    signal?.throwIfAborted();
    const shown = (): string => display(path);
    const ours = options.ours?.(path);
    if (!roots.mayName(path) && !ours) throw roots.outside(shown());
    refuseProcessSecret(path, shown);
    const rules = ours ? undefined : await current?.();
    const handle = await (ours || !(roots.any || rules) ? look(path) : lookInside(path, shown, rules)).catch(
      (error: unknown) => {
        throw isShortage(error) ? error : systemError(error, shown());
      },
    );
    try {
      const inside = handle.inside || (await roots.holds(handle.path));
      const kept = keptFromClients(roots.paths);
      const isOpen = inside && !(roots.any && isKeptAt(kept, handle.path, handle.stats));
      if (!isOpen && !options.ours?.(handle.path)) throw inside ? keptPlace(shown()) : roots.outside(shown());
      const denied = rules && (await denialOf(handle, rules, signal));
      if (denied) throw privateFile(shown(), denied);
      if (!handle.stats.isFile() && !handle.stats.isDirectory()) throw specialFile(handle.stats, shown());
      const kernel = await isKernelFile(handle.path, handle.again, handle.stats.dev);
      if (kernel && !options.allow.some((directory) => isPathWithin(handle.path, directory))) {
        throw new OrielError('NOT_REGULAR', `${quote(shown())} is a kernel file, not a stored file.`);
      }
      const kernelName = kernel ? nameInKernel(handle, shown) : undefined;
      const { inspector } = handle;
      const fd = await inspector.open(handle.again, READ);
      const stats = await identify(fd, handle);
      if (stats.isDirectory())
        return openedDirectory(fd, handle.path, stats, inspector, {
          kept,
          rules,
          policy,
          open: (other) => open(other, undefined, rules && (() => Promise.resolve(rules))),
        });
      if (kernelName !== undefined && stats.size === 0n)
        return await kernelFile(fd, handle, stats, kernelName, signal);
      return openedFile(fd, handle.path, stats, inspector, (suffix) => sibling(handle.path + suffix));
    } catch (error) {
      signal?.throwIfAborted();
      throw isShortage(error) ? error : systemError(error, shown());
    } finally {
      await handle.release();
    }
  }

  /** Resolves a path without opening it and without touching anything outside the roots. */
  async function lookInside(path: string, shown: () => string, rules?: DenyRules): Promise<Handle> {
    if (!roots.any && !rules?.first(path, false)) {
      const handle = await look(path).catch(() => undefined);
      // Without a link on the way, these are all names.
      if (handle?.path === path) return handle;
      await handle?.release();
    }
    // Without roots, names on the way are looked at as inside a root that holds everything.
    const within = roots.any ? roots : new FileRoots([parse(path).root], cwd);
    if (!hasDescriptorPaths()) {
      const found = await within.resolve(path, shown, rules);
      return { ...(await lookByPath(found.path)), denied: found.denied };
    }
    const { fd, stats, path: real, denied } = await within.find(path, shown, rules);
    return { ...handleOf(fd, real, stats), inside: true, denied };
  }

  /** The rule by which what was found is private: by a name on the way, its real path, or another name of the file. */
  async function denialOf(
    { denied, path, stats }: Handle,
    rules: DenyRules,
    signal: AbortSignal | undefined,
  ): Promise<DenyRule | undefined> {
    const rule = denied ?? rules.decide(path, stats.isDirectory());
    return rule || !stats.isFile() || stats.nlink < 2n ? rule : policy?.linked(rules, stats, signal);
  }

  async function sibling(path: string): Promise<OpenedFile | undefined> {
    const opened = await open(path).catch((error: unknown) => {
      if (error instanceof OrielError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    });
    if (opened?.kind === 'file') return opened;
    await opened?.close();
    return undefined;
  }

  const shared = {
    cwd,
    roots: roots.paths,
    absolute: (typed: string) => absolutePath(typed, cwd),
    display,
  };
  return {
    ...shared,
    open,
    privateNames: currentRules,
    forGit: rulesForGit && {
      ...shared,
      open: (path, signal) => open(path, signal, rulesForGit),
      privateNames: rulesForGit,
    },
  };
}

/**
 * Rule files are opened in their projects, which may be above roots that a client has narrowed, and which may have been removed
 * and made again since.
 */
function policyOf(deny: DenyOptions, roots: readonly string[], cwd: string): DenyPolicy {
  return new DenyPolicy(deny, roots, async (path) => {
    const there = deny.projects.filter((project) => realDirectory(project) !== undefined);
    return createAccess({ cwd, roots: there.length > 0 ? there : deny.projects, allow: [] }).open(path);
  });
}

interface Handle extends DeniedName {
  /** Real path of what the path led to. */
  readonly path: string;
  /** Whether it was found without leaving the roots. */
  readonly inside?: boolean | undefined;
  readonly stats: BigIntStats;
  /** A path that opens the same thing again. */
  readonly again: string;
  readonly inspector: DescriptorInspector;
  readonly fd?: number | undefined;
  release(): void | Promise<void>;
}

/** Resolves a path without opening it. */
async function look(path: string): Promise<Handle> {
  if (!hasDescriptorPaths()) return lookByPath(path);
  if (wasReached(path)) {
    const handle = await lookThrough(openOnMainThread(path, O_PATH | constants.O_NOFOLLOW));
    if (!handle.stats.isSymbolicLink()) return handle;
    // It is a link, which may lead to a slow file system.
    await handle.release();
  }
  const handle = await lookThrough(await openDescriptor(path, O_PATH));
  if (handle.path === path) noteReached(path);
  return handle;
}

async function lookThrough(fd: number): Promise<Handle> {
  try {
    // Synchronous, because the kernel has the path in memory.
    const real = targetOf(`/proc/self/fd/${fd}`);
    const stats = await inspectorOf(real).stat(fd);
    // Linux adds a suffix to the path of a deleted file. If the file still has a name, the suffix is part of that name:
    // otherwise a directory `work (deleted)` beside the root `work` would be taken for the root.
    const path = stats.nlink === 0n ? real.replace(/ \(deleted\)$/, '') : real;
    return handleOf(fd, path, stats);
  } catch (error) {
    await closeDescriptor(fd);
    throw error;
  }
}

function handleOf(fd: number, path: string, stats: BigIntStats): Handle {
  const inspector = inspectorOf(path);
  const release = (): void | Promise<void> => inspector.close(fd, Number(stats.size));
  return { path, stats, again: `/proc/self/fd/${fd}`, inspector, fd, release };
}

/** If there is no `/proc/self/fd`: place and identity are compared after opening instead. */
async function lookByPath(path: string): Promise<Handle> {
  const real = await realpath(systemPath(path));
  const stats = await stat(real, { bigint: true });
  return { path: real, stats, again: real, inspector: inspectorOf(real), release: () => undefined };
}

/** Checks that the opened file is the one that was resolved before. Otherwise closes it and throws `BUSY`. */
async function identify(fd: number, { inspector, stats: seen, path, again }: Handle): Promise<BigIntStats> {
  const stats = await statsOf(fd, inspector);
  if (isSameFile(stats, seen) && (again !== path || (await isStillAt(path, stats)))) return stats;
  await inspector.close(fd);
  throw new OrielError('BUSY', `${quote(path)} was replaced while it was being opened. Call again.`);
}

function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** Whether the file is at its real path, without a link on the way that may have been there when it was opened. */
async function isStillAt(path: string, stats: BigIntStats): Promise<boolean> {
  const isLinked = (await realpath(systemPath(path)).catch(() => '')) !== path;
  const now = await lstat(systemPath(path), { bigint: true }).catch(() => undefined);
  return !isLinked && now !== undefined && isSameFile(now, stats);
}

function specialFile(stats: BigIntStats, shown: string): OrielError {
  const what = stats.isFIFO()
    ? 'a FIFO'
    : stats.isSocket()
      ? 'a socket'
      : stats.isCharacterDevice()
        ? 'a character device'
        : stats.isBlockDevice()
          ? 'a block device'
          : 'not a regular file';
  return new OrielError(
    'NOT_REGULAR',
    `${quote(shown)} is ${what}; only regular files and directories are read.`,
  );
}

/** Reads the content into memory, because a kernel file reports a size of 0 and every read may differ. */
async function kernelFile(
  fd: number,
  { path, inspector }: Handle,
  stats: BigIntStats,
  kernelName: string,
  signal?: AbortSignal,
): Promise<OpenedItem> {
  const buffer = Buffer.alloc(KERNEL_FILE_BYTES);
  let got = 0;
  try {
    got = await readDescriptor(fd, buffer, 0, signal);
  } catch (error) {
    if (errno(error) !== 'EAGAIN') throw error;
  } finally {
    await inspector.close(fd);
  }
  const content = buffer.subarray(0, got);
  const shown = kernelName.endsWith('/cmdline') ? withoutTokens(content) : content;
  const bytes = memoryBytes(shown, Identity.once('kernel'));
  return {
    kind: 'file',
    path,
    size: shown.length,
    mtimeMs: Number(stats.mtimeMs),
    bytes,
    close: () => Promise.resolve(),
  };
}

// An open directory: its entries and their stats, read through the descriptor, so that renames have no effect.

const ENTER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

interface WithheldFiles {
  /** What is neither listed nor entered. */
  readonly kept: KeptFiles;
  /** What is listed by name only. */
  readonly rules?: DenyRules | undefined;
  readonly policy?: DenyPolicy | undefined;
  /** Opens another path by the same rules. */
  open(path: string): Promise<OpenedItem>;
}

export function openedDirectory(
  fd: number,
  path: string,
  stats: BigIntStats,
  inspector: DescriptorInspector,
  withheld: WithheldFiles,
): OpenedDirectory {
  const { kept, rules, policy } = withheld;
  const isNamedPrivate = (name: string, type: FileSystemEntry['type']): boolean =>
    rules?.mayMatch(name, basename(path)) === true &&
    rules.decide(join(path, name), type === 'directory') !== undefined;
  /** A path to this directory that stays valid when it is renamed. */
  const self = hasDescriptorPaths() ? `/proc/self/fd/${fd}` : path;
  let open = true;
  const hidden = new Set(
    kept.places.filter((place) => dirname(place) === path).map((place) => basename(place)),
  );
  return {
    kind: 'directory',
    path,
    fd,
    mtimeMs: Number(stats.mtimeMs),
    async list(most, signal, prefix = '') {
      const entries: FileSystemEntry[] = [];
      let isExact = true;
      const add = (name: string, type: FileSystemEntry['type']): void => {
        entries.push(isNamedPrivate(name, type) ? { name, type, isPrivate: true } : { name, type });
      };
      for await (const entry of await opendir(systemPath(self), { bufferSize: 512 })) {
        signal?.throwIfAborted();
        if (hidden.has(entry.name) || !entry.name.startsWith(prefix)) continue;
        if (entries.length === most) return { entries, more: true };
        if (entry.name.includes('\ufffd')) isExact = false;
        else add(entry.name, typeOf(entry));
      }
      if (isExact) return { entries, more: false };
      for (const entry of await readdir(systemPath(self), { encoding: 'buffer', withFileTypes: true }))
        if (entry.name.toString().includes('\ufffd')) add(decodeText(entry.name), typeOf(entry));
      return { entries: entries.slice(0, most), more: entries.length > most };
    },
    async stat(name) {
      const found = await lstat(systemPath(`${self}/${name}`), { bigint: true }).catch(() => undefined);
      if (!found) return undefined;
      const type = typeOf(found);
      const isLinked = rules && type === 'file' && found.nlink > 1n;
      const entry = {
        name,
        type,
        size: Number(found.size),
        mtimeMs: Number(found.mtimeMs),
        ino: found.ino,
      };
      const isPrivate = isNamedPrivate(name, type) || (isLinked && (await policy?.linked(rules, found)));
      return isPrivate ? { ...entry, size: 0, isPrivate: true } : entry;
    },
    linkTarget: (name) =>
      isNamedPrivate(name, 'link')
        ? Promise.resolve(undefined)
        : readlink(systemPath(`${self}/${name}`), 'buffer').then(decodeText, () => undefined),
    privateNames: rules,
    above: () => withheld.open(dirname(path)),
    async enter(name) {
      if (isNamedPrivate(name, 'directory')) return undefined;
      const inner = await untilDescriptors(() => openDescriptor(`${self}/${name}`, ENTER)).catch(
        (error: unknown) => {
          // The entry may exist, so the result would be wrong without it.
          if (isShortage(error)) throw error;
          return undefined;
        },
      );
      if (inner === undefined) return undefined;
      const at = `${path === '/' ? '' : path}/${name}`;
      const of = inspectorOf(at);
      let entered: OpenedDirectory | undefined;
      try {
        const found = await of.stat(inner);
        // Virtual file systems of the kernel are never entered from here, only by their own paths if these are allowed; and
        // in them never the descriptors of a process.
        const again = hasDescriptorPaths() ? `/proc/self/fd/${inner}` : at;
        const mayBeKernels = found.dev !== stats.dev || mayBeProcessSecret(name);
        const isKernels = mayBeKernels && (await isKernelFile(at, again, found.dev));
        if (!isKernels && !isKept(kept, found)) entered = openedDirectory(inner, at, found, of, withheld);
        return entered;
      } finally {
        if (!entered) await of.close(inner);
      }
    },
    async close() {
      if (!open) return;
      open = false;
      await inspector.close(fd);
    },
  };
}

function typeOf(entry: Dirent | Dirent<Buffer> | Stats | BigIntStats): FileSystemEntry['type'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isFIFO()) return 'fifo';
  if (entry.isSocket()) return 'socket';
  return entry.isCharacterDevice() || entry.isBlockDevice() ? 'device' : 'unknown';
}

// Reads the entries of a directory for sorting. Only a few large directories are in memory at the same time.

/** Maximum entries that are listed, about 130 MiB. Of a larger directory, the file system determines which ones. */
export const MAX_DIRECTORY_ENTRIES = 500_000;

/** Directories with at most this many entries need no slot: in 64 calls they take about 80 MiB together. */
const FEW = 5_000;

export interface ListedEntries {
  readonly entries: readonly FileSystemEntry[];
  /** Whether there are others. */
  readonly more: boolean;
}

/** Calls `use` with the entries whose names begin with `prefix`, and returns its result. `use` must not keep the entries. */
export async function withEntries<T>(
  directory: OpenedDirectory,
  signal: AbortSignal,
  use: (listed: ListedEntries) => Promise<T>,
  prefix = '',
): Promise<T> {
  const few = await directory.list(FEW, signal, prefix);
  if (!few.more) return use(few);
  return queues.listings.run(async () => use(await directory.list(MAX_DIRECTORY_ENTRIES, signal, prefix)), {
    signal,
  });
}
