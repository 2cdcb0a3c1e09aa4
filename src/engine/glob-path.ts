/** Splits a path with a glob, such as `src/*.ts`, into an existing directory and the glob below it. */

import { OrielError } from '../errors.ts';
import { pathRewrites } from '../selector/rewrites.ts';
import type { Call } from '../types/call.ts';
import { validGlob } from '../walk/glob-syntax.ts';
import { openAny } from './open-spelling.ts';

export interface GlobInPath {
  /** As it was typed; `.` if there is nothing in front of the glob. */
  readonly at: string;
  /** Valid, also if the one that was typed is not. */
  readonly glob: string;
}

/** Undefined if `typed` has no `*`, or if the directory in front of the glob does not exist. */
export async function globInPath(typed: string, call: Call): Promise<GlobInPath | undefined> {
  if (!typed.includes('*')) return undefined;
  const list = listOf(typed);
  if (list) return list;
  // The form with slashes first: `src\*.ts` is a path of Windows if `src` is a directory.
  for (const path of [...pathRewrites(typed).reverse(), typed]) {
    // `[id]` may be the name of a directory, or a part of the glob.
    for (const first of [/\*/, /[*?[{]/]) {
      const split = splitAt(path, path.search(first));
      if (await isDirectory(split.at, call)) return split;
    }
  }
  return undefined;
}

/** Several globs, such as `src/*.ts, test/*.ts`, are one glob with alternatives. */
function listOf(typed: string): GlobInPath | undefined {
  const paths = typed.trim().split(/[,;\s]+/);
  const all = paths.length > 1 && paths.every((path) => /^(?![/~]|\.\.)[^{}\\"']*\*[^{}\\"']*$/.test(path));
  return all ? { at: '.', glob: validGlob(`{${paths.join(',')}}`) } : undefined;
}

/** `src/*.ts` → `src` and `*.ts`: splits before the name that holds the character at `index`. */
function splitAt(path: string, index: number): GlobInPath {
  const slash = path.lastIndexOf('/', index);
  const at = path.slice(0, slash + 1).replace(/(?<=.)\/+$/, '');
  return { at: at === '' ? '.' : at, glob: validGlob(path.slice(slash + 1)) };
}

async function isDirectory(path: string, call: Call): Promise<boolean> {
  try {
    const opened = await openAny(path, call);
    await opened.close();
    return opened.is === 'directory';
  } catch (error) {
    call.signal.throwIfAborted();
    if (error instanceof OrielError) return false;
    throw error;
  }
}
