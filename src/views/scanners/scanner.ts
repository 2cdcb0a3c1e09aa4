/** The interface of a scanner: a line-by-line reader for a format that needs no grammar. */

import type { SymbolKind } from '../structure.ts';

/** A symbol as a scanner finds it; nesting and qualified names follow from the ranges. */
export interface Found {
  readonly kind: SymbolKind;
  readonly name: string;
  /** As shown in an outline, before clipping. */
  readonly signature: string;
  /** 1-based, inclusive. */
  readonly from: number;
  readonly to: number;
  /** Character offsets, half-open, for texts where symbols share lines. */
  readonly span?: readonly [number, number];
  /** The line with the name; `from` when absent. */
  readonly at?: number;
  /** The lines inside the body, if there is one. */
  readonly bodyFrom?: number;
  readonly bodyTo?: number;
  /** Whether it is left out where a property of the same qualified name is declared. */
  readonly isParameter?: boolean;
  /** What is before the name in the qualified name, beside the symbols around it: a Go receiver. */
  readonly scope?: string;
}

/** Linear in the length of the text, for any text; throws nothing. `lines` are without their terminators. */
export type Scanner = (lines: readonly string[]) => Found[];
