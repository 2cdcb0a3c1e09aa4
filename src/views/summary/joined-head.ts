/** A declaration of several lines on one line, with all of its words. */

import type { LineRange } from '../../types/summary.ts';

export interface Joined {
  readonly to: number;
  readonly text: string;
}

/** Characters that a joined declaration may have. */
const longest = 1_000;

/** Whether what is joined after a line would be a part of its comment. */
export type Swallows = (line: string) => boolean;

/** `signs` of the language. One in a word or URL begins no comment; one in a string may count, which costs a line. */
export function swallowsBehind(signs: readonly string[]): Swallows {
  if (signs.length === 0) return () => false;
  const before = (sign: string): string =>
    sign === '#' ? String.raw`(?<![^\s;,(){}\]])` : String.raw`(?<![:"'` + '`])';
  const comment = new RegExp(signs.map((sign) => before(sign) + sign).join('|'));
  return (line) => comment.test(line);
}

/** Lines `from` to `to` as one; undefined for a single line, and where they cannot be joined. */
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
