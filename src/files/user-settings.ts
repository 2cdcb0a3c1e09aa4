/**
 * The settings files of package tools (npm, pip). They are read even outside the roots, because their content
 * is not shown.
 */

import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import type { FileAccess } from '../types/access.ts';
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
export function settingsAccess(path: string): FileAccess {
  return createAccess({ cwd: dirname(path), roots: [], allow: [] });
}

// The directories in the user's home that oriel reads.

/** Relative to a project or to the home directory. */
export const SKILL_DIRECTORIES = ['.agents/skills', '.claude/skills'];

/** Relative to the user's data directory. */
export const MEMORY_DIRECTORY = 'oriel/memory';

/** The absolute paths; the directories need not exist. */
export function userFileDirectories(): string[] {
  const skills = SKILL_DIRECTORIES.map((directory) => join(userDirectory('home'), directory));
  return [...skills, join(userDirectory('data'), MEMORY_DIRECTORY)];
}

/** The home directory, or the data directory of the XDG Base Directory Specification. Absolute. */
export function userDirectory(which: 'home' | 'data'): string {
  if (which === 'home') return homedir();
  const { XDG_DATA_HOME: data } = process.env;
  return data !== undefined && isAbsolute(data) ? data : join(homedir(), '.local/share');
}
