/** The summary of a code file: its lines, merged blocks and gaps. */

export type SummaryPart =
  /** A line as it is stored. */
  | { readonly is: 'line'; readonly from: number; readonly to: number; readonly text: string }
  /** Several lines on one: `function run() { ... }`. */
  | { readonly is: 'merged'; readonly from: number; readonly to: number; readonly text: string }
  /** `...` for lines left out between others. */
  | { readonly is: 'gap'; readonly from: number; readonly to: number; readonly text: string };

/** 1-based, inclusive. */
export interface LineRange {
  readonly from: number;
  readonly to: number;
}

export interface Summary {
  readonly parts: readonly SummaryPart[];
  /** Every line whose text is not shown, sorted; no two ranges touch. */
  readonly elided: readonly LineRange[];
  readonly elidedLines: number;
  /** Symbols that are not among the parts, and the deepest level (0-based) of those that are. */
  readonly left?: { readonly symbols: number; readonly depth: number };
}
