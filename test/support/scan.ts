/** The symbols that a scanner finds, as strings `"from-to name"`. */

import { splitLines, type LineScanner } from '../../src/code/structure.ts';

export function scan(scanner: LineScanner, text: string): string[] {
  return scanner(splitLines(text))
    .toSorted((a, b) => a.from - b.from || b.to - a.to)
    .map(({ from, to, name }) => `${from}-${to} ${name}`);
}
