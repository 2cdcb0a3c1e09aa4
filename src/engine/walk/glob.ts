/**
 * Owns what a glob means, the same for `find` and for the `glob` of `grep`: a filter on paths, applied after
 * `.gitignore`. (ripgrep's own `--glob` overrides ignore files: `**` would search node_modules.)
 */

import { OrielError } from '../../errors.ts';
import { quote } from '../../text/visible.ts';
import type { Hint } from '../../types/result.ts';
import { expandBraces } from './braces.ts';
import { type NameTest, compileSegment } from './segment.ts';

export interface Glob {
  /** `path` is relative to the searched directory, with `/` between its names. */
  matches(path: string): boolean;
  /** Syntax of other tools that is plain text here: worth saying where nothing was found. */
  readonly hint: Hint | undefined;
}

const MOST_CHARACTERS = 1000;
const MOST_ALTERNATIVES = 256;

/** Any number of folders. */
const ANY_DEPTH = Symbol('**');
type Segment = NameTest | typeof ANY_DEPTH;

/**
 * Without a slash a pattern is tried on the name alone, at every depth; with one, on the whole path. `**` stands for
 * any number of folders. A path that is the pattern letter for letter matches too: `app/[id]/page.tsx` is a file.
 * Throws `BAD_INPUT` for a pattern that is too long or stands for too many.
 */
export function compileGlob(pattern: string): Glob {
  if (pattern.length > MOST_CHARACTERS) {
    const why = `The glob is ${pattern.length} characters long; at most ${MOST_CHARACTERS} are allowed.`;
    throw new OrielError('BAD_INPUT', why, { next: '**/*.ts' });
  }
  const expanded = expandBraces(pattern, MOST_ALTERNATIVES);
  if (expanded === undefined) {
    const why = `The glob ${quote(pattern)} stands for more than ${MOST_ALTERNATIVES} patterns. Use * in place of alternatives.`;
    throw new OrielError('BAD_INPUT', why, { next: '**/*.ts' });
  }
  const tests = expanded.map(compilePattern);
  const literal = withoutDot(pattern);
  return {
    matches: (path) => path === literal || tests.some((test) => test(path)),
    hint: foreignSyntax(pattern),
  };
}

function compilePattern(pattern: string): (path: string) => boolean {
  const plain = withoutDot(pattern);
  const anchored = plain.startsWith('/') ? plain.slice(1) : plain;
  // "**/*.ts" is the common way to write "*.ts".
  const name = plain.startsWith('**/') ? plain.slice(3) : plain;
  if (name !== '' && !name.includes('/')) {
    const test = compileSegment(name);
    return (path) => test(path.slice(path.lastIndexOf('/') + 1));
  }
  // "src/" means what is in it.
  const parts = (anchored.endsWith('/') ? `${anchored}**` : anchored).split('/');
  const segments = parts
    .map((part): Segment => (part === '**' ? ANY_DEPTH : compileSegment(part)))
    .filter((segment, i, all) => segment !== ANY_DEPTH || all[i - 1] !== ANY_DEPTH);
  // "src/**" is what lies below src, not src itself.
  if (segments.at(-1) === ANY_DEPTH) segments.push(compileSegment('*'));
  return (path) => matchesSegments(segments, path.split('/'));
}

/** As for one name: only the last `**` is ever tried again. */
function matchesSegments(segments: readonly Segment[], names: readonly string[]): boolean {
  let segment = 0;
  let at = 0;
  let any = -1;
  let resume = 0;
  while (at < names.length) {
    const now = segments[segment];
    if (now === ANY_DEPTH) {
      any = segment;
      resume = at;
      segment += 1;
    } else if (now?.(names[at] as string)) {
      segment += 1;
      at += 1;
    } else if (any !== -1) {
      resume += 1;
      at = resume;
      segment = any + 1;
    } else return false;
  }
  return segment === segments.length;
}

function withoutDot(pattern: string): string {
  return pattern.startsWith('./') ? pattern.slice(2) : pattern;
}

function foreignSyntax(pattern: string): Hint | undefined {
  if (/[*+?@!]\(/.test(pattern)) return 'extended-glob';
  if (/\{[^{},]*\.\.[^{},]*\}/.test(pattern)) return 'brace-range';
  return undefined;
}
