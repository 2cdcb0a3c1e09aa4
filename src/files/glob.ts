/**
 * The semantics of globs, the same for `find` and for the `glob` of `grep`: a filter on paths that is applied after
 * `.gitignore`. (ripgrep's own `--glob` overrides ignore files: with `**` it would search node_modules.)
 */

import { relative } from 'node:path';
import { OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import type { SearchHint } from '../types/result.ts';
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

/** Where a glob is matched, as absolute paths: it may begin with the searched directory, as it is seen from `cwd`. */
export interface GlobPlace {
  /** Its real path, and the one by which it was named. */
  readonly directories: readonly string[];
  readonly cwd: string;
}

/**
 * A glob for paths relative to the searched directory. A pattern without a slash is matched against the file name at every
 * depth, one with a slash against the whole path. `**` matches any number of directories. Brackets match as characters too:
 * `app/[id]/*.tsx` also means a directory of that name; and so does a path that equals the whole pattern. A pattern that
 * begins with `!` excludes what it matches, and everything below a directory that it matches.
 *
 * With a `place`, a pattern that begins with the name of a directory may lead to the searched one, absolutely or from `cwd`:
 * in `src`, `src/*.ts` matches the files of `src` and those of `src/src`.
 */
export class Glob {
  readonly #literal: string;
  readonly #wanted: readonly PathPattern[];
  readonly #excluded: readonly PathPattern[];
  readonly #fronts: readonly GlobFront[];

  /** Throws as `checkGlob` does. */
  constructor(pattern: string, place?: GlobPlace) {
    const all = expanded(pattern);
    const excluded = all.filter(isExcluding).map((one) => one.slice(1));
    const wanted = all.filter((one) => !isExcluding(one));
    this.#literal = withoutDot(pattern);
    this.#wanted = (wanted.length === 0 ? ['**'] : wanted).map(patternOf);
    this.#excluded = excluded.flatMap((one) => [patternOf(one), patternOf(below(one))]);
    this.#fronts = place ? frontsOf(place, wanted, excluded) : [];
  }

  matches(path: string): boolean {
    const names = path.split('/');
    const { wanted, excluded } = this.#verdict(names, matchesPath);
    return (path === this.#literal || wanted) && !excluded;
  }

  /** Whether anything below the directory `path` may match. */
  mayMatchBelow(path: string): boolean {
    return this.#literal.startsWith(`${path}/`) || this.#verdict(path.split('/'), mayMatchBelow).wanted;
  }

  #verdict(
    names: readonly string[],
    fits: (pattern: PathPattern, names: readonly string[]) => boolean,
  ): { readonly wanted: boolean; readonly excluded: boolean } {
    let wanted = this.#wanted.some((one) => fits(one, names));
    let excluded = this.#excluded.some((one) => fits(one, names));
    for (const front of this.#fronts) {
      const whole = [...front.names, ...names];
      wanted ||= front.wanted.some((one) => fits(one, whole));
      excluded ||= front.excluded.some((one) => fits(one, whole));
    }
    return { wanted, excluded };
  }
}

/** Whether a glob may lead out of the searched directory: `~/x/*.md`, `/other/*.md`, `../x/*.md`. */
export function isElsewhere(pattern: string): boolean {
  return /^(?:~?\/|(?:\.\/)?\.\.\/|file:\/\/)./i.test(pattern);
}

/** The names that lead to the searched directory, and the patterns that begin with them. */
interface GlobFront {
  readonly names: readonly string[];
  readonly wanted: readonly PathPattern[];
  readonly excluded: readonly PathPattern[];
}

function frontsOf(
  { directories, cwd }: GlobPlace,
  wanted: readonly string[],
  excluded: readonly string[],
): GlobFront[] {
  const fronts: GlobFront[] = [];
  for (const way of new Set(directories.flatMap((path) => [path, relative(cwd, path)]))) {
    const names = way.split('/').filter((name) => name !== '');
    const first = way.startsWith('/') ? `/${names[0]}/` : `${names[0]}/`;
    if (names[0] === '..') continue;
    const begins = (pattern: string): boolean => withoutDot(pattern).startsWith(first);
    const front = {
      names,
      wanted: wanted.filter(begins).map(patternOf),
      excluded: excluded.filter(begins).flatMap((one) => [patternOf(one), patternOf(below(one))]),
    };
    if (front.wanted.length + front.excluded.length > 0) fronts.push(front);
  }
  return fronts;
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
  const parts = expandBraces(`{${pattern}}`, MAX_GLOB_ALTERNATIVES)?.map((part) => part.trim());
  // If all commas are inside inner braces, the added outer brace is text and stays in front.
  const isPattern = (part: string): boolean =>
    isExcluding(part) || (part.includes('*') && /[./]/.test(part) && !part.startsWith('{'));
  return parts?.every(isPattern) ? parts : [];
}

function patternOf(pattern: string): PathPattern {
  const plain = withoutDot(pattern);
  // "**/*.ts" is the common way to write "*.ts".
  const name = plain.startsWith('**/') ? plain.slice(3) : plain;
  if (name !== '' && !name.includes('/')) return [DEPTH, namedPart(name)];
  const path = plain.startsWith('/') ? plain.slice(1) : plain;
  // "src/" matches everything in that directory.
  return parsePattern(path.endsWith('/') ? `${path}**` : path, namedPart);
}

function withoutDot(pattern: string): string {
  return pattern.startsWith('./') ? pattern.slice(2) : pattern;
}

// Matching with two pointers: after a mismatch only the last star takes one more, which is enough, because the stars before
// it have matched as early as they can. The time is the length of the path times that of the pattern, whatever the number of
// stars. (Regular expressions, as of ignore 7.0.16, take 23 s for seven double stars and 60 names.)

/** A code point of a plain character, or a special token of a part between two slashes. */
type NameToken = number | CharacterClass;

interface CharacterClass {
  readonly not: boolean;
  readonly ranges: readonly (readonly [number, number])[];
}

/** Any one character. */
const ONE = -1;
/** Any number of characters. */
const RUN = -2;
/** A part that is any number of whole names. */
const DEPTH = '**';

/** A part between two slashes; with brackets, also the part in which they are plain characters. */
type PartPattern = readonly (readonly NameToken[])[] | typeof DEPTH;

type PathPattern = readonly PartPattern[];

/**
 * The pattern for whole paths: `**` as a part matches any number of names, as the last part at least one. More than two
 * stars mean the same as two, as in Git.
 */
function parsePattern(pattern: string, isPart: (part: string) => PartPattern = exactPart): PathPattern {
  const parts: PartPattern[] = [];
  for (const part of pattern.split('/')) {
    if (!/^\*{2,}$/.test(part)) parts.push(isPart(part));
    else if (parts.at(-1) !== DEPTH) parts.push(DEPTH);
  }
  return parts.at(-1) === DEPTH ? [...parts, [[RUN]]] : parts;
}

/** As in Git. */
function exactPart(part: string): PartPattern {
  return [nameTokens(part)];
}

function namedPart(part: string): PartPattern {
  return part.includes('[') ? [nameTokens(part), nameTokens(part, false)] : exactPart(part);
}

function matchesPath(pattern: PathPattern, names: readonly string[]): boolean {
  let [at, part, retryAt, retryPart] = [0, 0, -1, 0];
  while (at < names.length) {
    const wanted = pattern[part];
    if (wanted === DEPTH) [retryAt, retryPart] = [at, (part += 1)];
    else if (wanted && matchesName(wanted, names[at] as string)) {
      at += 1;
      part += 1;
    } else if (retryAt === -1) return false;
    else [at, part] = [(retryAt += 1), retryPart];
  }
  return part === pattern.length;
}

function mayMatchBelow(pattern: PathPattern, directory: readonly string[]): boolean {
  for (const [i, name] of directory.entries()) {
    const wanted = pattern[i];
    if (wanted === DEPTH) return true;
    if (!wanted || !matchesName(wanted, name)) return false;
  }
  return directory.length < pattern.length;
}

function matchesName(ways: Exclude<PartPattern, typeof DEPTH>, name: string): boolean {
  return ways.some((tokens) => matchesTokens(tokens, name));
}

function matchesTokens(tokens: readonly NameToken[], name: string): boolean {
  let [at, token, retryAt, retryToken] = [0, 0, -1, 0];
  while (at < name.length) {
    const wanted = tokens[token];
    const code = name.codePointAt(at) as number;
    if (wanted === RUN) [retryAt, retryToken] = [at, (token += 1)];
    else if (wanted !== undefined && takesCharacter(wanted, code)) {
      at += lengthOf(code);
      token += 1;
    } else if (retryAt === -1) return false;
    else {
      retryAt += lengthOf(name.codePointAt(retryAt) as number);
      [at, token] = [retryAt, retryToken];
    }
  }
  return tokens.length === (tokens[token] === RUN ? token + 1 : token);
}

function lengthOf(code: number): number {
  return code > 0xffff ? 2 : 1;
}

function takesCharacter(token: NameToken, code: number): boolean {
  if (typeof token === 'number') return token === code || token === ONE;
  return token.not !== token.ranges.some(([low, high]) => code >= low && code <= high);
}

/** The tokens of the part between two slashes. Malformed syntax is literal text, and so are brackets without `classes`. */
function nameTokens(part: string, classes = true): NameToken[] {
  const characters = [...part];
  const lastClosing = classes ? characters.lastIndexOf(']') : -1;
  const tokens: NameToken[] = [];
  for (let i = 0; i < characters.length; i += 1) {
    const character = characters[i] as string;
    const escaped = character === '\\' ? characters[i + 1] : undefined;
    const set = character === '[' && i < lastClosing ? classAt(characters, i) : undefined;
    if (escaped !== undefined) {
      tokens.push(codeOf(escaped));
      i += 1;
    } else if (set) {
      tokens.push(set.token);
      i = set.end;
    } else if (character === '?') tokens.push(ONE);
    else if (character !== '*') tokens.push(codeOf(character));
    else if (tokens.at(-1) !== RUN) tokens.push(RUN);
  }
  return tokens;
}

/** Of POSIX, without regard to languages: pairs of the first and the last character of each range. */
const NAMED_CLASSES: Readonly<Record<string, string>> = {
  alnum: '09AZaz',
  alpha: 'AZaz',
  blank: '\t\t  ',
  cntrl: '\0\x1f\x7f\x7f',
  digit: '09',
  graph: '!~',
  lower: 'az',
  print: ' ~',
  punct: '!/:@[`{~',
  space: '\t\r  ',
  upper: 'AZ',
  xdigit: '09AFaf',
};

/** The class that opens at index `at`; `end` is the index of its closing bracket. A `]` directly after `[` is a member. */
function classAt(
  characters: readonly string[],
  at: number,
): { readonly token: CharacterClass; readonly end: number } | undefined {
  const not = characters[at + 1] === '!' || characters[at + 1] === '^';
  const first = at + (not ? 2 : 1);
  const ranges: (readonly [number, number])[] = [];
  let end = first;
  const next = (): number => {
    if (characters[end] === '\\' && end + 1 < characters.length) end += 1;
    end += 1;
    return codeOf(characters[end - 1] as string);
  };
  while (end < characters.length) {
    if (characters[end] === ']' && end > first) return { token: { not, ranges }, end };
    const named = /^\[:([a-z]+):\]/.exec(characters.slice(end, end + 10).join(''));
    const known = named && NAMED_CLASSES[named[1] as string];
    if (known) {
      for (let i = 0; i < known.length; i += 2) ranges.push([known.charCodeAt(i), known.charCodeAt(i + 1)]);
      end += named[0].length;
      continue;
    }
    const low = next();
    const isRange = characters[end] === '-' && end + 1 < characters.length && characters[end + 1] !== ']';
    if (isRange) end += 1;
    ranges.push([low, isRange ? next() : low]);
  }
  return undefined;
}

function codeOf(character: string): number {
  return character.codePointAt(0) as number;
}

// One file of ignore rules (`.gitignore`, `.ignore`). Source: gitignore(5).

/** What the last matching rule says about an entry: ignored, or kept by a negated rule (`!`). */
export type IgnoreVerdict = 'ignored' | 'kept';

interface Rule {
  /** The position in the file; of two matching rules the later one decides. */
  readonly rank: number;
  readonly keeps: boolean;
  readonly directoriesOnly: boolean;
  /** The rule has a slash that is not its last character, so it is matched against the whole path. */
  readonly anchored: boolean;
  readonly pattern: string;
}

export class IgnoreFile {
  /** Rules without wildcards, by far the most common, by name or path: one lookup, even for many thousands of rules. */
  readonly #plainNames = new Map<string, Rule[]>();
  readonly #plainPaths = new Map<string, Rule[]>();
  /** All others, the last one first. */
  readonly #wild: (Rule & { readonly path: PathPattern })[] = [];

  /** The text of a file, or its lines, which may then contain line breaks. `parsed`: called with each rule. */
  constructor(text: string | readonly string[], parsed?: (rule: Rule) => void) {
    const lines = typeof text === 'string' ? text.replace(/^\ufeff/, '').split('\n') : text;
    for (const [rank, line] of lines.entries()) {
      const rule = parseRule(line, rank);
      if (!rule) continue;
      parsed?.(rule);
      const { pattern } = rule;
      const plain = rule.anchored ? this.#plainPaths : this.#plainNames;
      if (/[*?[\\]/.test(pattern)) this.#wild.unshift({ ...rule, path: parsePattern(pattern) });
      else if (!plain.get(pattern)?.push(rule)) plain.set(pattern, [rule]);
    }
  }

  /** The verdict of the last rule that matches `path` (relative to the directory of the file); undefined when none does. */
  verdict(path: string, isDirectory: boolean): IgnoreVerdict | undefined {
    const last = this.lastRule(path, isDirectory);
    return last && (last.keeps ? 'kept' : 'ignored');
  }

  /** The same rule, with its line (`rank`, 0-based). */
  lastRule(path: string, isDirectory: boolean): Pick<Rule, 'rank' | 'keeps'> | undefined {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const fits = (rule: Rule): boolean => isDirectory || !rule.directoriesOnly;
    let last = this.#plainNames.get(name)?.findLast(fits);
    const other = this.#plainPaths.get(path)?.findLast(fits);
    if (other && other.rank > (last?.rank ?? -1)) last = other;
    let names: readonly string[] | undefined;
    for (const rule of this.#wild) {
      if (last && last.rank > rule.rank) break;
      const matched = rule.anchored ? (names ??= path.split('/')) : [name];
      if (fits(rule) && matchesPath(rule.path, matched)) last = rule;
    }
    return last;
  }
}

/** `"!/build/"` → the directory `build` beside the ignore file is kept. Undefined for comments and blank lines. */
function parseRule(line: string, rank: number): Rule | undefined {
  let pattern = withoutBlanks(line.endsWith('\r') ? line.slice(0, -1) : line);
  if (pattern.startsWith('#')) return undefined;
  const keeps = pattern.startsWith('!');
  if (keeps) pattern = pattern.slice(1);
  const directoriesOnly = pattern.endsWith('/');
  if (directoriesOnly) pattern = pattern.slice(0, -1);
  const anchored = pattern.includes('/');
  if (pattern.startsWith('/')) pattern = pattern.slice(1);
  return pattern === '' ? undefined : { rank, pattern, keeps, directoriesOnly, anchored };
}

/** Removes trailing spaces, except one that is escaped with a backslash. */
function withoutBlanks(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ') end -= 1;
  return line.slice(0, line[end - 1] === '\\' ? end + 1 : end);
}
