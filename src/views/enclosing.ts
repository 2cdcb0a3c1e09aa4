/** Finds the innermost symbol around a line in a packed structure, without unpacking all of it. */

import { type PackedStructure, symbolLines, symbolName } from './packed.ts';

/** All lines are 1-based and inclusive. */
export interface EnclosingSymbol {
  /** The qualified name, joined by dots. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** The innermost symbol around each of the lines (1-based); undefined for a line outside of all symbols. */
export function enclosing(
  structure: PackedStructure,
  lines: readonly number[],
): readonly (EnclosingSymbol | undefined)[] {
  const spans = symbolLines(structure);
  return lines.map((line) => {
    // Outer symbols come before the symbols inside them, so the last match is the innermost.
    const at = spans.findLastIndex(({ from, to }) => from <= line && line <= to && to > from);
    const span = spans[at];
    return span && { name: symbolName(structure, at), ...span };
  });
}
