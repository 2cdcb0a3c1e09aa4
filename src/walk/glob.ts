/**
 * The semantics of globs, the same for `find` and for the `glob` of `grep`: a filter on paths that is applied after
 * `.gitignore`. (ripgrep's own `--glob` overrides ignore files: with `**` it would search node_modules.)
 */

import { join, relative } from 'node:path';
import { OrielError } from '../errors.ts';
import { quote } from '../text/visible.ts';
import type { Hint } from '../types/result.ts';
import { Automaton } from './automaton.ts';
import { expandBraces } from './braces.ts';
import { anyDepthTokens, pathTokens, textTokens, type Token } from './tokens.ts';

const MOST_CHARACTERS = 1000;
const MOST_ALTERNATIVES = 256;

/**
 * Throws `BAD_INPUT` for a glob that is too long or expands to too many patterns. Returns a hint if the glob uses syntax
 * of other tools that is plain text here; the hint is shown if nothing was found.
 */
export function checkGlob(pattern: string): Hint | undefined {
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
export function compileGlob(pattern: string): Automaton {
  const all = expanded(pattern);
  const excluded = all.filter(isExcluding).map((one) => one.slice(1));
  const wanted = all.filter((one) => !isExcluding(one));
  const positive = [
    ...(wanted.length === 0 ? ['**'] : wanted).map(tokensOf),
    ...(excluded.length === 0 ? [textTokens(withoutDot(pattern))] : []),
  ];
  const negative = excluded.flatMap((one) => [tokensOf(one), tokensOf(below(one))]);
  return new Automaton([...positive, ...negative], positive.length);
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
  if (!isNamed || 2 * pattern.length > MOST_CHARACTERS) return pattern;
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
  if (pattern.length > MOST_CHARACTERS) {
    const why = `The glob is ${pattern.length} characters long; at most ${MOST_CHARACTERS} are allowed.`;
    throw new OrielError('BAD_INPUT', why, { next: '**/*.ts' });
  }
  const patterns = expandBraces(pattern, MOST_ALTERNATIVES, { singles: true });
  if (patterns) return [...patterns, ...listed(pattern)];
  const why = `The glob ${quote(pattern)} stands for more than ${MOST_ALTERNATIVES} patterns. Use * in place of alternatives.`;
  throw new OrielError('BAD_INPUT', why, { next: '**/*.ts' });
}

/** The single patterns of a list such as `*.ts, *.js`; empty if it is not a list. The whole is also matched as one name. */
function listed(pattern: string): string[] {
  if (!pattern.includes(',') || pattern.includes('[')) return [];
  const parts = expandBraces(`{${pattern}}`, MOST_ALTERNATIVES)?.map((part) => part.trim()) ?? [];
  // If all commas are inside inner braces, the added outer brace is text and stays in front.
  return parts.every(
    (part) => (isExcluding(part) || /\*.*[./]|[./].*\*/s.test(part)) && !part.startsWith('{'),
  )
    ? parts
    : [];
}

function tokensOf(pattern: string): Token[] {
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
