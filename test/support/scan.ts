/** The symbols that a scanner finds, as strings `"from-to name"`. */

import { linesOf } from '../../src/views/lines.ts';
import type { Scanner } from '../../src/views/scanners/scanner.ts';

export function scan(scanner: Scanner, text: string): string[] {
  return scanner(linesOf(text))
    .toSorted((a, b) => a.from - b.from || b.to - a.to)
    .map(({ from, to, name }) => `${from}-${to} ${name}`);
}
