/** Runs a shell script in the background that changes files while they are read. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Starts `script`; the returned function kills it and its child processes. */
export function racer(script: string): () => Promise<void> {
  // The shell kills its process group when its stdin closes, which happens even if this process crashes. Otherwise an
  // orphaned loop would occupy a core forever.
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
