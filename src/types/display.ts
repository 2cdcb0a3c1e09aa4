/** How a line is shown. The displays themselves are in render/. */

import type { Line } from './excerpt.ts';

export interface Display {
  /** The most bytes that are before a line; none when absent. */
  readonly prefix?: number;
  /** The line as shown, its terminator included. */
  show(line: Line): string;
  /** Bytes of the result of `show`; computed from it when absent. */
  cost?(line: Line): number;
  /** A piece of text as shown, without a prefix. */
  text(text: string): string;
}

/** `terminal`: escape sequences and redrawn progress gone. `stream`: the decoded text as it is, at the cost of its stored bytes. */
export type OutputDisplay = 'terminal' | 'stream';
