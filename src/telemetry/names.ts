/** Names that callers and files give themselves, made fit to be kept and shown: one line, bounded, no hidden characters. */

import { oneLine } from '../text/visible.ts';
import { digest } from './digest.ts';

/** Characters of a path. */
const MOST_PATH = 400;

/** Characters of the name of a task. */
export const MOST_TASK = 200;

/** Characters of the name of a program. */
export const MOST_HOST = 100;

/** Printable ASCII: nothing in it is hidden. */
const PLAIN = /^[ -~]*$/;

/** A path; of an overlong one the head and a digest, so that different ones stay different. */
export function shortName(path: string, most: number = MOST_PATH): string {
  if (path.length <= most && PLAIN.test(path)) return path;
  const shown = oneLine(
    path.length > 2 * most ? path.slice(0, 2 * most).toWellFormed() : path.toWellFormed(),
  );
  if (shown.length <= most && path.length <= 2 * most) return shown;
  return `${shown.slice(0, most - 16).toWellFormed()}…${digest(path)}`;
}

/** The name of a task as its caller gave it; undefined for none. */
export function taskName(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined;
  const name = shortName(given.trim(), MOST_TASK);
  return name === '' ? undefined : name;
}
