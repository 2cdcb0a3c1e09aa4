/**
 * Which files are private now: the rules of the option `deny`, and those that hosts publish in the project. Rule files are looked
 * at before every open, by their identity, so that a change holds from the next open on.
 */

import { createHash } from 'node:crypto';
import { type BigIntStats, lstatSync, type Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { isOrielError } from '../errors.ts';
import { readAt } from '../text/bytes.ts';
import { decode, detectEncoding, HEAD_BYTES } from '../text/encoding.ts';
import { quote } from '../text/visible.ts';
import type { DenyRule, DenySource, OpenedItem } from '../types/access.ts';
import {
  DEFAULT_DENY,
  DenyRules,
  isCurrent,
  linkedBelow,
  type LinkedFiles,
  linkedRule,
} from './deny-rules.ts';
import { isLocalPath } from './mounts.ts';
import { realOf } from './kept-files.ts';

export interface DenyOptions {
  /** Patterns in gitignore syntax, relative to each of `projects` and of the roots. The default list comes first, if it holds. */
  readonly patterns: readonly string[];
  /** Real paths of the directories in which the rule files of hosts are. */
  readonly projects: readonly string[];
  /** `--deny`, or how the option is called otherwise. */
  readonly name: string;
}

/** What hosts read: lists in gitignore syntax, and settings with rules for tools. */
const LISTS = ['.cursorignore', '.geminiignore', '.aiexclude', '.aiignore', '.codeiumignore'];
const SETTINGS = ['.claude/settings.json', '.claude/settings.local.json'];

const MAX_RULE_FILE_BYTES = 1 << 20;

/** A file may change again within so many milliseconds without another time of change. */
const FRESH_MS = 100;

interface ReadRuleFile {
  /** Of the file that was read; undefined if it has to be read again. */
  readonly version: string | undefined;
  readonly source: DenySource | undefined;
}

export class DenyPolicy {
  readonly #options: DenyOptions;
  readonly #bases: readonly string[];
  /** Opens a path inside the projects without regard to these rules. */
  readonly #open: (path: string) => Promise<OpenedItem>;
  readonly #files = new Map<string, ReadRuleFile>();
  readonly #warned = new Set<string>();
  #rules: DenyRules | undefined;
  #linked: { readonly key: string; readonly files: Promise<LinkedFiles>; readonly began: number } | undefined;

  constructor(options: DenyOptions, roots: readonly string[], open: (path: string) => Promise<OpenedItem>) {
    this.#options = options;
    this.#open = open;
    // A name without a slash is meant everywhere, also where there are no roots.
    this.#bases = [...new Set([...options.projects, ...(roots.length > 0 ? roots : ['/'])])];
  }

  /** Throws `BUSY` if a rule file cannot be opened for now. */
  async current(): Promise<DenyRules> {
    let isChanged = this.#rules === undefined;
    for (const project of this.#options.projects) {
      for (const name of [...SETTINGS, ...LISTS]) {
        const path = join(project, name);
        const looking = versionOf(path);
        const version = looking instanceof Promise ? await looking : looking;
        const known = this.#files.get(path);
        if (known === undefined ? version === '' : version !== undefined && known.version === version)
          continue;
        isChanged = true;
        if (version === '') this.#files.delete(path);
        else this.#files.set(path, { version, source: await this.#read(project, name) });
      }
    }
    if (!isChanged && this.#rules) return this.#rules;
    const files = [...this.#files.values()].flatMap(({ source }) => source ?? []);
    const sources = [...this.#bases.map((base) => this.#listed(base)), ...files];
    const key = createHash('sha256').update(JSON.stringify(sources)).digest('base64url');
    const { projects } = this.#options;
    if (this.#rules?.data.key !== key) this.#rules = new DenyRules({ key, sources, projects });
    return this.#rules;
  }

  /** The rule that makes the file private under another of its names. */
  async linked(rules: DenyRules, stats: BigIntStats | Stats): Promise<DenyRule | undefined> {
    const began = Date.now();
    const known = this.#linked?.key === rules.data.key ? await this.#linked.files : undefined;
    if (known && isCurrent(known, stats, began)) return linkedRule(known, stats);
    // Calls that wait share one comparison that began after them.
    if (this.#linked?.key !== rules.data.key || this.#linked.began < began)
      this.#linked = { key: rules.data.key, began: Date.now(), files: compare(rules) };
    return linkedRule(await this.#linked.files, stats);
  }

  #listed(base: string): DenySource {
    const { patterns, name } = this.#options;
    const isDefault = DEFAULT_DENY.every((pattern, i) => patterns[i] === pattern);
    const rules = patterns.map((pattern, i) =>
      isDefault && i < DEFAULT_DENY.length
        ? { pattern, rule: pattern, from: 'the default list', lift: 'with --allow-private' }
        : { pattern, rule: pattern, from: name, lift: `in ${name}` },
    );
    return { base, rules };
  }

  async #read(project: string, name: string): Promise<DenySource | undefined> {
    const path = join(project, name);
    try {
      const opened = await this.#open(path);
      try {
        if (opened.kind !== 'file') throw new Error('it is a directory');
        if (opened.size > MAX_RULE_FILE_BYTES) this.#warn(path, 'only its first 1 MiB is read');
        const bytes = await readAt(opened.bytes, 0, Math.min(opened.size, MAX_RULE_FILE_BYTES));
        const { text } = decode(bytes, detectEncoding(bytes.subarray(0, HEAD_BYTES)));
        const shown = project === this.#options.projects[0] ? name : path;
        if (LISTS.includes(name)) return { base: project, rules: rulesOfList(text, shown) };
        const { rules, isBroken } = rulesOfSettings(text, project, shown);
        if (isBroken) this.#warn(path, 'it is not valid JSON; what looks like a rule holds');
        return { base: '/', rules };
      } finally {
        await opened.close();
      }
    } catch (error) {
      if (isOrielError(error) && error.code === 'BUSY') throw error;
      if (!isOrielError(error) || error.code !== 'NOT_FOUND') this.#warn(path, (error as Error).message);
      return undefined;
    }
  }

  #warn(path: string, why: string): void {
    const sentence = `The rules for private files in ${quote(path)} hold in part, or not at all: ${why.replace(/\.$/, '')}.`;
    if (this.#warned.has(sentence)) return;
    this.#warned.add(sentence);
    process.emitWarning(sentence, { code: 'ORIEL_DENY' });
  }
}

/** Empty if there is no such file; undefined if it has to be read each time. */
function versionOf(path: string): string | undefined | Promise<string | undefined> {
  const facts = (stats: BigIntStats | undefined): string | undefined => {
    if (!stats) return '';
    const { dev, ino, size, mtimeNs, ctimeNs } = stats;
    const isFresh = Date.now() - Number(stats.ctimeMs) < FRESH_MS;
    return isFresh || stats.isSymbolicLink() ? undefined : [dev, ino, size, mtimeNs, ctimeNs].join(' ');
  };
  if (!isLocalPath(path)) return lstat(path, { bigint: true }).then(facts, () => '');
  try {
    return facts(lstatSync(path, { bigint: true, throwIfNoEntry: false }));
  } catch {
    return '';
  }
}

function rulesOfList(text: string, from: string): DenyRule[] {
  return text.split('\n').flatMap((written, i) => {
    // Blanks around a pattern are hardly ever part of a name.
    const line = written.trim();
    const pattern = written.trimEnd().endsWith('\\') ? `${line} ` : line;
    if (pattern === '' || pattern.startsWith('#')) return [];
    return { pattern, rule: line, from, line: i + 1, lift: 'there' };
  });
}

/** The rules `Read(…)` in `permissions.deny`. Their patterns are absolute. */
function rulesOfSettings(
  text: string,
  project: string,
  from: string,
): { readonly rules: DenyRule[]; readonly isBroken: boolean } {
  const [denied, isBroken] = deniedIn(text);
  const rules = denied.flatMap((written) => {
    const [, path = ''] = /^\s*Read\((.*)\)\s*$/s.exec(written) ?? [];
    const at = text.indexOf(JSON.stringify(written));
    const line = at === -1 ? undefined : text.slice(0, at).split('\n').length;
    return patternsOfRead(path.trim(), project).map((pattern) => ({
      pattern,
      rule: written,
      from,
      line,
      lift: 'there',
    }));
  });
  return { rules, isBroken };
}

/** The strings of `permissions.deny`; of a file that is no JSON, all that come after `deny`. */
function deniedIn(text: string): readonly [readonly string[], isBroken: boolean] {
  try {
    const settings = JSON.parse(text) as { permissions?: { deny?: unknown } | null } | null;
    const deny = settings?.permissions?.deny ?? [];
    const strings = Array.isArray(deny) ? deny.filter((one) => typeof one === 'string') : [];
    return [strings, !Array.isArray(deny) || strings.length < deny.length];
  } catch {
    const [, list = ''] = /["']?deny["']?\s*:\s*\[?(.*)/s.exec(text) ?? [];
    const [own = ''] = list.split(/["']?(?:allow|ask|defaultMode|additionalDirectories)["']?\s*:/, 1);
    return [own.match(/\bRead\([^)\n]*\)/g) ?? [], true];
  }
}

/**
 * Absolute patterns for the path of a rule: `//etc/x` from the root of the file system, `~/x` in the home directory, `/x`, `./x`
 * and `a/x` in the project, `x` at every depth of it. Source: "Permissions" of the documentation of Claude Code.
 */
function patternsOfRead(path: string, project: string): string[] {
  if (path === '') return [];
  if (path.startsWith('~/')) return patternsIn(homedir(), path.slice(2));
  const isElsewhere = path.startsWith('//') || path.startsWith('../');
  if (isElsewhere) {
    const [front = ''] = /^[^*?[\\]*\//.exec(path) ?? [];
    return patternsIn(
      path.startsWith('//') ? join(front) : resolve(project, front),
      path.slice(front.length),
    );
  }
  const inside = path.replace(/^(?:\.\/)+/, '/').replace(/^\/+/, '');
  const isAnchored =
    path.startsWith('/') || path.startsWith('./') || inside.replace(/\/+$/, '').includes('/');
  return [`${plainText(project)}/${isAnchored ? '' : '**/'}${inside}`];
}

/** The pattern `rest` in a directory, by its path and by its real path. */
function patternsIn(directory: string, rest: string): string[] {
  const real = isLocalPath(directory) ? realOf(directory) : directory;
  return [...new Set([directory, real])].map((path) => plainText(join(path, '/')) + rest);
}

function plainText(path: string): string {
  return path.replace(/[*?[\\!#]/g, String.raw`\$&`);
}

async function compare(rules: DenyRules): Promise<LinkedFiles> {
  const comparing = linkedBelow(rules);
  for (let step = comparing.next(); ;) {
    if (step.done) return step.value;
    const need = step.value;
    const asked = 'list' in need ? readdir(need.list, { withFileTypes: true }) : lstat(need.stat);
    step = comparing.next(await asked.catch(() => undefined));
  }
}
