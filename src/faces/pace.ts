/** Limits progress messages to ten a second, and sends none after the answer. */

import type { Progress } from '../types/progress.ts';

const EVERY_MS = 100;

export interface Pace {
  tell(progress: Progress): void;
  /** Drops later messages, because the answer is there. */
  end(): void;
}

export function pace(tell: (progress: Progress) => void): Pace {
  let last = Number.NEGATIVE_INFINITY;
  let ended = false;
  return {
    tell(progress) {
      const now = performance.now();
      if (ended || now - last < EVERY_MS) return;
      last = now;
      tell(progress);
    },
    end() {
      ended = true;
    },
  };
}
