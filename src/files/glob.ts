/**
 * The semantics of globs, the same for `find` and for the `glob` of `grep`: a filter on paths that is applied after
 * `.gitignore`. (ripgrep's own `--glob` overrides ignore files: with `**` it would search node_modules.)
 */

import { join, relative } from 'node:path';
import { OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import type { SearchHint } from '../types/result.ts';
import {
  anyDepthTokens,
  type AutomatonState,
  GlobAutomaton,
  type GlobToken,
  pathTokens,
  textTokens,
} from './automaton.ts';
import { expandBraces } from './glob-text.ts';

const MAX_GLOB_CHARACTERS = 1000;
const MAX_GLOB_ALTERNATIVES = 256;

/**
 * Throws `BAD_INPUT` for a glob that is too long or expands to too many patterns. Returns a hint if the glob uses syntax
 * of other tools that is plain text here; the hint is shown if nothing was found.
 */
export function checkGlob(pattern: string): SearchHint | undefined {
  expanded(pattern);
  if (/[*+?@!]\(/.test(pattern)) return 'extended-glob';
  if (/\{[^{},]*\.\.[^{},]*\}/.test(pattern)) return 'brace-range';
  return undefined;
}

/**
 * Compiles a glob to an automaton over paths relative to the searched directory. A pattern without a slash is matched
 * against the file name at every depth, one with a slash against the whole path. `**` matches any number of directories.
 * A path that equals the pattern literally matches too: `app/[id]/page.tsx` may be a file. A pattern that begins with
 * `!` excludes what it matches, and everything below a directory that it matches. Throws as `checkGlob` does.
 */
export function compileGlob(pattern: string): GlobAutomaton {
  const all = expanded(pattern);
  const excluded = all.filter(isExcluding).map((one) => one.slice(1));
  const wanted = all.filter((one) => !isExcluding(one));
  const positive = [
    ...(wanted.length === 0 ? ['**'] : wanted).map(tokensOf),
    ...(excluded.length === 0 ? [textTokens(withoutDot(pattern))] : []),
  ];
  const negative = excluded.flatMap((one) => [tokensOf(one), tokensOf(below(one))]);
  return new GlobAutomaton([...positive, ...negative], positive.length);
}

/**
 * Rewrites a pattern that begins with the searched directory (`directory`: real and absolute), given as an absolute path
 * or relative to `cwd`: `src/*.ts` for the directory `src` matches in `src` and also in `src/src`. Other patterns are
 * returned unchanged.
 */
export function globBelow(directory: string, cwd: string, pattern: string): string {
  const [, not = '', rest = ''] = /^(!?)(?:\.\/)?(.*)$/s.exec(pattern) ?? [];
  const absolute = join(directory, '/');
  if (rest.startsWith(absolute)) return not + anchored(rest.slice(absolute.length));
  const front = directory === cwd ? '' : relative(cwd, absolute) + '/';
  const isNamed = front !== '' && !front.startsWith('..') && rest.startsWith(front);
  if (!isNamed || 2 * pattern.length > MAX_GLOB_CHARACTERS) return pattern;
  return `${not}{${rest},${anchored(rest.slice(front.length))}}`;
}

/** A leading slash anchors a pattern without a slash, which would otherwise match at every depth. */
function anchored(pattern: string): string {
  return pattern.includes('/') ? pattern : `/${pattern}`;
}

/** Whether a pattern excludes (`!*.test.ts`). `!(a)` does not: it is an extended glob of shells. */
function isExcluding(pattern: string): boolean {
  return /^!(?!\()./.test(pattern);
}

/** The pattern for everything below a directory that `pattern` matches; at any depth if it has no slash. */
function below(pattern: string): string {
  const name = pattern.replace(/\/$/, '');
  return name.includes('/') ? `${name}/**` : `**/${name}/**`;
}

function expanded(pattern: string): string[] {
  if (pattern.length > MAX_GLOB_CHARACTERS) {
    const why = `The glob is ${pattern.length} characters long; at most ${MAX_GLOB_CHARACTERS} are allowed.`;
    throw new OrielError('BAD_INPUT', why, { next: '**/*.ts' });
  }
  const patterns = expandBraces(pattern, MAX_GLOB_ALTERNATIVES, { singles: true });
  if (patterns) return [...patterns, ...listed(pattern)];
  const why = `The glob ${quote(pattern)} stands for more than ${MAX_GLOB_ALTERNATIVES} patterns. Use * in place of alternatives.`;
  throw new OrielError('BAD_INPUT', why, { next: '**/*.ts' });
}

/** The single patterns of a list such as `*.ts, *.js`; empty if it is not a list. The whole is also matched as one name. */
function listed(pattern: string): string[] {
  if (!pattern.includes(',') || pattern.includes('[')) return [];
  const parts = expandBraces(`{${pattern}}`, MAX_GLOB_ALTERNATIVES)?.map((part) => part.trim()) ?? [];
  // If all commas are inside inner braces, the added outer brace is text and stays in front.
  return parts.every(
    (part) => (isExcluding(part) || /\*.*[./]|[./].*\*/s.test(part)) && !part.startsWith('{'),
  )
    ? parts
    : [];
}

function tokensOf(pattern: string): GlobToken[] {
  const plain = withoutDot(pattern);
  // "**/*.ts" is the common way to write "*.ts".
  const name = plain.startsWith('**/') ? plain.slice(3) : plain;
  if (name !== '' && !name.includes('/') && name !== '**') return anyDepthTokens(name);
  const path = plain.startsWith('/') ? plain.slice(1) : plain;
  // "src/" matches everything in that directory.
  return pathTokens(path.endsWith('/') ? `${path}**` : path);
}

function withoutDot(pattern: string): string {
  return pattern.startsWith('./') ? pattern.slice(2) : pattern;
}

// One file of ignore rules (`.gitignore`, `.ignore`), matched in time linear in the path. Source: gitignore(5).
//
// Tried instead: ignore 7.0.16. Its regular expression for a rule with seven double stars takes 23 s for a path of 60
// names, and five times as long for each further one (catastrophic backtracking). This takes 0.3 ms.

/** What the last matching rule says about an entry: ignored, or kept by a negated rule (`!`). */
export type IgnoreVerdict = 'ignored' | 'kept';

interface Rule {
  /** The position in the file; of two matching rules the later one decides. */
  readonly rank: number;
  readonly keeps: boolean;
  readonly directoriesOnly: boolean;
}

/** Matched incrementally during a walk: a state stands for the directories between the ignore file and the entry. */
export class IgnoreFile {
  /** The state in the directory of the ignore file itself. */
  readonly start: AutomatonState;
  /** Rules that are plain names, by far the most common: one map lookup, even for many thousands of rules. */
  readonly #plain = new Map<string, Rule[]>();
  /** Rules that are matched against the last name of a path. */
  readonly #names: Matcher;
  /** Rules that are matched against the path relative to the directory of the ignore file. */
  readonly #paths: Matcher;

  constructor(text: string) {
    const names = new MatcherParts();
    const paths = new MatcherParts();
    for (const [rank, line] of text
      .replace(/^\ufeff/, '')
      .split('\n')
      .entries()) {
      const parsed = parse(line);
      if (!parsed) continue;
      const rule: Rule = { rank, keeps: parsed.keeps, directoriesOnly: parsed.directoriesOnly };
      if (parsed.anchored) paths.add(parsed.pattern, rule);
      else if (/[*?[\\]/.test(parsed.pattern)) names.add(parsed.pattern, rule);
      else if (!this.#plain.get(parsed.pattern)?.push(rule)) this.#plain.set(parsed.pattern, [rule]);
    }
    this.#names = names.matcher();
    this.#paths = paths.matcher();
    this.start = this.#paths.automaton.start;
  }

  /** The state inside the directory `name`. */
  below(state: AutomatonState, name: string): AutomatonState {
    return this.#paths.automaton.run(state, `${name}/`);
  }

  /** The verdict of the last rule that matches; undefined when none does. */
  verdict(state: AutomatonState, name: string, isDirectory: boolean): IgnoreVerdict | undefined {
    const found = [
      this.#plain.get(name)?.findLast((rule) => isDirectory || !rule.directoriesOnly),
      this.#names.last(this.#names.automaton.start, name, isDirectory),
      this.#paths.last(state, name, isDirectory),
    ];
    let last: Rule | undefined;
    for (const rule of found) if (rule && rule.rank > (last?.rank ?? -1)) last = rule;
    return last && (last.keeps ? 'kept' : 'ignored');
  }
}

class MatcherParts {
  readonly #patterns: GlobToken[][] = [];
  readonly #rules: Rule[] = [];

  add(pattern: string, rule: Rule): void {
    this.#patterns.push(pathTokens(pattern));
    this.#rules.push(rule);
  }

  matcher(): Matcher {
    return new Matcher(new GlobAutomaton(this.#patterns), this.#rules);
  }
}

class Matcher {
  readonly automaton: GlobAutomaton;
  /** Rules by the index of their pattern. */
  readonly #rules: readonly Rule[];

  constructor(automaton: GlobAutomaton, rules: readonly Rule[]) {
    this.automaton = automaton;
    this.#rules = rules;
  }

  last(from: AutomatonState, name: string, isDirectory: boolean): Rule | undefined {
    if (this.#rules.length === 0) return undefined;
    for (const index of this.automaton.accepted(this.automaton.run(from, name))) {
      const rule = this.#rules[index] as Rule;
      if (isDirectory || !rule.directoriesOnly) return rule;
    }
    return undefined;
  }
}

interface Parsed {
  readonly pattern: string;
  readonly keeps: boolean;
  readonly directoriesOnly: boolean;
  /** The pattern has a slash that is not its last character, so it is matched against the whole path. */
  readonly anchored: boolean;
}

/** `"!/build/"` → the directory `build` beside the ignore file is kept. Undefined for comments and blank lines. */
function parse(line: string): Parsed | undefined {
  let pattern = withoutBlanks(line.endsWith('\r') ? line.slice(0, -1) : line);
  if (pattern === '' || pattern.startsWith('#')) return undefined;
  const keeps = pattern.startsWith('!');
  if (keeps) pattern = pattern.slice(1);
  const directoriesOnly = pattern.endsWith('/');
  if (directoriesOnly) pattern = pattern.slice(0, -1);
  const anchored = pattern.includes('/');
  if (pattern.startsWith('/')) pattern = pattern.slice(1);
  return pattern === '' ? undefined : { pattern, keeps, directoriesOnly, anchored };
}

/** Removes trailing spaces, except one that is escaped with a backslash. */
function withoutBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && line[end - 1] === ' ') end -= 1;
  return end < line.length && line[end - 1] === '\\' ? line.slice(0, end + 1) : line.slice(0, end);
}
