/**
 * The serialized form of a structure, for other threads and the cache: cloning a hundred thousand objects would block the
 * event loop.
 */

import type { TextStructure } from './structure.ts';

export interface PackedStructure {
  /** Number of symbols. */
  readonly count: number;
  readonly json: string;
}

export function packStructure({ symbols, folds }: TextStructure): PackedStructure {
  return { count: symbols.length, json: JSON.stringify({ symbols, folds }) };
}

export function unpackStructure({ json }: PackedStructure): TextStructure {
  return JSON.parse(json) as TextStructure;
}

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
  const { symbols } = unpackStructure(structure);
  return lines.map((line) => {
    // Outer symbols come before the symbols inside them, so the last match is the innermost.
    const found = symbols.findLast(({ from, to }) => from <= line && line <= to && to > from);
    return found && { name: found.qualified, from: found.from, to: found.to };
  });
}
