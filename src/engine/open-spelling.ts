/** Opens a typed path: the first of its possible spellings that exists. */

import { absolutePath, spellings } from '../access/paths.ts';
import { type ErrorCode, OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import type { Opened } from '../types/access.ts';
import type { Call } from '../types/call.ts';

/** Errors that mean that the path does not exist, so that the next shorter candidate is tried. */
const MISSES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'NOT_FOUND',
  'NOT_DIRECTORY',
  'OUTSIDE_ROOT',
  'NAME_TOO_LONG',
  'BAD_PATH',
]);

export function isMiss(code: ErrorCode): boolean {
  return MISSES.has(code);
}

export interface Spelled {
  readonly opened: Opened;
  /** The absolute path that exists; links in it are not resolved. */
  readonly path: string;
}

/** The first spelling of `path` that exists. */
export async function openAny(path: string, call: Call): Promise<Opened> {
  return (await openSpelling(path, call)).opened;
}

export async function openSpelling(path: string, call: Call): Promise<Spelled> {
  for (const name of listsTakenBack(path)) await mustExist(name, call);
  let first: OrielError | undefined;
  for (const spelling of spellings(path, call.access.cwd)) {
    try {
      return { opened: await call.access.open(spelling, call.signal), path: spelling };
    } catch (error) {
      if (!(error instanceof OrielError) || !isMiss(error.code)) throw error;
      first ??= error;
    }
  }
  throw first ?? new OrielError('BAD_PATH', `${quote(path)} is not a path.`);
}

/** Possible separators of a list of paths. */
const between = /[,;|{\s]/;

/**
 * The prefixes of a path that look like a list and are removed by a later `..`: `a.ts,src/../b.ts` → `a.ts,src`. If such
 * a prefix does not exist, the string is a list and not one path.
 */
function listsTakenBack(path: string): string[] {
  if (!path.includes('/..') || !between.test(path)) return [];
  const taken: string[] = [];
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name !== '..') names.push(name);
    else {
      if (between.test(names.at(-1) ?? '')) taken.push(names.join('/'));
      names.pop();
    }
  }
  return taken;
}

/** Throws if the name does not exist. Names outside the roots are reported when the path itself is opened. */
async function mustExist(name: string, call: Call): Promise<void> {
  try {
    const opened = await call.access.open(absolutePath(name, call.access.cwd), call.signal);
    await opened.close();
  } catch (error) {
    if (!(error instanceof OrielError) || error.code === 'NOT_FOUND') throw error;
  }
}
