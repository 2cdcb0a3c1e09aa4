/**
 * Finds the sections of reStructuredText. A hand-written scanner: the grammar of tree-sitter-rst 0.2.0 knows titles and not
 * how they nest, since their levels follow from the order of their adornments. Source: docutils, "Sections".
 */

import type { Scanner } from './scanner.ts';
import { type Heading, sectionsOf } from './sections.ts';

/** A line of one repeated punctuation character. */
const adornment = /^([!-/:-@[-`{-~])\1+[ \t]*$/;

/** A shorter adornment must be as long as its title. */
const SURE = 4;

export const restructuredText: Scanner = (lines) => sectionsOf(lines, headingsOf(lines));

function* headingsOf(lines: readonly string[]): Iterable<Heading> {
  /** In the order in which they appear first: that is their level. */
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
