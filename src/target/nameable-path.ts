/** The form of a path in notices and calls. */

import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { oneLine, quote } from '../text/visible.ts';
import type { Call } from '../types/call.ts';

/**
 * The form of a path in notices, whatever was typed: relative if it is below the working directory, otherwise absolute; a
 * file URL if it contains characters that would break the line.
 */
export function nameablePath(path: string, call: Call): string {
  const displayed = call.access.display(path);
  const shown = sep === '/' ? displayed : displayed.split(sep).join('/');
  if (oneLine(shown) !== shown) return pathToFileURL(path).href;
  // Without `./` a leading `~` would be read as the home directory.
  return shown.startsWith('~') ? `./${shown}` : shown;
}

/** As `nameablePath`, but also a file URL if the path looks like `typed`, which does not lead to it: another kind of space. */
export function tellablePath(path: string, typed: string, call: Call): string {
  const looks = (name: string): string =>
    quote(name)
      .normalize()
      .replaceAll(/\p{Zs}/gu, ' ');
  const isAlike = looks(call.access.display(path)) === looks(typed) || looks(path) === looks(typed);
  return isAlike ? pathToFileURL(path).href : nameablePath(path, call);
}

/** Whether a shell would expand something at the beginning: `$HOME/x`, `${HOME}/x`. */
export function hasVariable(path: string): boolean {
  return /^\$(?:\w+|\{\w+\})(?:\/|$)/.test(path);
}
