/** Text that lies mostly outside its symbols: statements of a script, or what a parser could not make sense of. */

/** A stretch of lines that nothing of a map shows yet. */
export interface Loose {
  readonly from: number;
  readonly to: number;
}

/**
 * Its lines in the order in which a map shows them: by their indentation, and of one indentation those before the
 * others that begin a paragraph or have lines further in below them.
 */
export function looseOrder(lines: readonly string[], stretches: readonly Loose[]): number[] {
  const keyed: { readonly no: number; readonly key: number }[] = [];
  for (const { from, to } of stretches) {
    for (let no = from; no <= to; no += 1) {
      const line = lines[no - 1] ?? '';
      const indent = indentOf(line);
      if (indent === -1) continue;
      const begins = no === from || indentOf(lines[no - 2]) === -1;
      keyed.push({ no, key: 2 * indent + (begins || indentOf(lines[no]) > indent ? 0 : 1) });
    }
  }
  return keyed.toSorted((a, b) => a.key - b.key || a.no - b.no).map(({ no }) => no);
}

/** -1 for a blank line. */
function indentOf(line = ''): number {
  return line.search(/\S/);
}
