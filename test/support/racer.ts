/** A shell that changes files while they are read. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs `script` until the returned function has ended it with everything that it started. */
export function racer(script: string): () => Promise<void> {
  const shell = spawn('sh', ['-c', script], { detached: true, stdio: 'ignore' });
  const ended = once(shell, 'exit');
  return async () => {
    process.kill(-(shell.pid as number), 'SIGKILL');
    await ended;
  };
}
