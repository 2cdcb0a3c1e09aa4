/** Opens the repository of a directory, inside the roots: its `.git`, or what a `.git` file of a further work tree names. */

import { dirname, join, resolve } from 'node:path';
import { isOrielError, OrielError } from '../errors.ts';
import { keptFromClients } from '../files/kept-files.ts';
import { mayRise } from '../files/paths.ts';
import { readAt } from '../text/bytes.ts';
import { quote } from '../text/visible.ts';
import type { FileAccess, OpenedDirectory } from '../types/access.ts';
import type { OpenDescriptor, RepositoryHandles } from './objects.ts';

/** Maximum bytes of a `.git` file, of `commondir` and of `alternates`. */
const MAX_LINK_BYTES = 16 << 10;

/** Maximum directories of objects in `alternates` and theirs, and their nesting depth, as in git. */
const MAX_ALTERNATES = 16;
const MAX_ALTERNATE_DEPTH = 5;

export interface OpenedRepository {
  /** The directory that has the `.git`. */
  readonly top: string;
  /** HEAD, the index. */
  readonly git: OpenedDirectory;
  /** Objects and refs; the same as `git` but for a further work tree. */
  readonly common: OpenedDirectory;
  /** What is not read, as sentences without a full stop. */
  readonly refused: readonly string[];
  /** For a thread; valid until `close`. */
  handles(): Promise<RepositoryHandles>;
  close(): Promise<void>;
}

type OpenContext = { readonly access: FileAccess; readonly signal: AbortSignal };

/**
 * The repository of the nearest directory from `base` (a real path) up that has one, inside the roots. Undefined if there is
 * none. Throws OrielError if it cannot be opened.
 */
export async function openRepository(
  base: string,
  { access: own, signal }: OpenContext,
): Promise<OpenedRepository | undefined> {
  const access = own.forGit ?? own;
  const call = { access, signal };
  for (let at = base; ; at = dirname(at)) {
    const path = join(at, '.git');
    const opened = await unlessMissing(access.open(path, signal));
    // Not through a link, which may lead to another repository.
    if (opened && opened.path === path) {
      if (opened.kind === 'directory') return opening(at, opened, call);
      await opened.close();
      return opening(at, await linkedDirectory(path, call), call);
    }
    await opened?.close();
    const bare = opened ? undefined : await bareRepository(at, call);
    if (bare) return opening(at, bare, call);
    if (opened || dirname(at) === at || !mayRise(at, access.roots)) return undefined;
  }
}

/** The directory itself if it is a repository without a work tree. Undefined if it is not. */
async function bareRepository(
  at: string,
  { access, signal }: OpenContext,
): Promise<OpenedDirectory | undefined> {
  for (const name of ['HEAD', 'objects', 'refs']) {
    const opened = await access.open(join(at, name), signal).catch(() => undefined);
    await opened?.close();
    if (opened?.kind !== (name === 'HEAD' ? 'file' : 'directory')) return undefined;
  }
  const opened = await access.open(at, signal);
  if (opened.kind === 'directory' && opened.path === at) return opened;
  await opened.close();
  return undefined;
}

async function opening(top: string, git: OpenedDirectory, call: OpenContext): Promise<OpenedRepository> {
  const { access, signal } = call;
  const opened = [git];
  const refused: string[] = [];
  const open = async (path: string): Promise<OpenedDirectory> => {
    const found = await access.open(path, signal);
    if (found.kind === 'directory') {
      opened.push(found);
      return found;
    }
    await found.close();
    throw new OrielError('NOT_DIRECTORY', `${quote(access.display(path))} is not a directory.`);
  };
  const close = async (): Promise<void> => {
    for (const one of opened) await one.close();
  };
  try {
    const named = await lineOf(join(git.path, 'commondir'), call);
    const common = named === undefined ? git : await open(resolve(git.path, named));
    const alternates: OpenedDirectory[] = [];
    const refuse = (line: string, why: string): void => {
      refused.push(`Its alternate ${quote(line)} is not read (${why}): objects in it are missing here`);
    };
    const addAlternates = async (objects: string, depth: number): Promise<void> => {
      const lines = (await textOf(join(objects, 'info/alternates'), call))?.split('\n') ?? [];
      for (const line of lines.filter((one) => one !== '' && !one.startsWith('#'))) {
        const path = resolve(objects, line);
        if (alternates.some((one) => one.path === path)) continue;
        if (alternates.length === MAX_ALTERNATES || depth > MAX_ALTERNATE_DEPTH) {
          refuse(line, 'LIMIT');
          return;
        }
        const found = await open(path).catch((error: unknown) => {
          if (!isOrielError(error)) throw error;
          refuse(line, error.code);
        });
        if (!found) continue;
        alternates.push(found);
        await addAlternates(found.path, depth + 1);
      }
    };
    await addAlternates(join(common.path, 'objects'), 1);
    return {
      top,
      git,
      common,
      refused,
      close,
      async handles() {
        const own = descriptorOf(git);
        return {
          git: own,
          common: common === git ? own : descriptorOf(common),
          alternates: alternates.map(descriptorOf),
          roots: access.roots,
          kept: keptFromClients(access.roots),
          denied: (await access.privateNames?.())?.packed,
        };
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function descriptorOf({ path, fd }: OpenedDirectory): OpenDescriptor {
  return { path, fd };
}

/** The directory that a `.git` file names. */
async function linkedDirectory(path: string, call: OpenContext): Promise<OpenedDirectory> {
  const shown = quote(call.access.display(path));
  const named = /^gitdir: (.+)$/.exec((await lineOf(path, call)) ?? '')?.[1];
  if (named === undefined) throw new OrielError('CORRUPT', `${shown} is neither a repository nor names one.`);
  const target = resolve(dirname(path), named);
  const found = await call.access.open(target, call.signal).catch((error: unknown) => {
    if (!isOrielError(error)) throw error;
    const why =
      error.code === 'OUTSIDE_ROOT' ? 'which is outside the roots' : `which cannot be opened (${error.code})`;
    throw new OrielError(error.code, `${shown} names the repository ${quote(target)}, ${why}.`, {
      cause: error,
    });
  });
  if (found.kind === 'directory') return found;
  await found.close();
  throw new OrielError('NOT_DIRECTORY', `${shown} names ${quote(target)}, which is not a directory.`);
}

async function unlessMissing<T>(opening: Promise<T>): Promise<T | undefined> {
  return opening.catch((error: unknown) => {
    if (isOrielError(error) && (error.code === 'NOT_FOUND' || error.code === 'NOT_DIRECTORY'))
      return undefined;
    throw error;
  });
}

async function lineOf(path: string, call: OpenContext): Promise<string | undefined> {
  return (await textOf(path, call))?.replace(/\n+$/, '');
}

/** The start of a file. Undefined if there is none, or it is a link. */
async function textOf(path: string, { access, signal }: OpenContext): Promise<string | undefined> {
  const opened = await unlessMissing(access.open(path, signal));
  try {
    if (opened?.kind !== 'file' || opened.path !== path) return undefined;
    return Buffer.from(await readAt(opened.bytes, 0, MAX_LINK_BYTES, signal)).toString('utf8');
  } finally {
    await opened?.close();
  }
}
