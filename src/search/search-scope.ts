/** Several paths in one string, such as `a.ts,src`, that one search visits one after the other. */

import { join } from 'node:path';
import { advised, OrielError } from '../errors.ts';
import { validGlob } from '../files/glob-text.ts';
import { checkGlob } from '../files/glob.ts';
import { expandedPath, isPathWithin } from '../files/paths.ts';
import { fileTypes } from '../process/ripgrep.ts';
import { MAX_LISTED_PATHS, pathLists } from '../selector/rewrites.ts';
import { openAny, splitGlob } from '../target/find-target.ts';
import { openDirectory, openTarget, startPath } from '../target/open-target.ts';
import { nearNames } from '../text/near.ts';
import { quote } from '../text/visible.ts';
import type { Call } from '../types/call.ts';
import type { SearchHint } from '../types/result.ts';
import { collectWalk, lookUntil } from '../walk/collect-walk.ts';

/**
 * The paths of a list, without those inside another path of the list. Undefined unless all paths of the list exist. Throws
 * if there are too many. `cause` is the error of opening the string as one path.
 */
export async function listedTargets(
  typed: string,
  cause: unknown,
  call: Call,
): Promise<readonly string[] | undefined> {
  if (!(cause instanceof OrielError) || cause.code !== 'NOT_FOUND') return undefined;
  for (const paths of pathLists(typed)) {
    if (paths.length < 2 || !(await areThere(paths.slice(0, MAX_LISTED_PATHS), call))) continue;
    if (paths.length <= MAX_LISTED_PATHS) return apart(paths, call);
    const why = `At most ${MAX_LISTED_PATHS} paths are searched in one call.`;
    throw advised('LIMIT', why, 'Search a directory that contains them, or the others in another call.');
  }
  return undefined;
}

async function areThere(paths: readonly string[], call: Call): Promise<boolean> {
  for (const path of paths) {
    const start = await openTarget(path, call).catch((error: unknown) => {
      call.signal.throwIfAborted();
      if (error instanceof OrielError) return undefined;
      throw error;
    });
    await start?.opened.close();
    if (!start) return false;
  }
  return true;
}

/** Removes paths inside another path of the list, so that no file is searched twice. */
function apart(paths: readonly string[], { access }: Call): string[] {
  const full = paths.map((path) => access.absolute(path));
  return paths.filter((_, at) =>
    full.every((other, i) => {
      const path = full[at] as string;
      return i === at || !isPathWithin(path, other) || (path === other && at < i);
    }),
  );
}

// Translates a file type of ripgrep into a glob on file names.

/** Throws `BAD_INPUT` for a type that ripgrep does not know; the message suggests similar types. */
export async function typeGlob(type: string, signal: AbortSignal): Promise<string> {
  const types = await fileTypes(signal);
  const globs = types.get(type);
  if (!globs) throw unknownType(type, types);
  return globs.length === 1 ? (globs[0] as string) : `{${globs.join(',')}}`;
}

/** Names of languages that models write, and the types of ripgrep that select them. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  javascript: 'js',
  node: 'js',
  golang: 'go',
  'c++': 'cpp',
  cxx: 'cpp',
  'c#': 'csharp',
  'f#': 'fsharp',
  'objective-c': 'objc',
  objectivec: 'objc',
  shell: 'sh',
  bash: 'sh',
  python3: 'py',
  text: 'txt',
  dockerfile: 'docker',
  makefile: 'make',
  powershell: 'ps',
  assembly: 'asm',
  latex: 'tex',
  terraform: 'tf',
  restructuredtext: 'rst',
};

/** The most suggested types. */
const MAX_OFFERED_TYPES = 3;

function unknownType(type: string, types: ReadonlyMap<string, readonly string[]>): OrielError {
  const extension = type.replace(/^\*?\./, '').toLowerCase();
  const byExtension = [...types]
    .filter(([, globs]) => globs.includes(`*.${extension}`))
    .map(([name]) => name);
  const name = Object.hasOwn(TYPE_NAMES, extension) ? TYPE_NAMES[extension] : undefined;
  const known = name !== undefined && types.has(name);
  const near = known ? [name] : byExtension.length > 0 ? byExtension : nearNames(extension, types.keys());
  const meant = near.slice(0, MAX_OFFERED_TYPES);
  const offered = meant.map((name) => `type=${name}`);
  const several = extension.split(/[, |]+(?:\*?\.)?/).filter((one) => one !== '');
  if (!known && several.length > 0 && several.every((one) => /^[\w+-]{1,20}$/.test(one)))
    offered.push(several.length > 1 ? `glob=*.{${several.join(',')}}` : `glob=*.${several[0]}`);
  const message = `${quote(type)} is not a file type of ripgrep. Use ${offered.join(' or ') || 'glob'}.`;
  const next = meant[0] === undefined ? undefined : JSON.stringify({ type: meant[0] });
  return new OrielError('BAD_INPUT', message, { next });
}

// Globs that lead out of the searched directory: `~/x/*.md`, `/other/*.md`, `../x/*.md`.

/** A glob, and the directory that is searched for it. */
interface PlacedGlob {
  /** The field `path` of a call. */
  readonly path: string | undefined;
  readonly glob: string;
}

/**
 * Without a `path`, the directory in front of an absolute glob is searched if it is not below the working directory. Throws
 * `OUTSIDE_ROOT` if it lies outside the roots; a glob such as `/src/*.ts` is anchored if there is no such directory.
 */
export async function placedGlob(
  glob: string,
  path: string | undefined,
  field: 'pattern' | 'glob',
  call: Call,
): Promise<PlacedGlob> {
  const typed = expandedPath(validGlob(glob));
  const { front, rest, outside } = await frontOf(typed, path, call);
  const from = await realDirectory(path ?? '.', call).catch(() => undefined);
  if (front !== undefined && from !== undefined) {
    if (path === undefined && !isPathWithin(front, from)) return { path: front, glob: `/${rest}` };
    return { path, glob: join(front, rest) };
  }
  const first = /^\/[^/*?[{]+/.exec(typed)?.[0];
  const isAnchored = first !== undefined && (await realDirectory(`.${first}`, call).catch(() => undefined));
  if (!outside || isAnchored) return { path, glob: typed };
  const { code, why, next: inside = '.' } = outside;
  const name = validGlob(typed.slice(typed.lastIndexOf('/') + 1)) || '**';
  const next = JSON.stringify({ path: inside, [field]: name });
  throw advised(code, why, `Use path ${quote(inside)} with ${field} ${quote(name)}.`, {
    next,
    cause: outside,
  });
}

/** A hint if the glob names a directory that is neither in the directory `path` nor above it. */
export async function elsewhereHint(
  path: string,
  glob: string,
  field: 'pattern' | 'glob',
  call: Call,
): Promise<SearchHint | undefined> {
  const { front, rest } = await frontOf(expandedPath(glob), path, call);
  const from = await realDirectory(path, call).catch(() => undefined);
  if (front === undefined || from === undefined) return undefined;
  if (isPathWithin(front, from) || isPathWithin(from, front)) return undefined;
  // With a slash in front, one that has another could be an absolute path.
  const below = rest.includes('/') ? rest : `/${rest}`;
  const hint = { kind: 'elsewhere', path: call.access.display(front), glob: below, field } as const;
  return (await selectsFile(hint.path, hint.glob, call)) ? hint : undefined;
}

/** Whether a search of the directory with the glob would find a file. Throws the errors of opening the directory. */
export async function selectsFile(path: string, glob: string, call: Call): Promise<boolean> {
  const { opened, path: start } = await openDirectory(path, call);
  const place = { directories: [opened.path, startPath(start, call)], cwd: call.access.cwd };
  const options = {
    wants: { kind: 'paths', most: 1 },
    filter: { kind: 'glob', pattern: glob, place },
    deadline: lookUntil(call.deadline),
  } as const;
  let isFound = false;
  try {
    checkGlob(glob);
    await collectWalk(opened, options, call, async (walk) => {
      for await (const paths of walk.paths()) isFound ||= paths.length > 0;
    });
  } catch (error) {
    if (!(error instanceof OrielError)) throw error;
  } finally {
    await opened.close();
  }
  return isFound;
}

interface GlobDirectory {
  /** The real path of the existing directory in front of a glob, and what follows. */
  readonly front?: string | undefined;
  readonly rest: string;
  /** The error if there may be one outside the roots. */
  readonly outside?: OrielError | undefined;
}

async function frontOf(typed: string, path: string | undefined, call: Call): Promise<GlobDirectory> {
  let [front, outside]: [string?, OrielError?] = [];
  const split = await splitGlob(typed, async (at) => {
    if (at === '/' || at === '.') return false;
    const named = at.startsWith('..') ? join(path ?? '.', at) : at;
    front = await realDirectory(named, call).catch((error: unknown) => {
      call.signal.throwIfAborted();
      if (error instanceof OrielError && error.code === 'OUTSIDE_ROOT') outside ??= error;
      return undefined;
    });
    return front !== undefined;
  });
  return { front, rest: split?.glob ?? '', outside };
}

/** The real path of a directory; undefined for a file. */
async function realDirectory(path: string, call: Call): Promise<string | undefined> {
  const opened = await openAny(path, call);
  await opened.close();
  return opened.kind === 'directory' ? opened.path : undefined;
}
