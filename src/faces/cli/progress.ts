/** One line on a terminal that tells a person how far a long call has come. */

import { oneLine } from '../../text/visible.ts';
import type { Progress } from '../../types/progress.ts';

const EVERY_MS = 100;

export interface ProgressLine {
  show(progress: Progress): void;
  /** Erases the line. */
  clear(): void;
}

/** Writes nothing where stderr is not a terminal. */
export function progressOn(err: NodeJS.WriteStream): ProgressLine {
  let last = Number.NEGATIVE_INFINITY;
  let shown = false;
  return {
    show(progress) {
      const now = performance.now();
      if (!err.isTTY || now - last < EVERY_MS) return;
      last = now;
      shown = true;
      err.write(`\r\x1b[K${oneLine(progress.message).slice(0, Math.max(20, err.columns - 1))}`);
    },
    clear() {
      if (shown) err.write('\r\x1b[K');
      shown = false;
    },
  };
}
