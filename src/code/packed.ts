/**
 * The serialized form of a structure, for other threads and the cache: an array of numbers and a string. Cloning a hundred
 * thousand objects would block the event loop.
 */

import { type LineFold, type OutlineSymbol, symbolKinds, type TextStructure } from './structure.ts';

export interface PackedStructure {
  /** Number of symbols. */
  readonly count: number;
  /** `SYMBOL` numbers for each symbol. */
  readonly symbols: Int32Array;
  /** Name, qualified name and signature of each symbol, a line each. */
  readonly words: string;
  /** `FOLD` numbers for each fold. */
  readonly folds: Int32Array;
}

const SYMBOL = 7;
const FOLD = 3;
const WORDS = 3;

/** Stands for a line that is absent. */
const ABSENT = -1;

const foldKinds: readonly LineFold['kind'][] = ['imports', 'comment', 'docstring', 'block'];

export function packStructure({ symbols, folds }: TextStructure): PackedStructure {
  const numbers = new Int32Array(SYMBOL * symbols.length);
  symbols.forEach(({ kind, from, to, at, depth, bodyFrom = ABSENT, bodyTo = ABSENT }, i) => {
    numbers.set([symbolKinds.indexOf(kind), from, to, at, depth, bodyFrom, bodyTo], SYMBOL * i);
  });
  return {
    count: symbols.length,
    symbols: numbers,
    words: symbols.map(({ name, qualified, signature }) => `${name}\n${qualified}\n${signature}`).join('\n'),
    folds: Int32Array.from(folds.flatMap(({ kind, from, to }) => [foldKinds.indexOf(kind), from, to])),
  };
}

export function unpackStructure({ count, symbols, words, folds }: PackedStructure): TextStructure {
  const lines = words.split('\n');
  return {
    symbols: Array.from({ length: count }, (_, i): OutlineSymbol => {
      const [kind = 0, from = 1, to = 1, at = 1, depth = 0, bodyFrom = ABSENT, bodyTo = ABSENT] =
        symbols.subarray(SYMBOL * i, SYMBOL * (i + 1));
      const [name = '', qualified = '', signature = ''] = lines.slice(WORDS * i, WORDS * (i + 1));
      return {
        kind: symbolKinds[kind] ?? 'statement',
        name,
        qualified,
        signature,
        from,
        to,
        at,
        depth,
        ...(bodyFrom !== ABSENT && { bodyFrom, bodyTo }),
      };
    }),
    folds: Array.from({ length: folds.length / FOLD }, (_, i): LineFold => {
      const [kind = 0, from = 1, to = 1] = folds.subarray(FOLD * i, FOLD * (i + 1));
      return { kind: foldKinds[kind] ?? 'block', from, to };
    }),
  };
}

/** The lines of each symbol, 1-based and inclusive. */
function symbolLines({ count, symbols }: PackedStructure): { from: number; to: number }[] {
  return Array.from({ length: count }, (_, i) => {
    const [, from = 1, to = 1] = symbols.subarray(SYMBOL * i, SYMBOL * (i + 1));
    return { from, to };
  });
}

/** The qualified name of one symbol. */
function symbolName({ words }: PackedStructure, i: number): string {
  let start = 0;
  for (let line = WORDS * i + 1; line > 0; line -= 1) start = words.indexOf('\n', start) + 1;
  const end = words.indexOf('\n', start);
  return words.slice(start, end === -1 ? undefined : end);
}

/** Bytes that a packed structure takes. */
export function packedBytes({ symbols, words, folds }: PackedStructure): number {
  return symbols.byteLength + folds.byteLength + words.length;
}

// Finds the innermost symbol around a line in a packed structure, without unpacking all of it.

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
