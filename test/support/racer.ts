/** A shell that changes files while they are read. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs `script` until the returned function has ended it with everything that it started. */
export function racer(script: string): () => Promise<void> {
  // Its input ends with this process, however that ends: a racer that was left behind would take a core for good.
  const shell = spawn('sh', ['-c', `( ${script} ) <&- & read -r _; kill -KILL 0`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(shell, 'exit');
  return async () => {
    process.kill(-(shell.pid as number), 'SIGKILL');
    await ended;
  };
}
