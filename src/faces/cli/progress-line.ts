/** Shows the progress of a long call on one line of a terminal. */

import { oneLine } from '../../text/visible.ts';
import type { Progress } from '../../types/progress.ts';

const EVERY_MS = 100;
const SILENT_MS = 500;

export interface ProgressLine {
  show(progress: Progress): void;
  /** Erases the line. */
  clear(): void;
}

/** Shows nothing: without a terminal, and for calls whose output is shown live. */
export const silent: ProgressLine = { show: () => undefined, clear: () => undefined };

/** Writes nothing if stderr is not a terminal. Shows the elapsed seconds until the call reports progress. */
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
