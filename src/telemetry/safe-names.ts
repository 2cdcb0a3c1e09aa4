/** Sanitizes names from callers and files: one line, bounded, without hidden characters, without secrets. */

import { oneLine } from '../text/visible.ts';
import { digest } from './text-digest.ts';

/** Maximum characters of a path. */
export const MOST_PATH = 400;

/** Maximum characters of the name of a task. */
export const MOST_TASK = 200;

/** Maximum characters of the name of a program. */
export const MOST_HOST = 100;

/** Printable ASCII, which needs no escaping. */
const PLAIN = /^[ -~]*$/;

/** A path; an overlong one is replaced by its head and a digest, so that different paths stay different. */
export function shortName(path: string, most: number = MOST_PATH): string {
  if (path.length <= most && PLAIN.test(path)) return path;
  const shown = oneLine(
    path.length > 2 * most ? path.slice(0, 2 * most).toWellFormed() : path.toWellFormed(),
  );
  if (shown.length <= most && path.length <= 2 * most) return shown;
  return `${shown.slice(0, most - 16).toWellFormed()}…${digest(path)}`;
}

/** The password in `a.pdf:password=…:p3`, up to the next colon. */
const PASSWORD = /(:password=)[^:]*/gi;

/** The credentials in `https://user:password@host`. */
const USER = /^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i;

/** Parameters of a URL that are credentials. */
const KEY =
  /([?&#;](?:[\w.-]*[_.-])?(?:access_?key|api_?key|auth|authorization|code|credentials?|jwt|key|pass|passwd|password|pwd|sas|secret|session|sig|signature|token)=)[^&#;]*/gi;

/** Queries of databases and sites: `q=` to the end of the path, `where=` to the next parameter. */
const QUERY = /([?&]q=)(.*)$|([?&]where=)(.*?)(?=&(?:limit|offset|order)=|$)/gis;

/** A path as it is recorded: without passwords and keys, and with a digest instead of a query. */
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

/** The sanitized name of a task that a caller gave; undefined if it gave none. */
export function taskName(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined;
  const name = shortName(given.trim(), MOST_TASK);
  // A browser removes `.` and `..` from URLs, so such a task could not be requested.
  if (name === '.' || name === '..') return `task ${name}`;
  return name === '' ? undefined : name;
}
