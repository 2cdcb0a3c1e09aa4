/**
 * Finds the sections of reStructuredText. A hand-written scanner: tree-sitter-rst 0.2.0 finds titles, but not their levels,
 * which follow from the order of their adornments. Source: docutils, "Sections".
 */

import type { Scanner } from './scanner.ts';
import { type Heading, sectionsOf } from './sections.ts';

/** A line of one repeated punctuation character. */
const adornment = /^([!-/:-@[-`{-~])\1+[ \t]*$/;

/** An adornment with fewer characters must be as long as its title. */
const SURE = 4;

export const restructuredText: Scanner = (lines) => sectionsOf(lines, headingsOf(lines));

function* headingsOf(lines: readonly string[]): Iterable<Heading> {
  /** The adornment styles in the order of their first occurrence, which determines their level. */
  const styles: string[] = [];
  for (let row = 1; row < lines.length; row += 1) {
    const mark = adornment.exec(lines[row] ?? '')?.[1];
    const title = (lines[row - 1] ?? '').trim();
    if (mark === undefined || title === '' || adornment.test(title)) continue;
    const above = lines[row - 2] ?? '';
    const hasOverline = adornment.exec(above)?.[1] === mark;
    const isIndented = /^\s/.test(lines[row - 1] ?? '');
    if (hasOverline ? false : isIndented || above.trim() !== '') continue;
    const width = (lines[row] ?? '').trimEnd().length;
    if (width < Math.min(SURE, title.length)) continue;
    const style = hasOverline ? mark + mark : mark;
    if (!styles.includes(style)) styles.push(style);
    yield { level: styles.indexOf(style) + 1, title, line: hasOverline ? row - 1 : row, at: row };
  }
}
