/** The built command line. */

import { spawnSync } from 'node:child_process';
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
