/**
 * Recognises patterns in the regex syntax of other tools, and gives the equivalent pattern here, or the nearest one that
 * the engine supports.
 */

import type { RegexHint } from '../../types/result.ts';
import { closerOf, partsOf } from './pattern-parts.ts';

/** Operators that need a backslash in grep and sed, and are plain characters without it. */
const OPERATORS = '|(){}+?';

const BAR = String.raw`\|`;

/** Longer patterns are not repeated in a message. */
const MOST_ECHOED = 200;

/**
 * The other syntax in which a pattern that finds nothing is probably written; undefined if there is no sign of one.
 */
export function foreignRegex(pattern: string): RegexHint | undefined {
  const slashed = /^\/(.+)\/([dgimsuy]*)$/.exec(pattern);
  if (slashed) {
    const [, inner = '', flags = ''] = slashed;
    return { is: 'slashes', ...echoed(inner), ignoreCase: flags.includes('i') };
  }
  const parts = partsOf(pattern);
  if (!hasBasicOperators(parts)) return undefined;
  // A group without backslashes is in our syntax, so only `\|` is from the other one.
  const mixed = parts.some((part, at) => part.startsWith('(') && closerOf(parts, at) !== undefined);
  const here = mixed ? parts.map((part) => (part === BAR ? '|' : part)) : parts.map(extended);
  return { is: 'escaped-operators', ...echoed(here.join('')) };
}

/** POSIX basic regular expressions: an escaped `|`, `+`, `?`, a repeated or referenced group, or an escaped count. */
function hasBasicOperators(parts: readonly string[]): boolean {
  if (parts.includes(BAR)) return true;
  if (parts.slice(1).some((part) => part === String.raw`\+` || part === String.raw`\?`)) return true;
  const text = parts.join('');
  // A group counts only if it is repeated or referenced. Otherwise `\(…\)` is probably a literal call with arguments.
  const group = /\\\((?!\\\)).*?\\\)(?:\*|\\\{)/.test(text) || /\\\((?!\\\)).*?\\\).*\\[1-9]/.test(text);
  return group || /\\\{\d+(?:,\d*)?\\\}/.test(text);
}

/** Whether `pattern` has `\|` between words: it matches a literal bar although an alternative was meant. */
export function hasEscapedBar(pattern: string): boolean {
  return /\w\\\|\w/.test(pattern);
}

/** Converts a part from basic to extended syntax: swaps escaped and bare operators; a count after `.` or a class stays. */
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

/** Checks with the JavaScript engine, which is close enough: both syntaxes agree on brackets and counts. */
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
 * A pattern without look-around and backreferences that matches all lines that the given one matches, and perhaps more.
 * Undefined if the pattern has neither, or if no word character would be left.
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

/** Removes the first look-around. A look-ahead at the end and a look-behind at the start become ordinary groups. */
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
  // For `(?=.*a)(?=.*b)`, one of the conditions is better than a pattern that matches all lines.
  const isOnly = opener === '(?=' && !/\w/.test((before + after).replaceAll(/\\\w/g, ''));
  return isOnly ? inner : before + after;
}

/** Replaces each backreference by the pattern of its group. */
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
