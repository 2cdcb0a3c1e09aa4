/** The directories in the user's home that oriel reads. */

import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

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
