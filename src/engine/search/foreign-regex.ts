/**
 * Patterns in the syntax of other tools: the equivalent pattern here, or the nearest one that the engine
 * supports.
 */

import type { RegexHint } from '../../types/result.ts';
import { closerOf, partsOf } from './pattern-parts.ts';

/** Operators that need a backslash in grep and sed, and are plain characters without it. */
const OPERATORS = '|(){}+?';

const BAR = String.raw`\|`;

/** Longer patterns are not repeated in a message. */
const MOST_ECHOED = 200;

/**
 * The other syntax in which a pattern that finds nothing may be written; undefined if it shows no sign of
 * one.
 */
export function foreignRegex(pattern: string): RegexHint | undefined {
  const slashed = /^\/(.+)\/([dgimsuy]*)$/.exec(pattern);
  if (slashed) {
    const [, inner = '', flags = ''] = slashed;
    return { is: 'slashes', ...echoed(inner), ignoreCase: flags.includes('i') };
  }
  const parts = partsOf(pattern);
  if (!hasBasicOperators(parts)) return undefined;
  // Bare groups belong to this syntax, so only the bar is from the other.
  const mixed = parts.some((part, at) => part.startsWith('(') && closerOf(parts, at) !== undefined);
  const here = mixed ? parts.map((part) => (part === BAR ? '|' : part)) : parts.map(extended);
  return { is: 'escaped-operators', ...echoed(here.join('')) };
}

/** The basic syntax of POSIX: an escaped `|`, `+`, `?`, a group that is not empty, or a count. */
function hasBasicOperators(parts: readonly string[]): boolean {
  if (parts.includes(BAR)) return true;
  if (parts.slice(1).some((part) => part === String.raw`\+` || part === String.raw`\?`)) return true;
  const text = parts.join('');
  // A group alone means nothing there: it is one to repeat or to refer to. Else it is a call with arguments.
  const group = /\\\((?!\\\)).*?\\\)(?:\*|\\\{)/.test(text) || /\\\((?!\\\)).*?\\\).*\\[1-9]/.test(text);
  return group || /\\\{\d+(?:,\d*)?\\\}/.test(text);
}

/** Whether `pattern` finds the bar in `a|b` where `a` or `b` was surely meant. */
export function hasEscapedBar(pattern: string): boolean {
  return /\w\\\|\w/.test(pattern);
}

/** With operators bare and what is plain escaped; a count after what is surely no plain text stays one. */
function extended(part: string, i: number, parts: readonly string[]): string {
  const [first = '', second = ''] = part;
  if (first === '\\' && OPERATORS.includes(second)) return second;
  if (part.length > 1 || !OPERATORS.includes(first)) return part;
  const before = parts[i - 1] ?? '';
  const counts = '+?{'.includes(first) && (before === '.' || before.length > 1);
  return counts || first === '}' ? part : `\\${part}`;
}

function echoed(pattern: string): { readonly pattern?: string } {
  return pattern.length <= MOST_ECHOED && isValid(pattern) ? { pattern } : {};
}

/** This check is good enough: both syntaxes agree on brackets and counts. */
function isValid(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'v').source !== '(?:)';
  } catch {
    return isValidLoosely(pattern);
  }
}

function isValidLoosely(pattern: string): boolean {
  try {
    return new RegExp(pattern).source !== '(?:)';
  } catch {
    return false;
  }
}

const LOOK_AROUND = /^\(\?<?[=!]$/;

/**
 * A pattern without look-around and backreferences that matches every line which the given one matches, and perhaps more.
 * Undefined if it has neither, or where nothing plain would be left.
 */
export function relaxed(pattern: string): string | undefined {
  if (pattern.length > MOST_ECHOED) return undefined;
  let known = withoutReferences(pattern);
  for (let before = ''; before !== known;) {
    before = known;
    known = withoutLookAround(known);
  }
  return known !== pattern && /\w/.test(known) && isValid(known) ? known : undefined;
}

/** Without the first look-around. What must follow at the end, or precede the start, is matched instead. */
function withoutLookAround(pattern: string): string {
  const parts = partsOf(pattern);
  const start = parts.findIndex((part) => LOOK_AROUND.test(part));
  const end = start === -1 ? undefined : closerOf(parts, start);
  if (end === undefined) return pattern;
  const [before, after] = [parts.slice(0, start).join(''), parts.slice(end + 1).join('')];
  const inner = `(?:${parts.slice(start + 1, end).join('')})`;
  const opener = parts[start];
  if (opener === '(?=' && after === '') return before + inner;
  if (opener === '(?<=' && before === '') return inner + after;
  // A line is asked for with `(?=.*a)(?=.*b)` too: one of them is better than all lines.
  const isOnly = opener === '(?=' && !/\w/.test((before + after).replaceAll(/\\\w/g, ''));
  return isOnly ? inner : before + after;
}

/** Each backreference as what the group may match. */
function withoutReferences(pattern: string): string {
  const parts = partsOf(pattern);
  const groups = parts.flatMap((part, i) => (part === '(' || /^\(\?P?<\w/.test(part) ? [i] : []));
  return parts
    .map((part) => {
      const no = /^\\([1-9])$/.exec(part)?.[1];
      if (no === undefined) return /^\\k[<{]/.test(part) ? '.*' : part;
      const start = groups[Number(no) - 1];
      const end = start === undefined ? undefined : closerOf(parts, start);
      return start === undefined || end === undefined ? '.*' : `(?:${parts.slice(start + 1, end).join('')})`;
    })
    .join('');
}
