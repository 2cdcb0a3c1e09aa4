/** Turns headings into sections: each ends before the next heading of the same or a higher level. */

import type { Found } from './scanner.ts';

export interface Heading {
  /** 1 is the highest. */
  readonly level: number;
  readonly title: string;
  /** The first line of the section, 1-based. */
  readonly line: number;
  /** The line with the title; `line` when absent. */
  readonly at?: number;
}

export function sectionsOf(lines: readonly string[], headings: Iterable<Heading>): Found[] {
  const found: Found[] = [];
  const open: Heading[] = [];
  const closeFrom = (level: number, end: number): void => {
    for (let last = open.at(-1); last && last.level >= level; last = open.at(-1)) {
      open.pop();
      found.push(section(last, lastLine(lines, last.line, end)));
    }
  };
  for (const heading of headings) {
    closeFrom(heading.level, heading.line - 1);
    open.push(heading);
  }
  closeFrom(0, lines.length);
  return found;
}

function section({ level, title, line, at = line }: Heading, to: number): Found {
  const signature = `${'#'.repeat(level)} ${title}`;
  return { kind: 'heading', name: title, signature, from: line, to, at, bodyFrom: at + 1, bodyTo: to };
}

/** The last line that is not blank. */
function lastLine(lines: readonly string[], from: number, end: number): number {
  let to = end;
  while (to > from && (lines[to - 1] ?? '').trim() === '') to -= 1;
  return to;
}
