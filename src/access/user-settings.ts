/**
 * The settings files of package tools (npm, pip). They are read even outside the roots, because their content
 * is not shown.
 */

import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { Access } from '../types/access.ts';
import { createAccess } from './local.ts';

/** Source: "npmrc" of the npm documentation. */
export function npmSettings(): string {
  return join(homedir(), '.npmrc');
}

const PIP_FILE = process.platform === 'win32' ? 'pip.ini' : 'pip.conf';

/**
 * The settings of the virtual environment, which is usually inside a project; they have priority over the
 * user's.
 */
export function pipSettingsOfEnvironment(): string | undefined {
  const { VIRTUAL_ENV: environment } = process.env;
  return environment !== undefined && isAbsolute(environment) ? join(environment, PIP_FILE) : undefined;
}

/** The first file that sets a value has priority. Source: "Configuration" of the pip documentation. */
export function pipSettings(): string[] {
  const { XDG_CONFIG_HOME: config, APPDATA: roaming } = process.env;
  const home = homedir();
  const name = PIP_FILE;
  return [
    ...(roaming === undefined ? [] : [join(roaming, 'pip', name)]),
    ...(process.platform === 'darwin' ? [join(home, 'Library/Application Support/pip', name)] : []),
    join(config !== undefined && isAbsolute(config) ? config : join(home, '.config'), 'pip', name),
    join(home, '.pip', name),
    ...(process.platform === 'win32' ? [] : [join('/etc', name)]),
  ];
}

/** An access for this file. */
export function settingsAccess(path: string): Access {
  return createAccess({ cwd: dirname(path), roots: [], allow: [] });
}
