/** A home directory of a test, in which no tool is configured. */

import { devNull } from 'node:os';
import { onTestFinished, vi } from 'vitest';
import { temporaryFolder } from './commands.ts';

/** For `beforeEach`. */
export function emptyHome(): string {
  const home = temporaryFolder();
  vi.stubEnv('HOME', home);
  vi.stubEnv('USERPROFILE', home);
  const tools =
    /^(?:npm_(?:config_.*|execpath|lifecycle_event)|pip_.*|xdg_config_home|appdata|virtual_env)$/i;
  for (const name of Object.keys(process.env)) if (tools.test(name)) vi.stubEnv(name, undefined);
  // Keeps pip's settings of all users away.
  vi.stubEnv('PIP_CONFIG_FILE', devNull);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  return home;
}
