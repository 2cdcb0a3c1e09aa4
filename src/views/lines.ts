/** Line functions for the views: offsets and rows, and the whole lines inside a block. */

/** The lines of a text without their terminators. A final newline does not begin another line. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** Both 0-based; columns are in UTF-16 units. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/** Returns a function from an offset (UTF-16 units) to its row and column. */
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

/** Returns a function from an offset to its row, for offsets in increasing order. */
export function rowsInOrder(text: string): (offset: number) => number {
  let row = 0;
  let end = text.indexOf('\n');
  return (offset) => {
    for (; end !== -1 && end < offset; end = text.indexOf('\n', end + 1)) row += 1;
    return row;
  };
}

/** A range of a text: 0-based rows and columns, the end exclusive, as in parsers. */
export interface Stretch extends Place {
  readonly endRow: number;
  readonly endColumn: number;
}

/** Marks that open a block on the line that introduces it. */
const opener = /^(?:[{([`"']|do\b|begin\b|then\b|<<)/;

/** Without quotes: a body may begin with a string, which is then its first statement. */
const bodyOpener = /^(?:[{([]|do\b|begin\b|then\b|<<)/;

/** A line that begins with the closing mark of a block. */
const closer = /^\s*(?:[\])}`]|"""|'''|end\b|done\b|fi\b|esac\b)/;

/**
 * The whole lines inside a block (1-based, inclusive), without the lines of its braces; all lines of a block without
 * braces. Undefined if there are none.
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

/** The row of the last character. A range that ends with a newline has its end at column 0 of the next row. */
export function lastRow(stretch: Stretch): number {
  return stretch.endColumn === 0 && stretch.endRow > stretch.row ? stretch.endRow - 1 : stretch.endRow;
}
