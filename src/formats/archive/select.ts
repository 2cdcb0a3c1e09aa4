/** Finds the member that a typed path names. Links are followed to other members, never out of the archive. */

import { basename } from 'node:path';
import { OrielError } from '../../errors.ts';
import { isSelector } from '../../selector/selection.ts';
import { nearNames } from '../../text/near.ts';
import { quote } from '../../text/visible.ts';
import { archiveLimits } from './limits.ts';
import {
  type ArchiveContents,
  type ArchiveMember,
  hasDirectory,
  nextIndexTurn,
  pathParts,
  typedForms,
} from './members.ts';

export type FoundMember =
  | {
      readonly kind: 'member';
      readonly at: number;
      readonly path: string;
      readonly via?: string | undefined;
    }
  /** `path` is `""` for the root, otherwise ends in `/`. */
  | { readonly kind: 'directory'; readonly path: string }
  /** A link whose target is not in the archive. */
  | { readonly kind: 'link'; readonly at: number; readonly path: string };

export interface MemberLocation {
  readonly found: FoundMember;
  /** The text after the member's path, without the colon but with the question mark. */
  readonly tail: string;
}

/**
 * Finds the longest prefix of `rest` that names a member; the tail is its selector. So a member called `raw` or `x:1-2` wins
 * over the selector. Undefined if no prefix names a member.
 */
export function locate(contents: ArchiveContents, rest: string): MemberLocation | undefined {
  if (rest.length > archiveLimits.restBytes) {
    throw new OrielError(
      'NAME_TOO_LONG',
      `The path inside the archive has more than ${archiveLimits.restBytes} characters.`,
    );
  }
  for (const [path, tail] of splits(rest)) {
    const found = find(contents, path);
    if (found) return { found, tail };
  }
  return rest === '' || isSelector(rest) ? { found: { kind: 'directory', path: '' }, tail: rest } : undefined;
}

const MAX_SUGGESTED_MEMBERS = 5;

/** Members that are examined before the event loop gets control again. */
const LOOKED_AT = 20_000;

/** The first five members whose path ends in the typed one, with the typed selector. */
export async function endingIn(contents: ArchiveContents, rest: string): Promise<string[]> {
  for (const [path, tail] of splits(rest)) {
    if (tail !== '' && !isSelector(tail)) continue;
    const found: string[] = [];
    for (const [i, known] of contents.sorted.entries()) {
      if (i % LOOKED_AT === LOOKED_AT - 1) await nextIndexTurn();
      if (known.endsWith(`/${path}`)) found.push(tail === '' ? known : `${known}:${tail}`);
      if (found.length === MAX_SUGGESTED_MEMBERS) break;
    }
    if (found.length > 0) return found;
  }
  return [];
}

const MAX_COMPARED_NAMES = 20_000;

/**
 * The five most similar members, with the typed selector: by similar path, otherwise directories by similar path, otherwise
 * by a similar last name.
 */
export async function nearMembers(contents: ArchiveContents, rest: string): Promise<string[]> {
  const members = contents.sorted.slice(0, MAX_COMPARED_NAMES);
  const directories = [...directoriesOf(members)];
  // A tail that can be a selector is taken as one, not as the end of a mistyped name.
  const ways = [...splits(rest)].filter(([, tail]) => tail === '' || isSelector(tail)).toReversed();
  for (const [path, tail] of ways) {
    let found: string[] = [];
    for (const known of [members, directories]) {
      await nextIndexTurn();
      if (found.length === 0) found = nearNames(path, known);
    }
    await nextIndexTurn();
    if (found.length === 0) found = withLastName(path, [...members, ...directories]);
    if (found.length === 0) continue;
    return found.slice(0, MAX_SUGGESTED_MEMBERS).map((name) => (tail === '' ? name : `${name}:${tail}`));
  }
  return [];
}

function withLastName(path: string, known: readonly string[]): string[] {
  const last = nearNames(
    basename(path),
    known.map((name) => basename(name)),
  );
  return known.filter((name) => last.includes(basename(name)));
}

/** `"a/b/c.txt"` → `"a"`, `"a/b"`. */
function directoriesOf(members: readonly string[]): Set<string> {
  const directories = new Set<string>();
  for (const name of members) {
    for (let at = name.indexOf('/'); at !== -1; at = name.indexOf('/', at + 1)) {
      if (directories.size < MAX_COMPARED_NAMES) directories.add(name.slice(0, at));
    }
  }
  return directories;
}

/** `"b.zip:c.txt:5-9"` → the whole, then `b.zip:c.txt` + `5-9`, then `b.zip` + `c.txt:5-9`. */
function* splits(rest: string): Generator<[path: string, tail: string]> {
  if (rest !== '') yield [rest, ''];
  let left: number = archiveLimits.restSplits;
  for (let at = rest.length - 1; at > 0 && left > 0; at -= 1) {
    if (rest[at] === ':') yield [rest.slice(0, at), rest.slice(at + 1)];
    else if (rest[at] === '?') yield [rest.slice(0, at), rest.slice(at)];
    else continue;
    left -= 1;
  }
}

function find(contents: ArchiveContents, typed: string): FoundMember | undefined {
  const numbered = /^%~(\d{1,9})$/.exec(typed);
  if (numbered) return findNumber(contents, Number(numbered[1]) - 1, typed);
  for (const form of typedForms(typed)) {
    const parts = pathParts(form);
    if (!parts) throw new OrielError('BAD_PATH', `${quote(typed)} leads out of the archive with "..".`);
    const found = walk(contents, parts, form.endsWith('/'), 0);
    if (found) return found;
  }
  return undefined;
}

function findNumber(contents: ArchiveContents, at: number, typed: string): FoundMember | undefined {
  const member = contents.members[at];
  if (!member) return undefined;
  if (contents.odd.get(at)?.why === 'outside') {
    throw new OrielError(
      'BAD_PATH',
      `${quote(member.name)} leads out of the archive with ".." and is not read.`,
    );
  }
  if (member.type !== 'directory') return { kind: 'member', at, path: typed };
  return { kind: 'directory', path: `${(pathParts(member.name) ?? []).join('/')}/` };
}

/** Walks down the path. At a link it starts again with the target of the link. */
function walk(
  contents: ArchiveContents,
  parts: string[],
  asDirectory: boolean,
  hops: number,
): FoundMember | undefined {
  if (parts.length > archiveLimits.nameDepth) return undefined;
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const path = parts.slice(0, depth).join('/');
    const at = contents.byPath.get(path);
    const member = at === undefined ? undefined : contents.members[at];
    if (at === undefined || member?.link === undefined) continue;
    if (hops === archiveLimits.linkHops) {
      throw new OrielError('LOOP', `${quote(path)} leads into a loop of links inside the archive.`);
    }
    const target = linkTarget(member, parts.slice(0, depth - 1));
    const rest = parts.slice(depth);
    const found = target && walk(contents, [...target, ...rest], asDirectory, hops + 1);
    if (!found) return rest.length === 0 ? { kind: 'link', at, path } : undefined;
    return found.kind === 'member' ? { ...found, via: path } : found;
  }
  const path = parts.join('/');
  const at = contents.byPath.get(path);
  if (at !== undefined && !asDirectory) return { kind: 'member', at, path };
  const directory = path === '' ? '' : `${path}/`;
  return directory === '' || hasDirectory(contents, directory)
    ? { kind: 'directory', path: directory }
    : undefined;
}

/** The target of a link as a path from the root; undefined if it is outside the archive. */
function linkTarget(member: ArchiveMember, directory: readonly string[]): string[] | undefined {
  const link = member.link ?? '';
  if (link.startsWith('/') && member.type === 'symlink') return undefined;
  const parts = member.type === 'symlink' ? [...directory] : [];
  for (const part of link.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts;
}
