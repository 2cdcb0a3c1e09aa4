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
  readonly bodyFrom?: number;
  readonly bodyTo?: number;
}

/** Lines that a map may leave out. The line before `from` introduces them, the line after `to` closes them. */
export interface Fold {
  readonly kind: 'imports' | 'comment' | 'docstring' | 'block';
  readonly from: number;
  readonly to: number;
}

export interface Structure {
  /** In the order of the text, a symbol before the symbols inside it. */
  readonly symbols: readonly OutlineSymbol[];
  readonly folds: readonly Fold[];
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
