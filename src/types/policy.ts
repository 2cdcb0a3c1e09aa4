/** How a dialect shows text, as data: its display, and what happens to long lines and long texts. */

import type { Display } from './display.ts';
import type { Line } from './excerpt.ts';

export type LongLine =
  /** A line over the budget is shown in slices; each call continues inside it. */
  | { readonly as: 'slice' }
  /** A line over the budget is not shown and ends the answer. */
  | { readonly as: 'stop' }
  /** A line over `at` (code points, or bytes as shown) is shown up to there; a display may put a marker after it. */
  | { readonly as: 'clip'; readonly at: number; readonly unit: 'byte' | 'char' };

export interface TextPolicy {
  readonly overflow: 'cut' | 'refuse';
  readonly longLine: LongLine;
  /** When absent, the display of the host's settings. */
  readonly display?: Display;
  /** The `\n` does not count for the length of a line when oversized lines are detected. */
  readonly bareLines?: boolean;
  /** Bytes of a line as shown, if the dialect adds to what the display shows (joiners, envelopes). */
  cost?(line: Line): number;
}
