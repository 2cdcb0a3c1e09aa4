/** The directories of this user that programs share by convention, and what oriel reads in them. */

import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Of a project and of a user alike. */
export const SKILL_DIRECTORIES = ['.agents/skills', '.claude/skills'];

/** Below the user's data. */
export const MEMORY_DIRECTORY = 'oriel/memory';

/** Absolute; they need not exist. */
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
