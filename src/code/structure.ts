/** The structure of a text: its symbols, and the lines that a map may fold. */

export const symbolKinds = [
  'class',
  'interface',
  'struct',
  'enum',
  'trait',
  'impl',
  'module',
  'type',
  'function',
  'method',
  'property',
  'constant',
  'variable',
  'macro',
  'heading',
  'key',
  'rule',
  'element',
  'target',
  'stage',
  'cell',
  'file',
  'hunk',
  'table',
  'statement',
  'alias',
  'test',
] as const;

export type SymbolKind = (typeof symbolKinds)[number];

/** A named part of a text. All lines are 1-based and inclusive. */
export interface OutlineSymbol {
  readonly kind: SymbolKind;
  readonly name: string;
  /** The names of the enclosing symbols and its own, joined by dots: `Server.start`. */
  readonly qualified: string;
  /** The declaration without its body, on one line, at most 200 characters. */
  readonly signature: string;
  /** The first line, with the decorators and attributes that belong to the symbol. */
  readonly from: number;
  readonly to: number;
  /** The line with the name. */
  readonly at: number;
  /** Number of enclosing symbols: 0 at the top level. */
  readonly depth: number;
  /** The lines inside the body, without the lines of its braces; absent if there are none. */
  readonly bodyFrom?: number | undefined;
  readonly bodyTo?: number | undefined;
}

/** Lines that a map may leave out. The line before `from` introduces them, the line after `to` closes them. */
export interface LineFold {
  readonly kind: 'imports' | 'comment' | 'docstring' | 'block';
  readonly from: number;
  readonly to: number;
}

export interface TextStructure {
  /** In the order of the text, a symbol before the symbols inside it. */
  readonly symbols: readonly OutlineSymbol[];
  readonly folds: readonly LineFold[];
}

/** Kinds of symbols that contain other symbols instead of a body of statements: a map shows their inner lines. */
export const containers: ReadonlySet<SymbolKind> = new Set([
  'class',
  'interface',
  'struct',
  'enum',
  'trait',
  'impl',
  'module',
  'type',
]);

/** Kinds of symbols that only pass on another one, or are called like what they test. */
export const standIns: ReadonlySet<SymbolKind> = new Set(['alias', 'test']);

/** Without stand-ins; if there is nothing else the aliases, then the tests. */
export function definitionsAmong<T>(found: readonly T[], kindOf: (one: T) => SymbolKind): readonly T[] {
  const own = found.filter((one) => !standIns.has(kindOf(one)));
  if (own.length > 0) return own;
  const aliases = found.filter((one) => kindOf(one) === 'alias');
  return aliases.length > 0 ? aliases : found;
}

// The interface of scanners: hand-written parsers that work line by line.

/** A declaration. Nesting and qualified names are derived from the ranges. */
export interface ScannedSymbol {
  readonly kind: SymbolKind;
  readonly name: string;
  /** As shown in an outline, before clipping. */
  readonly signature: string;
  /** 1-based, inclusive. */
  readonly from: number;
  readonly to: number;
  /** Offsets in UTF-16 units, half-open, for texts in which several symbols are on a line. */
  readonly span?: readonly [number, number] | undefined;
  /** The line with the name; `from` when absent. */
  readonly at?: number | undefined;
  /** The lines inside the body, if there is one. */
  readonly bodyFrom?: number | undefined;
  readonly bodyTo?: number | undefined;
  /** Whether it is dropped if a property of the same qualified name is declared. */
  readonly isParameter?: boolean | undefined;
  /** An additional part of the qualified name before the name, such as a Go receiver. */
  readonly scope?: string | undefined;
}

/** Takes linear time for any text, and never throws. `lines` are without their terminators. */
export type LineScanner = (lines: readonly string[]) => ScannedSymbol[];

// Line functions for the views: offsets and rows, and the whole lines inside a block.

/** The lines of a text without their terminators. A final newline does not begin another line. */
export function splitLines(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

/** Both 0-based; columns are in UTF-16 units. */
export interface TextPosition {
  readonly row: number;
  readonly column: number;
}

/** Returns a function from an offset (UTF-16 units) to its row and column. */
export function placer(text: string): (offset: number) => TextPosition {
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
export interface TextStretch extends TextPosition {
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
  block: TextStretch,
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
export function lastRow(stretch: TextStretch): number {
  return stretch.endColumn === 0 && stretch.endRow > stretch.row ? stretch.endRow - 1 : stretch.endRow;
}

// The serialized form of a structure, for other threads and the cache: cloning a hundred thousand objects would block the
// event loop.

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
