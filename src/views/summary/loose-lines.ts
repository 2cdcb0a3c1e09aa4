/** The order of the lines outside of all symbols: statements of a script, or text that the parser did not understand. */

/** A run of lines that a map does not show yet. */
export interface Loose {
  readonly from: number;
  readonly to: number;
}

/**
 * The lines in the order in which a map shows them: by indentation, and with equal indentation first those that begin a
 * paragraph or have more indented lines below them.
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
