/** Base of schemes whose names are files in known directories: opens one by name, and lists them. */

import { basename, join } from 'node:path';
import { type ErrorCode, isOrielError, OrielError } from '../../errors.ts';
import { candidates } from '../../selector/selection.ts';
import { readSourceHead } from '../../text/bytes.ts';
import { decodeUri, quote } from '../../text/visible.ts';
import type { FileAccess, OpenedDirectory, OpenedItem } from '../../types/access.ts';
import type { Call, Resource } from '../../types/call.ts';
import { asImmutable, byName, listNames, type NameList, notNamed, type UrlScheme } from './names.ts';

export interface NamedDirectory {
  readonly access: FileAccess;
  /** An absolute path, which need not exist. */
  readonly directory: string;
}

interface NamedFiles {
  /** The name of the scheme, without the colon. */
  readonly scheme: string;
  places(call: Call): readonly NamedDirectory[];
  names(places: readonly NamedDirectory[], call: Call): Promise<NameList>;
  /** The relative paths that a name may mean; only the name itself when absent. */
  paths?(name: string): readonly string[];
  /** Names to suggest for a wrong one, if the list does not contain all names. */
  within?(name: string, places: readonly NamedDirectory[], call: Call): Promise<NameList | undefined>;
  /** The text of an empty list, which says how to create an entry. */
  empty(places: readonly NamedDirectory[], call: Call): string;
}

/** The access to the user's own files: through the roots, or outside them if the operator allows that. */
export function accessToUserFiles({ access, settings }: Call): FileAccess {
  return access.roots.length === 0 ? access : (settings.userFiles ?? access);
}

/** A hint if the user's own files are hidden by the roots. */
export function hiddenByRoots({ access, settings }: Call): string {
  if (access.roots.length === 0 || settings.userFiles) return '';
  return `; the user's own are outside the roots: the operator of oriel can allow them ${settings.operator.userFiles}`;
}

/** The most directories that are opened for a list, and entries that are examined in all of them. */
const MAX_OPENED_DIRECTORIES = 200;
const MAX_EXAMINED_ENTRIES = 20_000;

/** Creates a scheme: without a name it opens the list, otherwise the file. */
export function namedScheme(files: NamedFiles): UrlScheme {
  const { scheme } = files;
  return {
    name: scheme,
    async open(rest, call) {
      const places = files.places(call);
      if (rest !== '' && !rest.startsWith(':')) {
        // The typed spelling, then with percent escapes decoded: `memory://project%20plan`.
        for (const typed of new Set([rest, decodeUri(rest)])) {
          const opened = await openNamed(scheme, typed, places, call, files.paths?.bind(files));
          if (opened) return opened;
        }
      }
      const names = (await files.within?.(rest, places, call)) ?? (await files.names(places, call));
      return rest === '' || rest.startsWith(':')
        ? listNames(scheme, rest, names, files.empty(places, call))
        : Promise.reject(notNamed(scheme, rest, names));
    },
  };
}

/**
 * Opens the file that `rest` names (`plan.md:5-9`) in the first place that has it; its target is `scheme://plan.md`.
 * Undefined if no place has it.
 */
export async function openNamed(
  scheme: string,
  rest: string,
  places: readonly NamedDirectory[],
  call: Call,
  paths: (name: string) => readonly string[] = (name) => [name],
): Promise<Resource | undefined> {
  for (const way of candidates(rest)) {
    refuseClimbing(scheme, way.path);
    for (const place of places) {
      for (const path of paths(way.path)) {
        const opened = await openIfThere(place, path, call);
        if (!opened) continue;
        call.onEnd(() => opened.close());
        const head =
          opened.kind === 'file' ? await readSourceHead(opened.bytes, call.signal) : new Uint8Array(0);
        const typed = `${scheme}://${way.path}`;
        const name = basename(opened.path);
        const resource = await call.open({ typed, rest: way.rest, name, path: opened.path, opened, head });
        return asImmutable(resource, 'internal', { path: opened.path });
      }
    }
  }
  return undefined;
}

/** Throws `BAD_PATH` for a name that leads out of its directory. */
function refuseClimbing(scheme: string, name: string): void {
  const isClimbing = name.split(/[/\\]/).includes('..') || name.startsWith('/');
  if (!isClimbing && !name.includes('\0')) return;
  const why = name.includes('\0') ? 'contains a NUL byte, which no name can have' : 'leads out';
  const next = `${scheme}://`;
  throw new OrielError('BAD_PATH', `${quote(next + name)} ${why}. Use ${next} for the names.`, { next });
}

/** Errors that mean that a file does not exist in a place; a shortage, a timeout or a refusal does not mean that. */
const ABSENT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'NOT_FOUND',
  'NOT_DIRECTORY',
  'OUTSIDE_ROOT',
  'BAD_PATH',
  'NAME_TOO_LONG',
]);

/** Undefined if it does not exist or is outside the roots. */
async function openIfThere(place: NamedDirectory, path: string, call: Call): Promise<OpenedItem | undefined> {
  try {
    return await place.access.open(join(place.directory, path), call.signal);
  } catch (error) {
    if (isOrielError(error) && ABSENT.has(error.code)) return undefined;
    throw error;
  }
}

/** Errors for which a list skips an entry; opening it by name reports the error. */
const UNLISTED: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['LOOP', 'NOT_REGULAR']);

/** Opens an entry for a list; undefined also for link loops and FIFOs, which must not make the list fail. */
export async function openListed(
  place: NamedDirectory,
  path: string,
  call: Call,
): Promise<OpenedItem | undefined> {
  try {
    return await openIfThere(place, path, call);
  } catch (error) {
    if (isOrielError(error) && UNLISTED.has(error.code)) return undefined;
    throw error;
  }
}

/** Runs `use` with the opened directory; undefined if there is none. */
export async function inDirectory<T>(
  place: NamedDirectory,
  call: Call,
  use: (directory: OpenedDirectory) => Promise<T>,
): Promise<T | undefined> {
  const opened = await openListed(place, '', call);
  try {
    return opened?.kind === 'directory' ? await use(opened) : undefined;
  } finally {
    await opened?.close();
  }
}

/** The files below the places, three levels deep, sorted within each place. Names that begin with a dot are left out. */
export async function filesIn(places: readonly NamedDirectory[], call: Call): Promise<NameList> {
  const found: string[][] = [];
  let [more, directories, left] = [false, 0, MAX_EXAMINED_ENTRIES];
  const visit = async (
    directory: OpenedDirectory,
    before: string,
    depth: number,
    to: string[],
    isFile: (path: string) => Promise<boolean>,
  ): Promise<void> => {
    const listed = await directory.list(left, call.signal);
    more ||= listed.more;
    left -= listed.entries.length;
    const entries = listed.entries.filter(({ name }) => !name.startsWith('.'));
    for (const { name, type } of entries) {
      if (type === 'file' || (type === 'link' && (await isFile(before + name)))) to.push(before + name);
    }
    if (depth === 2) return;
    for (const { name } of entries.filter(({ type }) => type === 'directory').sort(byName)) {
      directories += 1;
      const ends = directories > MAX_OPENED_DIRECTORIES || left === 0;
      more ||= ends;
      if (ends) return;
      const inner = await directory.enter(name);
      if (inner) await visit(inner, `${before}${name}/`, depth + 1, to, isFile).finally(() => inner.close());
    }
  };
  for (const place of places) {
    const files: string[] = [];
    // Links to readable files are listed: notes and rules are often links.
    const isFile = async (path: string): Promise<boolean> => {
      left -= 1;
      const opened = left > 0 ? await openListed(place, path, call) : undefined;
      await opened?.close();
      return opened?.kind === 'file';
    };
    await inDirectory(place, call, (directory) => visit(directory, '', 0, files, isFile));
    found.push(files.sort());
  }
  return { names: [...new Set(found.flat())].map((name) => ({ name })), more };
}
