/** Base of schemes whose names are files in known directories: opens one by name, and lists them. */

import { basename, join } from 'node:path';
import { headOf, memoryBytes } from '../../access/bytes.ts';
import { type ErrorCode, isOrielError, OrielError } from '../../errors.ts';
import { everything, parseSelection } from '../../selector/selection.ts';
import { candidates } from '../../selector/split.ts';
import { didYouMean, nearNames } from '../../text/near.ts';
import { oneLine, quote } from '../../text/visible.ts';
import type { Access, Opened, OpenedDirectory } from '../../types/access.ts';
import type { Call } from '../../types/call.ts';
import type { Resource } from '../../types/resource.ts';
import type { Scheme } from './scheme.ts';

/** A directory in which names are looked up. */
export interface Place {
  /** The access that decides what may be opened. */
  readonly access: Access;
  /** An absolute path, which need not exist. */
  readonly directory: string;
}

/** A name that can be read, with a short description. */
export interface Named {
  readonly name: string;
  readonly about?: string;
}

export interface Names {
  readonly names: readonly Named[];
  /** Whether there are more than were examined. */
  readonly more: boolean;
}

export interface NamedFiles {
  /** The name of the scheme, without the colon. */
  readonly scheme: string;
  /** The directories in the order of precedence. */
  places(call: Call): readonly Place[];
  names(places: readonly Place[], call: Call): Promise<Names>;
  /** The relative paths that a name may mean; only the name itself when absent. */
  paths?(name: string): readonly string[];
  /** Names to suggest for a wrong one, if the list does not contain all names. */
  within?(name: string, places: readonly Place[], call: Call): Promise<Names | undefined>;
  /** The text of an empty list, which says how to create an entry. */
  empty(places: readonly Place[], call: Call): string;
}

/** The access to the user's own files: through the roots, or outside them if the operator allows that. */
export function accessToUserFiles({ access, settings }: Call): Access {
  return access.roots.length === 0 ? access : (settings.userFiles ?? access);
}

/** A hint if the user's own files are hidden by the roots. */
export function hiddenByRoots({ access, settings }: Call): string {
  if (access.roots.length === 0 || settings.userFiles) return '';
  return `; the user's own are outside the roots: whoever runs oriel allows them ${settings.operator.userFiles}`;
}

/** The most names of a list, directories that are opened for it, and entries that are examined in all of them. */
const MOST_NAMES = 1_000;
const MOST_DIRECTORIES = 200;
const MOST_ENTRIES = 20_000;

/** Creates a scheme: without a name it opens the list, otherwise the file. */
export function namedScheme(files: NamedFiles): Scheme {
  const { scheme } = files;
  return {
    name: scheme,
    async open(rest, call) {
      const places = files.places(call);
      if (rest !== '' && !rest.startsWith(':')) {
        for (const typed of spellingsOf(rest)) {
          const opened = await openNamed(scheme, typed, places, call, files.paths?.bind(files));
          if (opened) return opened;
        }
      }
      const names = (await files.within?.(rest, places, call)) ?? (await files.names(places, call));
      return rest === '' || rest.startsWith(':')
        ? listOf(scheme, rest, names, files.empty(places, call))
        : Promise.reject(notNamed(scheme, rest, names));
    },
  };
}

/** The typed spelling, then with percent escapes decoded: `memory://project%20plan`. */
function spellingsOf(rest: string): readonly string[] {
  if (!/%[\da-f]{2}/i.test(rest)) return [rest];
  try {
    return [rest, decodeURIComponent(rest)];
  } catch {
    return [rest];
  }
}

/**
 * Opens the file that `rest` names (`plan.md:5-9`) in the first place that has it; its target is `scheme://plan.md`.
 * Undefined if no place has it.
 */
export async function openNamed(
  scheme: string,
  rest: string,
  places: readonly Place[],
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
        const head = opened.is === 'file' ? await headOf(opened.bytes, call.signal) : new Uint8Array(0);
        const typed = `${scheme}://${way.path}`;
        const name = basename(opened.path);
        const resource = await call.open({ typed, rest: way.rest, name, path: opened.path, opened, head });
        return internal(resource, opened.path);
      }
    }
  }
  return undefined;
}

/** Marks a resource as internal and not editable, because it is not a file of the workspace. */
function internal(resource: Resource, path: string): Resource {
  if (resource.is === 'mixed') return { ...resource, kind: 'internal', text: immutable(resource.text) };
  const known = { ...resource, kind: 'internal' as const, facts: { ...resource.facts, path } };
  return known.is === 'text' ? immutable(known) : known;
}

function immutable<T extends Extract<Resource, { is: 'text' }>>(resource: T): T {
  return { ...resource, kind: 'internal', editable: false };
}

/** Throws `BAD_PATH` for a name that leads out of its directory. */
function refuseClimbing(scheme: string, name: string): void {
  if (name.includes('\0')) {
    throw new OrielError(
      'BAD_PATH',
      `${quote(`${scheme}://${name}`)} contains a NUL byte, which no name can have. Use ${scheme}:// for the names.`,
      { next: `${scheme}://` },
    );
  }
  if (!name.split(/[/\\]/).includes('..') && !name.startsWith('/')) return;
  throw new OrielError(
    'BAD_PATH',
    `${quote(`${scheme}://${name}`)} leads out. Use ${scheme}:// for the names.`,
    { next: `${scheme}://` },
  );
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
export async function openIfThere(place: Place, path: string, call: Call): Promise<Opened | undefined> {
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
export async function openListed(place: Place, path: string, call: Call): Promise<Opened | undefined> {
  try {
    return await openIfThere(place, path, call);
  } catch (error) {
    if (isOrielError(error) && UNLISTED.has(error.code)) return undefined;
    throw error;
  }
}

/** Runs `use` with the opened directory; undefined if there is none. */
export async function inDirectory<T>(
  place: Place,
  call: Call,
  use: (directory: OpenedDirectory) => Promise<T>,
): Promise<T | undefined> {
  const opened = await openListed(place, '', call);
  try {
    return opened?.is === 'directory' ? await use(opened) : undefined;
  } finally {
    await opened?.close();
  }
}

/** The files below the places, three levels deep, sorted within each place. Names that begin with a dot are left out. */
export async function filesIn(places: readonly Place[], call: Call): Promise<Names> {
  const found: string[][] = [];
  let [more, directories, left] = [false, 0, MOST_ENTRIES];
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
      const ends = directories > MOST_DIRECTORIES || left === 0;
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
      return opened?.is === 'file';
    };
    await inDirectory(place, call, (directory) => visit(directory, '', 0, files, isFile));
    found.push(files.sort());
  }
  return { names: [...new Set(found.flat())].map((name) => ({ name })), more };
}

export function byName(a: Named, b: Named): number {
  return a.name < b.name ? -1 : 1;
}

/** The longest name that `typed` begins with and that is followed by one of `ends`, which names may contain too. */
export function longestNamed(typed: string, names: readonly string[], ends = '/:'): string | undefined {
  return names
    .filter((name) => typed.startsWith(name) && ends.includes(typed.charAt(name.length)))
    .sort((a, b) => b.length - a.length)[0];
}

/** The list of a scheme, one name per line. */
export function listOf(scheme: string, rest: string, { names, more }: Names, empty: string): Resource {
  const selection = rest === '' ? everything : parseSelection(rest.replace(/^:/, ''));
  if (!selection) throw notNamed(scheme, rest, { names, more });
  const shown = names.slice(0, MOST_NAMES).map(({ name, about }) => {
    const url = oneLine(`${scheme}://${name}`);
    return about === undefined ? `${url}\n` : `${url}  ${oneLine(about).slice(0, 200)}\n`;
  });
  const left = names.length - shown.length;
  const total = `${names.length}${more ? ' or more' : ''}`;
  return {
    is: 'text',
    kind: 'internal',
    bytes: memoryBytes(shown.length === 0 ? `(${empty})\n` : shown.join('')),
    encoding: 'utf-8',
    selection,
    target: `${scheme}://`,
    name: scheme,
    display: 'plain',
    editable: false,
    ...((left > 0 || more) && {
      notes: [
        {
          kind: 'said',
          text: `The list has the first ${shown.length} of ${total} names; others can be read by name`,
        },
      ],
    }),
  };
}

/** `NOT_FOUND`, with the most similar name, or with some existing ones. */
export function notNamed(scheme: string, rest: string, { names, more }: Names): OrielError {
  const why = `${quote(`${scheme}://${rest}`)} does not exist.`;
  const list = { next: `${scheme}://` };
  if (names.length === 0) {
    const has = more ? 'has none among the entries that were looked at' : 'is empty';
    return new OrielError('NOT_FOUND', `${why} ${scheme}:// ${has}.`, list);
  }
  const all = names.map(({ name }) => name);
  const [near] = nearNames(
    rest.replace(/[:?].*$/s, ''),
    all.slice(0, MOST_NAMES).flatMap((name) => [name, name.replace(/\.[^./]*$/, '')]),
  );
  const how = `Use ${scheme}:// for the list.`;
  if (near !== undefined) {
    const url = `${scheme}://${near}`;
    return new OrielError('NOT_FOUND', `${why}${didYouMean([quote(url)])} ${how}`, { next: url });
  }
  const some = all.slice(0, 5).map((name) => quote(`${scheme}://${name}`));
  const others = all.length > some.length || more ? ', …' : '';
  const verb = all.length > 1 ? 'There are' : 'There is';
  return new OrielError('NOT_FOUND', `${why} ${verb} ${some.join(', ')}${others}. ${how}`, list);
}
