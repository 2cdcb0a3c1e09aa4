/** The map of a code file: its lines, merged blocks and gaps. */

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
  /**
   * Every line whose text is not shown, but for blank ones and closing brackets alone, sorted; between two ranges is
   * something that is shown.
   */
  readonly elided: readonly LineRange[];
  readonly elidedLines: number;
  /** Symbols that are not among the parts. */
  readonly left?: number;
  /** Whether parts name calls, as what follows the path: `:#Server:outline`. */
  readonly namesCalls?: boolean;
}
