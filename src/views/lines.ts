/** Line helpers of the views: where blocks begin and end when only whole lines can be left out. */

/** The lines of a text without their terminators; a final newline begins no further line. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** Both from 0; columns count characters (UTF-16 units). */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/** Finds the place of an offset, which counts characters. */
export function placer(text: string): (offset: number) => Place {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    for (let high = starts.length - 1; low < high;) {
      const middle = (low + high + 1) >>> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { row: low, column: offset - (starts[low] ?? 0) };
  };
}

/** Finds the row of an offset, which is not before the one that was asked for last. */
export function rowsInOrder(text: string): (offset: number) => number {
  let row = 0;
  let end = text.indexOf('\n');
  return (offset) => {
    for (; end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) row += 1;
    return row;
  };
}

/** A stretch of text: 0-based rows and columns, the end exclusive, as parsers give it. */
export interface Stretch extends Place {
  readonly endRow: number;
  readonly endColumn: number;
}

/** Brackets and quotes that open a block on the line that introduces it. */
const opener = /^(?:[{([`"']|do\b|begin\b|then\b|<<)/;

/** The body of a declaration may begin with a string, which is its first statement. */
const bodyOpener = /^(?:[{([]|do\b|begin\b|then\b|<<)/;

/** Lines that begin with what closes a block, and so belong to the line that opened it. */
const closer = /^\s*(?:[\])}`]|"""|'''|end\b|done\b|fi\b|esac\b)/;

/**
 * The whole lines inside a block (1-based, inclusive), its braces' lines left out, and for blocks that have none all
 * of its lines; undefined if there are no such lines.
 */
export function inside(
  lines: readonly string[],
  block: Stretch,
  as: 'block' | 'body' = 'block',
): { from: number; to: number } | undefined {
  const first = lines[block.row] ?? '';
  const alone = first.slice(0, block.column).trim() === '';
  const opens = (as === 'body' ? bodyOpener : opener).test(first.slice(block.column));
  const bare = alone && !opens;
  const from = bare ? block.row + 1 : block.row + 2;
  const endRow = lastRow(block);
  const closes = !bare && endRow > block.row && closer.test(lines[endRow] ?? '');
  const to = closes ? endRow : endRow + 1;
  return from <= to ? { from, to } : undefined;
}

/** The row of the last character: a stretch may end with a newline, before the first column of the next row. */
export function lastRow(stretch: Stretch): number {
  return stretch.endColumn === 0 && stretch.endRow > stretch.row ? stretch.endRow - 1 : stretch.endRow;
}
