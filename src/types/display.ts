/** How a line is shown. The displays themselves are in render/. */

import type { Line } from './excerpt.ts';

export interface Display {
  /** Maximum bytes of the prefix of a line; 0 when absent. */
  readonly prefix?: number;
  /** The line as shown, its terminator included. */
  show(line: Line): string;
  /** Bytes of the result of `show`; measured on that result when absent. */
  cost?(line: Line): number;
  /** A piece of text as shown, without a prefix. */
  text(text: string): string;
}

/**
 * `terminal`: escape sequences and overwritten progress bars are removed. `stream`: the decoded text unchanged; its cost
 * is the number of its stored bytes.
 */
export type OutputDisplay = 'terminal' | 'stream';
