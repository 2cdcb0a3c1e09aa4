/** The interface of scanners: hand-written parsers that work line by line. */

import type { SymbolKind } from '../structure.ts';

/** A declaration. Nesting and qualified names are derived from the ranges. */
export interface Found {
  readonly kind: SymbolKind;
  readonly name: string;
  /** As shown in an outline, before clipping. */
  readonly signature: string;
  /** 1-based, inclusive. */
  readonly from: number;
  readonly to: number;
  /** Offsets in UTF-16 units, half-open, for texts in which several symbols are on a line. */
  readonly span?: readonly [number, number];
  /** The line with the name; `from` when absent. */
  readonly at?: number;
  /** The lines inside the body, if there is one. */
  readonly bodyFrom?: number;
  readonly bodyTo?: number;
  /** Whether it is dropped if a property of the same qualified name is declared. */
  readonly isParameter?: boolean;
  /** An additional part of the qualified name before the name, such as a Go receiver. */
  readonly scope?: string;
}

/** Takes linear time for any text, and never throws. `lines` are without their terminators. */
export type Scanner = (lines: readonly string[]) => Found[];
