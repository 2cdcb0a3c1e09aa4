/**
 * The rules that make files private: which names they deny, in gitignore syntax. Names are compared without regard to case and
 * to Unicode forms, on every system: a file system may ignore both, and then another spelling is the same file.
 */

import type { Dirent, Stats } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { advised, type OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import type { DenyData, DenyRule, PrivateNames } from '../types/access.ts';
import { IgnoreFile } from './glob.ts';
import { fileKey } from './kept-files.ts';
import { isPathWithin, withoutTrailingDots } from './paths.ts';
import { errno } from './system-failure.ts';

/** The list of servers. A later rule takes a file out again: `!.env.example`. */
export const DEFAULT_DENY: readonly string[] = [
  '.env .env.* !.env.example !.env.sample !.env.template !.env.dist *.pem *.key *.p12 *.pfx',
  'id_rsa id_dsa id_ecdsa id_ed25519 .netrc .pgpass .git-credentials',
  '**/.aws/credentials **/.docker/config.json **/.kube/config',
]
  .join(' ')
  .split(' ');

interface CompiledSource {
  /** Real path of a directory. */
  readonly base: string;
  readonly rules: readonly DenyRule[];
  readonly file: IgnoreFile;
}

export class DenyRules implements PrivateNames {
  readonly data: DenyData;
  readonly packed: string;
  readonly #compiled: readonly CompiledSource[];
  readonly #last: NameFilter;
  /** Names of directories of which rules deny all that is in them: `vault/**`. */
  readonly #open: NameFilter;

  constructor(data: DenyData, packed: string = JSON.stringify(data)) {
    const { sources } = data;
    this.data = data;
    this.packed = packed;
    const [last, open]: [string[], string[]] = [[], []];
    this.#compiled = sources.map(({ base, rules }) => {
      const patterns = rules.map(({ pattern }) => folded(pattern).replaceAll('[:upper:]', '[:alpha:]'));
      const file = new IgnoreFile(patterns, ({ pattern, keeps }) => {
        if (keeps) return;
        const directory = /^(.*[^/*])\/(?:\*|\*\*|\*\*\/\*)$/s.exec(pattern)?.[1];
        const path = directory ?? pattern;
        (directory === undefined ? last : open).push(path.slice(path.lastIndexOf('/') + 1));
      });
      return { base, rules, file };
    });
    this.#last = new NameFilter(last);
    this.#open = new NameFilter(open);
  }

  mayMatch(name: string, above: string): boolean {
    return this.#last.matches(name) || this.#open.matches(above);
  }

  /** The rule for the first private name of `path` (absolute), and the path up to it. */
  first(path: string, isDirectory: boolean): { readonly path: string; readonly rule: DenyRule } | undefined {
    const names = path.split(sep);
    for (let i = 1; i < names.length; i += 1) {
      if (!this.mayMatch(names[i] as string, names[i - 1] as string)) continue;
      const at = names.slice(0, i + 1).join(sep);
      const rule = this.#ruleFor(at, isDirectory || i < names.length - 1);
      if (rule) return { path: at, rule };
    }
    return undefined;
  }

  decide(path: string, isDirectory: boolean): DenyRule | undefined {
    return this.first(path, isDirectory)?.rule;
  }

  inside(container: string, member: string, isDirectory: boolean): DenyRule | undefined {
    for (const names of namesWhenUnpacked(member)) {
      if (!names.some((name, i) => this.mayMatch(name, names[i - 1] ?? ''))) continue;
      // The root of an archive counts as a root.
      for (const base of new Set([...this.#compiled.map((source) => source.base), container])) {
        const rule = this.decide(join(base, ...names), isDirectory);
        if (rule) return rule;
      }
    }
    return undefined;
  }

  /** The rule for the last name of a path whose other names are not private. */
  #ruleFor(path: string, isDirectory: boolean): DenyRule | undefined {
    for (const { base, rules, file } of this.#compiled) {
      if (path === base || !isPathWithin(path, base)) continue;
      const inside = folded(relativeTo(base, path));
      for (const one of [inside, isDirectory ? undefined : databaseOf(inside)]) {
        const found = one === undefined ? undefined : file.lastRule(one, isDirectory);
        if (found && !found.keeps) return rules[found.rank];
      }
    }
    return undefined;
  }
}

/** The database beside which SQLite keeps this file: parts of the same data. */
function databaseOf(path: string): string | undefined {
  const end = path.search(/-(?:wal|shm|journal)$/);
  return end === -1 ? undefined : path.slice(0, end);
}

/**
 * The names on the path of a member, as programs unpack it. Those of Windows separate names by backslashes, and remove dots and
 * blanks behind a name. None leaves the directory into which it unpacks: some resolve `..`, others leave it out.
 */
function* namesWhenUnpacked(member: string): Generator<readonly string[]> {
  const stored = member.replaceAll('\\', '/').replace(/^[a-z]:/i, '');
  for (const path of new Set([posix.normalize(stored), stored])) {
    const names = path.split('/').filter((name) => name !== '' && name !== '.' && name !== '..');
    yield names;
    if (names.some((name) => /[. ]$/.test(name)))
      yield names.map(withoutTrailingDots).filter((name) => name !== '');
  }
}

/**
 * Tells most names from those that a rule may match: a pattern matches here whatever it has between its first and its last
 * special character, more than the rule and never less.
 */
class NameFilter {
  readonly #plain = new Set<string>();
  /** How the names begin and end. */
  readonly #wild: (readonly [front: string, end: string])[] = [];

  constructor(patterns: readonly string[]) {
    for (const pattern of new Set(patterns)) {
      const front = pattern.replace(/[*?[\\].*/s, '');
      if (front === pattern) this.#plain.add(pattern);
      else this.#wild.push([front, pattern.replace(/^.*[*?\]\\]/s, '')]);
    }
  }

  matches(name: string): boolean {
    const own = folded(name);
    const database = databaseOf(own);
    return this.#has(own) || (database !== undefined && this.#has(database));
  }

  #has(name: string): boolean {
    if (this.#plain.has(name)) return true;
    return this.#wild.some(([front, end]) => name.startsWith(front) && name.endsWith(end));
  }
}

function relativeTo(base: string, path: string): string {
  const inside = path.slice(base.endsWith(sep) ? base.length : base.length + 1);
  return sep === '/' ? inside : inside.split(sep).join('/');
}

/** A form that all spellings share which some file system takes for one name. HFS+ leaves ignorable characters out. */
function folded(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase();
  return text
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .normalize('NFC')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFC');
}

/** The error for a private file: which rule it is, and who can lift it. */
export function privateFile(shown: string, { rule, from, line, lift, because }: DenyRule): OrielError {
  const at = line === undefined ? from : `${from}:${line}`;
  const why = because === undefined ? `by the rule ${quote(rule)} of ${at}` : `because ${because}`;
  return advised(
    'PRIVATE',
    `${quote(shown)} is private ${why}, which a person can lift ${lift} and which does not bind commands.`,
    'Use . to list the working directory.',
    { next: '.' },
  );
}

// The same file under another name: a hard link.

/** The most entries below the roots whose names are compared; about two seconds. */
const MAX_COMPARED_ENTRIES = 2_000_000;

/** After so many milliseconds the names are compared again: a directory may have been renamed. */
const COMPARED_FOR_MS = 60_000;

/** The clock of a file system may be so many milliseconds behind. */
const COARSE_MS = 1_000;

/** Private files with several names, as they were at `since` (milliseconds since the epoch). */
export interface LinkedFiles {
  readonly since: number;
  /** By `fileKey`. */
  readonly rules: ReadonlyMap<string, DenyRule>;
  /** Why not all names were compared, as the end of a sentence. */
  readonly gap?: string | undefined;
}

/** What a comparison needs next: up to `most` entries of a directory, or the stats of an entry. */
export type NeededFacts = { readonly list: string; readonly most: number } | { readonly stat: string };
/** Undefined for what is gone, or closed to this process. */
export type KnownFacts = readonly Dirent[] | Stats | 'failed' | undefined;

export function withoutFacts(error: unknown): 'failed' | undefined {
  const isClosed = errno(error) === 'EACCES' || errno(error) === 'EPERM';
  return isGone(error) || isClosed ? undefined : 'failed';
}

/** Whether the error says that there is nothing of that name. */
export function isGone(error: unknown): boolean {
  return errno(error) === 'ENOENT' || errno(error) === 'ENOTDIR';
}

/** Finds the private files that have several names. Links are not followed. */
export function* linkedBelow(rules: DenyRules): Generator<NeededFacts, LinkedFiles, KnownFacts> {
  const since = Date.now();
  const found = new Map<string, DenyRule>();
  const { projects } = rules.data;
  const directories = projects
    .filter((path) => !projects.some((other) => other !== path && isPathWithin(path, other)))
    .map((path) => ({ path, rule: rules.decide(path, true) }));
  let left = MAX_COMPARED_ENTRIES;
  let gap: string | undefined;
  for (let at = directories.pop(); at; at = directories.pop()) {
    const listed = (yield { list: at.path, most: left + 1 }) as Exclude<KnownFacts, Stats>;
    if (listed === 'failed') gap = 'a directory could not be listed';
    const entries = typeof listed === 'object' ? listed : [];
    left -= entries.length;
    if (left < 0) return { since, rules: found, gap: 'there are too many files' };
    const above = at.path.slice(at.path.lastIndexOf(sep) + 1);
    for (const entry of entries) {
      const path = join(at.path, entry.name);
      const isDirectory = entry.isDirectory();
      const rule =
        at.rule ?? (rules.mayMatch(entry.name, above) ? rules.decide(path, isDirectory) : undefined);
      if (isDirectory) directories.push({ path, rule });
      if (!rule || !entry.isFile()) continue;
      const stats = (yield { stat: path }) as Exclude<KnownFacts, readonly Dirent[]>;
      if (stats === 'failed') gap = 'a private file could not be looked at';
      else if (stats && stats.nlink > 1) found.set(fileKey(stats), rule);
    }
  }
  return { since, rules: found, gap };
}

type LinkedStats = Readonly<Record<'dev' | 'ino' | 'ctimeMs', bigint | number>>;

/**
 * Whether `linked` is right about a file that has several names. A new name changes the time of change of the file.
 * `began`: when the call began, in milliseconds since the epoch.
 */
export function isCurrent({ since }: LinkedFiles, { ctimeMs }: LinkedStats, began: number): boolean {
  return since >= began || (Number(ctimeMs) + COARSE_MS < since && began - since < COMPARED_FOR_MS);
}

/** The rule for a file that has several names. One that was not compared with all others is private too. */
export function linkedRule(linked: LinkedFiles, stats: LinkedStats): DenyRule | undefined {
  const rule = linked.rules.get(fileKey(stats));
  if (rule || linked.gap === undefined) return rule;
  const because = `it has several names (hard links), and not all private files were compared with it: ${linked.gap}`;
  return { pattern: '', rule: '', from: '', lift: 'by removing its other names', because };
}
