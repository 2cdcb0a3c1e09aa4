/** Resolves the paths of routes: absolute paths, or relative to a base directory that the request names. */

import { homedir } from 'node:os';
import { isAbsolute, sep } from 'node:path';
import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Access } from '../../types/access.ts';

/** The path to open. Throws `BAD_PATH`. */
export function absolute(access: Access, path: string): string {
  if (!isAbsolute(path)) {
    throw new OrielError('BAD_PATH', `file path must be absolute: ${JSON.stringify(quote(path))}`);
  }
  // In tools `/` is the working directory; in routes it is the root of the file system.
  return path === '/' ? path : access.absolute(path);
}

/** The base directories of relative paths. */
export const RELATIVITIES = ['root', 'home', 'cwd'] as const;

/** The base directory for `relativity`. */
export function startOf(relativity: (typeof RELATIVITIES)[number], cwd: string): string {
  return { root: sep, home: homedir(), cwd }[relativity];
}
