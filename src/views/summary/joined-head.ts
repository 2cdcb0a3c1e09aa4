/** Joins the lines of a declaration to one line without leaving anything out. */

import type { LineRange } from '../../types/summary.ts';

export interface Joined {
  readonly to: number;
  readonly text: string;
}

/** Maximum characters of a joined declaration. */
const longest = 1_000;

/** Whether a line ends in a line comment, so that text joined to it would become part of the comment. */
export type Swallows = (line: string) => boolean;

/**
 * `signs`: the line comment marks of the language. A mark in a word or URL is ignored; one in a string may count, which
 * only means that lines are not joined.
 */
export function swallowsBehind(signs: readonly string[]): Swallows {
  if (signs.length === 0) return () => false;
  const before = (sign: string): string =>
    sign === '#' ? String.raw`(?<![^\s;,(){}\]])` : String.raw`(?<![:"'` + '`])';
  const comment = new RegExp(signs.map((sign) => before(sign) + sign).join('|'));
  return (line) => comment.test(line);
}

/** Lines `from` to `to` as one; undefined for a single line, and if they cannot be joined. */
export function joinedHead(
  lines: readonly string[],
  { from, to }: LineRange,
  swallows: Swallows,
): Joined | undefined {
  if (from >= to) return undefined;
  const head = lines.slice(from - 1, to);
  if (head.some(swallows)) return undefined;
  const [first = '', ...rest] = head;
  const text = [first.trimEnd(), ...rest.map((line) => line.trim())]
    .filter((line) => line !== '')
    .join(' ')
    .replace(/([([]) /g, '$1')
    .replace(/ ([)\]])/g, '$1');
  return text.length <= longest ? { to, text } : undefined;
}
