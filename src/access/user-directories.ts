/** The directories of this user that programs share by convention. */

import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The home directory, or the data directory of the XDG Base Directory Specification. Absolute. */
export function userDirectory(which: 'home' | 'data'): string {
  if (which === 'home') return homedir();
  const { XDG_DATA_HOME: data } = process.env;
  return data !== undefined && isAbsolute(data) ? data : join(homedir(), '.local/share');
}
