/** A declaration of several lines on one line, with all of its words. */

export interface Joined {
  readonly to: number;
  readonly text: string;
}

/** Characters that a joined declaration may have. */
const longest = 1_000;

const lineComment = /(?:^|\s)(?:\/\/|#|--)/;

/** Whether what is joined behind this line would be a part of its comment. */
export function swallows(line: string): boolean {
  return lineComment.test(line);
}

/** Lines `from` to `to` as one; undefined for a single line, and where they cannot be joined. */
export function joinedHead(lines: readonly string[], from: number, to: number): Joined | undefined {
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
