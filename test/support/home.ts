/** An empty home directory for a test, so that no configuration of the user is read. */

import { devNull } from 'node:os';
import { onTestFinished, vi } from 'vitest';
import { temporaryFolder } from './commands.ts';

/** Sets HOME and related variables until the end of the test; call it in `beforeEach`. Returns the path. */
export function emptyHome(): string {
  const home = temporaryFolder();
  vi.stubEnv('HOME', home);
  vi.stubEnv('USERPROFILE', home);
  const tools =
    /^(?:npm_(?:config_.*|execpath|lifecycle_event)|pip_.*|xdg_config_home|appdata|virtual_env)$/i;
  for (const name of Object.keys(process.env)) if (tools.test(name)) vi.stubEnv(name, undefined);
  // Disables pip's system-wide configuration.
  vi.stubEnv('PIP_CONFIG_FILE', devNull);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  return home;
}
