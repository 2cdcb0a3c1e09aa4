/** The progress of a check on a terminal: the case that runs, and a line for each that has ended. */

import type { Progress } from '../check/case-runner.ts';

/** Nothing is written if stderr is not a terminal. `total`: the number of cases. */
export function checkProgress(
  err: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>,
  total: number,
): Progress & { clear(): void } {
  const write = (text: string): void => void (err.isTTY && err.write(`\r\x1b[K${text}`));
  let count = 0;
  write('starting the server…');
  return {
    begins(id) {
      count += 1;
      write(`${count}/${total} ${id}…`);
    },
    ended({ id, verdict }) {
      write(`${count}/${total} ${id}: ${verdict === 'broken' ? 'BROKEN' : verdict}\n`);
    },
    /** Removes the line of the case that runs. */
    clear() {
      write('');
    },
  };
}
