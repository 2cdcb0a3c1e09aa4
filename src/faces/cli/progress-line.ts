/** One line on a terminal that tells a person how far a long call has come. */

import { oneLine } from '../../text/visible.ts';
import type { Progress } from '../../types/progress.ts';

const EVERY_MS = 100;
const SILENT_MS = 500;

export interface ProgressLine {
  show(progress: Progress): void;
  /** Erases the line. */
  clear(): void;
}

/** Where nobody watches, and for calls whose output is shown as it comes. */
export const silent: ProgressLine = { show: () => undefined, clear: () => undefined };

/** Writes nothing if stderr is not a terminal. The seconds of a call are counted until it tells something itself. */
export function progressOn(err: NodeJS.WriteStream): ProgressLine {
  if (!err.isTTY) return silent;
  const began = performance.now();
  let last = Number.NEGATIVE_INFINITY;
  let shown = false;
  const write = (message: string): void => {
    last = performance.now();
    shown = true;
    err.write(`\r\x1b[K${oneLine(message).slice(0, Math.max(20, err.columns - 1))}`);
  };
  const clock = setInterval(
    () => write(`working for ${Math.ceil((performance.now() - began) / 1_000)} s`),
    SILENT_MS,
  );
  clock.unref();
  return {
    show({ message }) {
      clearInterval(clock);
      if (performance.now() - last >= EVERY_MS) write(message);
    },
    clear() {
      clearInterval(clock);
      if (shown) err.write('\r\x1b[K');
      shown = false;
    },
  };
}
