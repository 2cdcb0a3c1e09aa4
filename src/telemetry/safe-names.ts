/** Names that callers and files give themselves, made fit to be kept and shown: one line, bounded, no hidden characters. */

import { oneLine } from '../text/visible.ts';
import { digest } from './text-digest.ts';

/** Characters of a path. */
export const MOST_PATH = 400;

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

/** `a.pdf:password=…:p3`: up to the next part of the path. */
const PASSWORD = /(:password=)[^:]*/gi;

/** `https://user:password@host`. */
const USER = /^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i;

/** Parameters of a URL that let in whoever has them. */
const KEY =
  /([?&#;](?:[\w.-]*[_.-])?(?:access_?key|api_?key|auth|authorization|code|credentials?|jwt|key|pass|passwd|password|pwd|sas|secret|session|sig|signature|token)=)[^&#;]*/gi;

/** What is asked of a database or a site: SQL to the end of the path, conditions to the next parameter. */
const QUERY = /([?&]q=)(.*)$|([?&]where=)(.*?)(?=&(?:limit|offset|order)=|$)/gis;

/** A path as it is recorded: passwords and keys are left out, and of a query is a digest. */
export function sourceName(path: string): string {
  if (!path.includes('=') && !path.includes('://')) return shortName(path);
  const open = path
    .replace(USER, '$1…@')
    .replace(PASSWORD, '$1…')
    .replace(QUERY, (_, q?: string, sql?: string, where?: string, conditions?: string) =>
      q === undefined ? `${where}…${digest(conditions ?? '')}` : `${q}…${digest(sql ?? '')}`,
    )
    .replace(KEY, '$1…');
  return shortName(open);
}

/** The name of a task as its caller gave it; undefined for none. */
export function taskName(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined;
  const name = shortName(given.trim(), MOST_TASK);
  // A browser takes `.` and `..` out of every URL: such a task could not be asked for.
  if (name === '.' || name === '..') return `task ${name}`;
  return name === '' ? undefined : name;
}
