/**
 * Which files are private now: the rules of the option `deny`, and those that hosts publish in the project. Rule files are looked
 * at before every open, by their identity, so that a change holds from the next open on.
 */

import { createHash } from 'node:crypto';
import { type BigIntStats, type Dirent, lstatSync, type Stats } from 'node:fs';
import { lstat, opendir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, parse, posix, resolve } from 'node:path';
import { isOrielError } from '../errors.ts';
import { onAbort } from '../queues/caller.ts';
import { readAt } from '../text/bytes.ts';
import { decode, detectEncoding, HEAD_BYTES } from '../text/encoding.ts';
import { quote, withoutTrailingSlashes } from '../text/visible.ts';
import type { DenyRule, DenySource, OpenedItem } from '../types/access.ts';
import {
  DEFAULT_DENY,
  DenyRules,
  isCurrent,
  isGone,
  type KnownFacts,
  linkedBelow,
  type LinkedFiles,
  linkedRule,
  type NeededFacts,
  withoutFacts,
} from './deny-rules.ts';
import { realOf } from './kept-files.ts';
import { isLocalPath } from './mounts.ts';

export interface DenyOptions {
  /** Patterns in gitignore syntax, relative to each of `projects` and of the roots. The default list comes first, if it holds. */
  readonly patterns: readonly string[];
  /** Real paths of the directories in which the rule files of hosts are. */
  readonly projects: readonly string[];
  /** `--deny`, or how the option is called otherwise. */
  readonly name: string;
  /** Called when rules hold that did not hold until now. `key` changes with them. */
  changed?(key: string): Promise<void> | undefined;
}

/** Where git keeps all versions of all files, and the sizes of those that are checked out. `git://` reads them by their paths. */
const GIT_STORES = [
  '.git/**/objects/',
  '.git/**/index',
  '.git/**/index.lock',
  '.git/**/rebase-apply/',
  '.git/**/rebase-merge/patch',
  '.git/**/rr-cache/',
  '.git/**/lost-found/',
  // With `commit.verbose` it has the diff of the last commit.
  '.git/**/COMMIT_EDITMSG',
  // Of a repository without a work tree.
  '*.git/objects/',
];

function storeRule(name: string): DenyRule {
  const pattern = `**/${name}`;
  const because = 'git keeps in it what it knows of all files, also of private ones';
  const lift = 'by taking away all rules for private files';
  return { pattern, rule: pattern, from: 'oriel itself', lift, because };
}

/** What hosts read: lists in gitignore syntax, and settings with rules for tools. */
const LISTS = ['.cursorignore', '.geminiignore', '.aiexclude', '.aiignore', '.codeiumignore'];
const SETTINGS = ['.claude/settings.json', '.claude/settings.local.json'];

const MAX_RULE_FILE_BYTES = 1 << 20;
const MAX_RULES_PER_FILE = 10_000;
const MAX_RULE_CHARACTERS = 4_096;

/** A file may change again within so many milliseconds without another time of change: FAT counts in two seconds. */
const FRESH_MS = 2_500;

interface RuleFileName {
  readonly path: string;
  readonly project: string;
  readonly name: string;
}

interface ReadRuleFile {
  /** Of the file that was read; undefined if it has to be read again. */
  readonly version: string | undefined;
  readonly source: DenySource | undefined;
}

export class DenyPolicy {
  readonly #options: DenyOptions;
  readonly #bases: readonly string[];
  readonly #stores: readonly DenySource[];
  /** Opens a path inside the projects without regard to these rules. */
  readonly #open: (path: string) => Promise<OpenedItem>;
  /** Of all rule files that may be there, by their directories. */
  readonly #names: ReadonlyMap<string, readonly RuleFileName[]>;
  readonly #files = new Map<string, ReadRuleFile>();
  /** The versions of the directories when their rule files were looked for: a new name in one changes it. */
  readonly #directories = new Map<string, string | undefined>();
  readonly #warned = new Set<string>();
  #rules: DenyRules | undefined;
  /** Whether files changed since these rules: also by a call that failed at a later file, or has not ended yet. */
  #isChanged = false;
  /** The rules by which they were made, and those that a reader of repositories is held to. */
  #forGit: { readonly of: DenyRules; readonly rules: DenyRules } | undefined;
  #linked: { readonly key: string; readonly files: Promise<LinkedFiles>; readonly began: number } | undefined;

  constructor(options: DenyOptions, roots: readonly string[], open: (path: string) => Promise<OpenedItem>) {
    this.#options = options;
    this.#open = open;
    const places = new Set(options.projects.flatMap((project) => [join(project, '.claude'), project]));
    const names = options.projects.flatMap((project) =>
      [...SETTINGS, ...LISTS].map((name) => ({ path: join(project, name), project, name })),
    );
    this.#names = new Map(
      [...places].map((place) => [place, names.filter(({ path }) => dirname(path) === place)]),
    );
    // A name without a slash is meant everywhere, also where there are no roots.
    this.#bases = [...new Set([...options.projects, ...(roots.length > 0 ? roots : ['/'])])];
    const tops = new Set(this.#bases.map((base) => parse(base).root));
    this.#stores = [...tops].map((base) => ({ base, rules: GIT_STORES.map(storeRule) }));
  }

  /** Throws `BUSY` if a rule file cannot be opened for now. */
  async current(): Promise<DenyRules> {
    for (const [directory, names] of this.#names) {
      const seen = isLocalPath(directory) ? versionOfLocal(directory) : undefined;
      const isSame = seen !== undefined && this.#directories.get(directory) === seen;
      for (const { path, project, name } of names) {
        const known = this.#files.get(path);
        if (isSame && !known) continue;
        const version = await versionOf(path);
        if (version !== undefined && version === (known ? known.version : '')) continue;
        if (version === '') this.#files.delete(path);
        else this.#files.set(path, { version, source: await this.#read(project, name, known?.source) });
        this.#isChanged = true;
      }
      this.#directories.set(directory, seen);
    }
    if (!this.#isChanged && this.#rules) return this.#rules;
    this.#isChanged = false;
    const files = [...this.#files.values()].flatMap(({ source }) => source ?? []);
    const own = [...this.#bases.map((base) => this.#listed(base)), ...files];
    const sources = own.some(({ rules }) => rules.length > 0) ? [...own, ...this.#stores] : own;
    const key = createHash('sha256').update(JSON.stringify(sources)).digest('base64url');
    const { projects } = this.#options;
    if (this.#rules?.data.key === key) return this.#rules;
    const rules = new DenyRules({ key, sources, projects });
    this.#rules = rules;
    await this.#options.changed?.(key);
    return rules;
  }

  /** As `current`, without the rules by which git's own files are private. */
  async currentForGit(): Promise<DenyRules> {
    const of = await this.current();
    if (this.#forGit?.of === of) return this.#forGit.rules;
    const sources = of.data.sources.filter((source) => !this.#stores.includes(source));
    const rules = new DenyRules({ ...of.data, key: `${of.data.key} git`, sources });
    this.#forGit = { of, rules };
    return rules;
  }

  /** The rule that makes the file private under another of its names. `signal` ends only the wait: others may wait too. */
  async linked(
    rules: DenyRules,
    stats: BigIntStats | Stats,
    signal?: AbortSignal,
  ): Promise<DenyRule | undefined> {
    const began = Date.now();
    const { key } = rules.data;
    const known = this.#linked?.key === key ? await unlessAborted(this.#linked.files, signal) : undefined;
    if (known && isCurrent(known, stats, began)) return linkedRule(known, stats);
    // Calls that wait share one comparison that began after them.
    if (this.#linked?.key !== key || this.#linked.began < began)
      this.#linked = { key, began: Date.now(), files: compare(rules) };
    return linkedRule(await unlessAborted(this.#linked.files, signal), stats);
  }

  #listed(base: string): DenySource {
    const { patterns, name } = this.#options;
    const isDefault = DEFAULT_DENY.every((pattern, i) => patterns[i] === pattern);
    const rules = patterns.map((pattern, i) => {
      const [from, lift] =
        isDefault && DEFAULT_DENY[i] ? ['the default list', 'with --allow-private'] : [name, `in ${name}`];
      return { pattern, rule: pattern, from, lift };
    });
    return { base, rules };
  }

  /** `known`: the rules until now, which hold on if the file cannot be read. */
  async #read(project: string, name: string, known?: DenySource): Promise<DenySource | undefined> {
    const path = join(project, name);
    try {
      const opened = await this.#open(path);
      try {
        if (opened.kind !== 'file') throw new Error('it is a directory');
        if (opened.size > MAX_RULE_FILE_BYTES) this.#warn(path, 'only its first 1 MiB is read');
        const bytes = await readAt(opened.bytes, 0, MAX_RULE_FILE_BYTES);
        const { text } = decode(bytes, detectEncoding(bytes.subarray(0, HEAD_BYTES)));
        const from = project === this.#options.projects[0] ? name : path;
        const isList = LISTS.includes(name);
        const [all, isBroken] = isList ? [rulesOfList(text), false] : rulesOfSettings(text);
        if (isBroken) this.#warn(path, 'it is not valid JSON; what looks like a rule holds');
        const short = all.filter(({ rule }) => rule.length <= MAX_RULE_CHARACTERS);
        if (short.length < all.length)
          this.#warn(path, `a rule has over ${MAX_RULE_CHARACTERS} characters and is ignored`);
        if (short.length > MAX_RULES_PER_FILE)
          this.#warn(path, `only its first ${MAX_RULES_PER_FILE} rules are used`);
        // The blank behind a backslash was trimmed.
        const ofLine = ({ rule }: WrittenRule): string[] => [rule.endsWith('\\') ? `${rule} ` : rule];
        const patternsOf = isList ? ofLine : readPatterns(project);
        const rules = short
          .slice(0, MAX_RULES_PER_FILE)
          .flatMap((one) => patternsOf(one).map((pattern) => ({ pattern, ...one, from, lift: 'there' })));
        return { base: isList ? project : '/', rules };
      } finally {
        await opened.close();
      }
    } catch (error) {
      if (isOrielError(error) && error.code === 'BUSY') throw error;
      if (isOrielError(error) && error.code === 'NOT_FOUND') return undefined;
      this.#warn(path, (error as Error).message);
      return known;
    }
  }

  #warn(path: string, why: string): void {
    const sentence = `The rules for private files in ${quote(path)} hold in part, or not at all: ${why.replace(/\.$/, '')}.`;
    if (this.#warned.has(sentence)) return;
    this.#warned.add(sentence);
    process.emitWarning(sentence, { code: 'ORIEL_DENY' });
  }
}

/** As `versionOf`. A link may lead to where the times of directories do not change. */
function versionOfLocal(directory: string): string | undefined {
  try {
    const stats = lstatSync(directory, { bigint: true, throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) return undefined;
    return stats ? identityOf(stats) : '';
  } catch (error) {
    return unseen(error);
  }
}

/** Empty if there is no such file; undefined if it has to be read each time. */
function versionOf(path: string): string | undefined | Promise<string | undefined> {
  if (!isLocalPath(dirname(path)))
    return lstat(path, { bigint: true }).then((stats) => factsOf(path, stats), unseen);
  try {
    return factsOf(path, lstatSync(path, { bigint: true, throwIfNoEntry: false }));
  } catch (error) {
    return unseen(error);
  }
}

function factsOf(
  path: string,
  stats: BigIntStats | undefined,
): string | undefined | Promise<string | undefined> {
  if (!stats) return '';
  // What a link leads to may be slow.
  if (stats.isSymbolicLink())
    return stat(path, { bigint: true }).then(
      (target) => identityOf(stats) && identityOf(target),
      () => undefined,
    );
  return identityOf(stats);
}

function identityOf({ dev, ino, size, mtimeNs, ctimeNs, ctimeMs }: BigIntStats): string | undefined {
  const isFresh = Date.now() - Number(ctimeMs) < FRESH_MS;
  return isFresh ? undefined : [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}

/** A file of which nothing can be seen for now may still be there. */
function unseen(error: unknown): string | undefined {
  return isGone(error) ? '' : undefined;
}

type WrittenRule = Pick<DenyRule, 'rule' | 'line'>;

function rulesOfList(text: string): WrittenRule[] {
  return text.split('\n').flatMap((written, i) => {
    // Blanks around a pattern are hardly ever part of a name.
    const rule = written.trim();
    return rule === '' || rule.startsWith('#') ? [] : { rule, line: i + 1 };
  });
}

/** The rules `Read(…)` in `permissions.deny`. */
function rulesOfSettings(text: string): readonly [readonly WrittenRule[], isBroken: boolean] {
  const [denied, isBroken] = deniedIn(text);
  let line = 1;
  let from = 0;
  const rules = denied.flatMap((written): readonly WrittenRule[] => {
    const rule = written.trim();
    if (!rule.startsWith('Read(') || !rule.endsWith(')')) return [];
    // The rules are in the order of the text. After one that is escaped otherwise there, the others have no line either.
    const at = from === -1 ? -1 : text.indexOf(JSON.stringify(written).slice(1, -1), from);
    if (at !== -1) line += text.slice(from, at).split('\n').length - 1;
    from = at;
    return [{ rule: written, line: at === -1 ? undefined : line }];
  });
  return [rules, isBroken];
}

/** The strings of `permissions.deny`; of a file that is no JSON, all that come after `deny`. */
function deniedIn(text: string): readonly [readonly string[], isBroken: boolean] {
  try {
    const settings = JSON.parse(text) as { permissions?: { deny?: unknown } | null } | null;
    const denied = [settings?.permissions?.deny ?? []].flat();
    const strings = denied.filter((one) => typeof one === 'string');
    return [strings, strings.length < denied.length];
  } catch {
    const [, ...lists] = text.split(/deny["']?\s*:/);
    const own = lists.flatMap((list) => list.split(/(?:allow|ask)["']?\s*:/, 1));
    const paths = own.flatMap((list) => list.split(/\bRead\(/).slice(1));
    return [paths.map((path) => `Read(${upToParenthesis(path)}`), true];
  }
}

/** The line up to the parenthesis that closes it; up to its last one if parentheses are left open; empty if it has none. */
function upToParenthesis(text: string): string {
  const [line = ''] = text.split('\n', 1);
  let open = 1;
  for (const { 0: one, index } of line.matchAll(/[()]/g)) {
    open += one === '(' ? 1 : -1;
    if (open === 0) return line.slice(0, index + 1);
  }
  return line.slice(0, line.lastIndexOf(')') + 1);
}

/**
 * Absolute patterns for rules `Read(…)`: `//etc/x` from the root of the file system, `~/x` in the home directory, `/x`, `./x`
 * and `a/x` in the project, `x` at every depth of it. Source: "Permissions" of the documentation of Claude Code.
 */
function readPatterns(project: string): (written: WrittenRule) => string[] {
  const known = new Map<string, readonly string[]>();
  const home = homedir();
  /** The pattern `rest` in a directory, by its path and by its real path. */
  const patternsIn = (directory: string, rest: string): string[] => {
    const real = (): string => (isLocalPath(directory) ? realOf(directory) : directory);
    const paths = known.get(directory) ?? [...new Set([directory, real()])];
    known.set(directory, paths);
    return paths.map((path) => plainText(join(path, '/')) + rest);
  };
  return ({ rule }) => {
    const written = rule.trim().slice('Read('.length, -1).trim();
    if (written === '') return [];
    const above = /^(?:~\/|\/\/)/.exec(written)?.[0] ?? '';
    const path = posix.normalize(written.slice(above.length).replace(/^\/+/, '')).replace(/^\.(?:\/|$)/, '');
    if (above !== '' || path.startsWith('../')) {
      const plain = path.slice(0, `${path}*`.search(/[*?[\\]/));
      const front = plain.slice(0, plain.lastIndexOf('/') + 1);
      const base = above === '' ? project : above === '~/' ? home : '/';
      return patternsIn(resolve(base, front), path.slice(front.length));
    }
    const isAnchored = path === '' || withoutTrailingSlashes(written).includes('/');
    return [`${plainText(project)}/${isAnchored ? '' : '**/'}${path}`];
  };
}

function plainText(path: string): string {
  return path.replace(/[*?[\\!#]/g, String.raw`\$&`);
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  signal?.throwIfAborted();
  let forget = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    if (signal) forget = onAbort(signal, () => reject(signal.reason as Error));
  });
  return Promise.race([work, aborted]).finally(forget);
}

async function compare(rules: DenyRules): Promise<LinkedFiles> {
  const comparing = linkedBelow(rules);
  for (let step = comparing.next(); ;) {
    if (step.done) return step.value;
    step = comparing.next(await factsFor(step.value).catch(withoutFacts));
  }
}

async function factsFor(need: NeededFacts): Promise<KnownFacts> {
  if ('stat' in need) return lstat(need.stat);
  const entries: Dirent[] = [];
  for await (const entry of await opendir(need.list, { bufferSize: 512 })) {
    entries.push(entry);
    if (entries.length === need.most) break;
  }
  return entries;
}
