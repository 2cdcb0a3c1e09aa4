/** The built command line: `npm test` builds it first. */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const cli: string = fileURLToPath(new URL('../../dist/faces/cli/main.js', import.meta.url));

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
