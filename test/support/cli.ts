/** The built command line. */

import { execFile, spawnSync } from 'node:child_process';
import { built } from './built.ts';

export const cli: string = built('faces/cli/main.js');

export interface Outcome {
  readonly out: string;
  readonly err: string;
  readonly code: number | null;
}

export function run(
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; uid?: number; gid?: number } = {},
): Outcome {
  const { stdout, stderr, status } = spawnSync(process.execPath, [cli, ...args], {
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    ...options,
  });
  return { out: stdout, err: stderr, code: status };
}

/** Like `run`, without blocking: for a command that talks to a server in this process. */
export function runAsync(
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [cli, ...args],
      { encoding: 'utf8', maxBuffer: 64 << 20, ...options },
      (_, out, err) => resolve({ out, err, code: child.exitCode }),
    );
  });
}
