/** Reports progress of long work once a second. */

import type { Progress } from '../types/progress.ts';

/** Reports until `work` is done. `doing`: `"converting"` → "converting, 3 s". */
export async function withProgress<T>(
  waiting: { progress(progress: Progress): void },
  doing: string,
  work: () => Promise<T>,
): Promise<T> {
  const start = performance.now();
  const report = (): void => {
    const seconds = Math.round((performance.now() - start) / 1000);
    waiting.progress({ message: `${doing}, ${seconds} s` });
  };
  const timer = setInterval(report, 1000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
