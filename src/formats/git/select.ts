/** The ways to read what is typed after `git://`, and `REV:path` as git writes it. */

import { posix } from 'node:path';
import { candidates, isSelector } from '../../selector/selection.ts';
import { decodeUri } from '../../text/visible.ts';
import type { RevisionPath } from './protocol.ts';

/** Maximum slashes in a revision. */
const MAX_REVISION_SLASHES = 16;

/** The URL of a path at a revision, without its selector. */
export function revisionUrl({ revision, path }: RevisionPath): string {
  return path === '' ? `git://${revision}` : `git://${revision}/${path}`;
}

/**
 * `main/src/x.ts:5-9` → a revision with its path: the longest revision first, because branches have slashes in their names,
 * and then the longest path.
 */
export function waysOfUrl(typed: string): RevisionPath[] {
  const end = /[:?]/.exec(typed)?.index ?? typed.length;
  const [revision, rest] = [typed.slice(0, end), typed.slice(typed[end] === ':' ? end + 1 : end)];
  const ends: number[] = [];
  for (let at = typed.indexOf('/'); at !== -1 && at < end; at = typed.indexOf('/', at + 1)) ends.push(at);
  return [
    ...(typed[end] === ':' && rest !== '' ? pathsAfter(revision, rest) : []),
    ...(rest === '' || isSelector(rest) || rest.startsWith('?') ? [{ revision, path: '', rest }] : []),
    ...ends
      .slice(0, MAX_REVISION_SLASHES)
      .toReversed()
      .flatMap((at) => pathsAfter(typed.slice(0, at), typed.slice(at + 1))),
  ].filter((way) => way.revision !== '');
}

/** `REV:path`; a path that begins with `./` or `../` is relative to `front`, the working directory inside the repository. */
export function waysOfRevisionPath(typed: string, front: string): RevisionPath[] {
  const at = typed.indexOf(':');
  const behind = typed.slice(at + 1);
  const path = /^\.\.?(?:\/|$)/.test(behind) ? posix.join(front, behind).replace(/^\.$/, '') : behind;
  return pathsAfter(typed.slice(0, at), path);
}

/** Whether it may be `REV:path`. It is looked for only if there is no such file. */
export function mayBeRevisionPath(target: string): boolean {
  return /^(?![a-z]:[\\/])[^\s:?*[\\/.~^-][^\s:?*[\\]*:(?!\/\/)/i.test(target);
}

function pathsAfter(revision: string, behind: string): RevisionPath[] {
  const ways = candidates(behind).map(({ path, rest }) => ({
    revision,
    path: path.replace(/\/+$/, ''),
    rest,
  }));
  const decoded = decodeUri(behind);
  return decoded === behind ? ways : [...ways, ...pathsAfter(revision, decoded)];
}
