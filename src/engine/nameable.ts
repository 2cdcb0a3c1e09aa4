/** The form of a path in notices and calls. */

import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { oneLine } from '../text/visible.ts';
import type { Call } from '../types/call.ts';

/**
 * The form of a path in notices, whatever was typed: relative if it is below the working directory, otherwise absolute; a
 * file URL if it contains characters that would break the line.
 */
export function nameable(path: string, call: Call): string {
  const displayed = call.access.display(path);
  const shown = sep === '/' ? displayed : displayed.split(sep).join('/');
  if (oneLine(shown) !== shown) return pathToFileURL(path).href;
  // Without `./` a leading `~` would be read as the home directory.
  return shown.startsWith('~') ? `./${shown}` : shown;
}
