/** The map of a code file: its lines, merged blocks and gaps. */

export type SummaryPart =
  /** A stored line. */
  | { readonly is: 'line'; readonly from: number; readonly to: number; readonly text: string }
  /** Several lines joined into one: `function run() { ... }`. */
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
   * All lines whose text is not shown, except blank lines and lines with only a closing bracket, sorted;
   * between two ranges something is shown.
   */
  readonly elided: readonly LineRange[];
  readonly elidedLines: number;
  /** Number of symbols that are not shown. */
  readonly left?: number;
  /** Whether parts name calls by their selector: `:#Server:outline`. */
  readonly namesCalls?: boolean;
}
