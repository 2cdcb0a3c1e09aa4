/** Blanks strings and comments of a C-like text, and matches its braces. */

import type { Place } from '../lines.ts';

/** The lines with strings and comments replaced by spaces, so that patterns match only code. */
export function blanked(lines: readonly string[], syntax: { readonly nestedComments: boolean }): string[] {
  let depth = 0;
  let long = false;
  return lines.map((line) => {
    let result = '';
    let at = 0;
    while (at < line.length) {
      if (depth > 0) {
        const next = /\*\/|\/\*/g;
        next.lastIndex = at;
        const match = next.exec(line);
        const end = match ? match.index + 2 : line.length;
        if (match) depth += match[0] === '*/' ? -1 : syntax.nestedComments ? 1 : 0;
        result += ' '.repeat(end - at);
        at = end;
      } else if (long) {
        const end = line.indexOf('"""', at);
        long = end === -1;
        const stop = long ? line.length : end + 3;
        result += ' '.repeat(stop - at);
        at = stop;
      } else if (line.startsWith('"""', at)) {
        long = true;
        result += '   ';
        at += 3;
      } else if (line.startsWith('//', at)) {
        result += ' '.repeat(line.length - at);
        at = line.length;
      } else if (line.startsWith('/*', at)) {
        depth = 1;
        result += '  ';
        at += 2;
      } else if (line[at] === '"') {
        const end = stringEnd(line, at);
        result += ' '.repeat(end - at);
        at = end;
      } else {
        result += line[at];
        at += 1;
      }
    }
    return result;
  });
}

/** The position after the closing quote, or the end of the line. */
function stringEnd(line: string, start: number): number {
  for (let at = start + 1; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === '"') return at + 1;
  }
  return line.length;
}

/** The closing brace of each opening brace, by `row:column` of the opening one. Unclosed braces are absent. */
export function bracePairs(blank: readonly string[]): Map<string, Place> {
  const pairs = new Map<string, Place>();
  const open: string[] = [];
  for (const [row, line] of blank.entries()) {
    for (let column = 0; column < line.length; column += 1) {
      if (line[column] === '{') open.push(`${row}:${column}`);
      else if (line[column] === '}') {
        const opener = open.pop();
        if (opener !== undefined) pairs.set(opener, { row, column });
      }
    }
  }
  return pairs;
}
