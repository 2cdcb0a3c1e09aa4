/** The innermost symbol around a line, taken from a structure as it is kept: only what is asked for is unpacked. */

import { type PackedStructure, symbolLines, symbolName } from './packed.ts';

/** All lines are 1-based and inclusive. */
export interface EnclosingSymbol {
  /** With the names around it, joined by dots. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** For several lines, the symbols around them with their line ranges; undefined if a line is in no symbol. */
export function enclosing(
  structure: PackedStructure,
  lines: readonly number[],
): readonly (EnclosingSymbol | undefined)[] {
  const spans = symbolLines(structure);
  return lines.map((line) => {
    // A symbol is before those inside it.
    const at = spans.findLastIndex(({ from, to }) => from <= line && line <= to && to > from);
    const span = spans[at];
    return span && { name: symbolName(structure, at), ...span };
  });
}
