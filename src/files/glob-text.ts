/** Globs as texts: alternatives in braces, joining two globs, and errors for malformed ones. */

import { OrielError } from '../errors.ts';
import { oneLine, quote } from '../text/visible.ts';

// `{a,b}` in wildcard patterns: one pattern with alternatives becomes plain patterns, up to a bound.

/** The indices (0-based) of the commas and of the closing brace of a group in the pattern. */
interface Group {
  readonly commas: readonly number[];
  readonly close: number;
}

/**
 * The patterns that `pattern` stands for, or undefined when there are more than `most`. `"{a,b}{c,d}"` → ac, ad, bc, bd. A
 * brace without a comma or without its partner is text: `{1..9}` is the name `{1..9}`. `singles`: a brace with one alternative
 * may be both, `"{a}"` → a, {a}, if there are not too many of them.
 */
export function expandBraces(
  pattern: string,
  most: number,
  { singles = false }: { readonly singles?: boolean | undefined } = {},
): string[] | undefined {
  const groups = groupsOf(pattern, singles);
  if (groups === undefined) return undefined;
  const all = expand(pattern, 0, pattern.length, groups, most);
  return all === undefined && singles ? expandBraces(pattern, most) : all;
}

/** Maximum braces in each other: they are expanded recursively. */
const MAX_BRACE_DEPTH = 500;

/**
 * Groups by the index of their opening brace; undefined if they are nested too deep. Takes a single pass, because the pattern
 * may be hostile.
 */
function groupsOf(pattern: string, singles: boolean): Map<number, Group> | undefined {
  const groups = new Map<number, Group>();
  const open: { at: number; commas: number[] }[] = [];
  for (let i = 0; i < pattern.length; i += 1) {
    const character = pattern[i];
    if (character === '\\') i += 1;
    else if (character === '{') open.push({ at: i, commas: [] });
    else if (character === ',') open.at(-1)?.commas.push(i);
    else if (character === '}') {
      const group = open.pop();
      if (!group) continue;
      const { at, commas } = group;
      if (open.length >= MAX_BRACE_DEPTH) return undefined;
      const isGroup = commas.length > 0 || (singles && isAlternative(pattern.slice(at + 1, i)));
      if (isGroup) groups.set(at, { commas, close: i });
    }
  }
  return groups;
}

function isAlternative(text: string): boolean {
  return text !== '' && !text.includes('..');
}

function expand(
  pattern: string,
  from: number,
  to: number,
  groups: ReadonlyMap<number, Group>,
  most: number,
): string[] | undefined {
  let done: string[] = [''];
  let textFrom = from;
  for (let at = from; at < to; at += 1) {
    const group = groups.get(at);
    if (!group) continue;
    const endings = alternatives(pattern, at, group, groups, most);
    if (endings === undefined || done.length * endings.length > most) return undefined;
    const text = pattern.slice(textFrom, at);
    done = done.flatMap((start) => endings.map((ending) => start + text + ending));
    at = group.close;
    textFrom = group.close + 1;
  }
  const text = pattern.slice(textFrom, to);
  return done.map((start) => start + text);
}

function alternatives(
  pattern: string,
  at: number,
  { commas, close }: Group,
  groups: ReadonlyMap<number, Group>,
  most: number,
): string[] | undefined {
  const all: string[] = [];
  let from = at + 1;
  for (const end of [...commas, close]) {
    const expanded = expand(pattern, from, end, groups, most - all.length);
    if (expanded === undefined) return undefined;
    all.push(...expanded);
    from = end + 1;
  }
  if (commas.length > 0) return all;
  // `{!a}` only excludes.
  const names = all.filter((one) => !one.startsWith('!')).map((one) => `{${one}}`);
  const both = new Set([...all, ...names]);
  return both.size > most ? undefined : [...both];
}

/** Globs that match every name. */
const ALL = /^(?:\*+\/)*\*+$/;

/** The glob for all files at a path with the glob `path`, whose last name may be that of a file or of a directory. */
export function globAtPath(path: string): string {
  const last = path.slice(path.lastIndexOf('/') + 1);
  // Names with an extension are usually those of files.
  return ALL.test(path) || last === '' || last.includes('.') ? path : `{${path},${path}/**}`;
}

// Refuses malformed globs, which would match almost nothing. The rules are those of ripgrep's `globset`, but a range that
// runs backwards is accepted: `app/[post-id]/page.tsx` may be a file.

/** The most characters of a glob that is repeated in a suggested call. */
const MAX_ECHOED_GLOB_CHARACTERS = 200;

/** Throws `BAD_INPUT` for an empty or malformed glob, with a valid one in its place. `field`: the field that holds it. */
export function checkGlobSyntax(glob: string, field: 'pattern' | 'glob'): void {
  if (glob === '') throw new OrielError('BAD_INPUT', `The glob is empty. Use ${field} **.`, { next: '**' });
  const { fault, mended } = scanned(glob);
  if (fault === undefined) return;
  const why = `${quote(glob)} is not a valid glob: ${fault}.`;
  const next = mended.length <= MAX_ECHOED_GLOB_CHARACTERS ? mended : '**';
  throw new OrielError('BAD_INPUT', `${why} Use ${field} ${oneLine(next)}.`, { next });
}

/** The glob, or a valid one in its place. */
export function validGlob(glob: string): string {
  return scanned(glob).mended;
}

interface Scanned {
  /** The first problem; undefined for a valid glob. */
  readonly fault: string | undefined;
  /** The glob with all problems mended. */
  readonly mended: string;
}

/** Takes a single pass, because the glob may be hostile. */
function scanned(glob: string): Scanned {
  const parts = [...glob];
  const lastClosing = parts.lastIndexOf(']');
  const open: number[] = [];
  let fault: string | undefined;
  const escape = (at: number, problem: string): void => {
    fault ??= `${parts[at]} at character ${at + 1} ${problem}`;
    parts[at] = `\\${parts[at]}`;
  };
  for (let i = 0; i < parts.length; i += 1) {
    const character = parts[i];
    if (character === '\\') {
      if (i === parts.length - 1) escape(i, 'escapes nothing');
      i += 1;
    } else if (character === '[') {
      const first = i + (parts[i + 1] === '!' || parts[i + 1] === '^' ? 2 : 1);
      // A `]` directly after the opening is a member.
      if (first < lastClosing) i = parts.indexOf(']', first + 1);
      else escape(i, 'is not closed');
    } else if (character === '{') open.push(i);
    else if (character === '}' && open.pop() === undefined) escape(i, 'closes nothing');
  }
  const closing: string[] = [];
  for (const at of open) {
    if (at === parts.length - 1) escape(at, 'is not closed');
    else {
      fault ??= `{ at character ${at + 1} is not closed`;
      closing.push('}');
    }
  }
  return { fault, mended: [...parts, ...closing].join('') };
}
