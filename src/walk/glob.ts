/**
 * What a glob means, the same for `find` and for the `glob` of `grep`: a filter on paths, applied after `.gitignore`.
 * (ripgrep's own `--glob` overrides ignore files: `**` would search node_modules.)
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
 * Refuses a glob that is too long or stands for too many, with `BAD_INPUT`. Resolves to a hint where it uses syntax of
 * other tools that is plain text here: worth saying where nothing was found.
 */
export function checkGlob(pattern: string): Hint | undefined {
  expanded(pattern);
  if (/[*+?@!]\(/.test(pattern)) return 'extended-glob';
  if (/\{[^{},]*\.\.[^{},]*\}/.test(pattern)) return 'brace-range';
  return undefined;
}

/**
 * Accepts the paths that match, relative to the searched directory. Without a slash a pattern is tried on the name
 * alone, at every depth; with one, on the whole path. `**` stands for any number of directories. A path that is the
 * pattern letter for letter matches too: `app/[id]/page.tsx` is a file. A pattern with `!` in front excludes what it
 * matches, and what is below such a directory. Throws as `checkGlob` does.
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
 * A pattern that begins with the searched directory (real, absolute), as an absolute path or as one from the working
 * directory: `src/*.ts` in `src` stands for the files below `src` as well as for `src/src`. Others stay as they are.
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

/** A name without a slash would be tried at every depth. */
function anchored(pattern: string): string {
  return pattern.includes('/') ? pattern : `/${pattern}`;
}

/** `!*.test.ts`; `!(a)` is an extended glob of a shell. */
function isExcluding(pattern: string): boolean {
  return /^!(?!\()./.test(pattern);
}

/** What is below a directory that `pattern` matches, at any depth where it has no slash. */
function below(pattern: string): string {
  const name = pattern.replace(/\/$/, '');
  return name.includes('/') ? `${name}/**` : `**/${name}/**`;
}

function expanded(pattern: string): string[] {
  if (pattern.length > MOST_CHARACTERS) {
    const why = `The glob is ${pattern.length} characters long; at most ${MOST_CHARACTERS} are allowed.`;
    throw new OrielError('BAD_INPUT', why, { next: '**/*.ts' });
  }
  const patterns = expandBraces(pattern, MOST_ALTERNATIVES);
  if (patterns) return [...patterns, ...listed(pattern)];
  const why = `The glob ${quote(pattern)} stands for more than ${MOST_ALTERNATIVES} patterns. Use * in place of alternatives.`;
  throw new OrielError('BAD_INPUT', why, { next: '**/*.ts' });
}

/** Of `*.ts, *.js` each pattern of the list, beside the one for names with a comma. */
function listed(pattern: string): string[] {
  if (!pattern.includes(',') || pattern.includes('[')) return [];
  const parts = expandBraces(`{${pattern}}`, MOST_ALTERNATIVES)?.map((part) => part.trim()) ?? [];
  // Without a comma outside of braces the bracket in front is text.
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
  // "src/" means what is in it.
  return pathTokens(path.endsWith('/') ? `${path}**` : path);
}

function withoutDot(pattern: string): string {
  return pattern.startsWith('./') ? pattern.slice(2) : pattern;
}
