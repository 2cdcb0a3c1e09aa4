/** The form of a path in notices and calls. */

import { sep } from 'node:path';
import { fileUrl } from '../render/answers.ts';
import { oneLine, quote } from '../text/visible.ts';
import type { Call } from '../types/call.ts';

/**
 * The form of a path in notices, whatever was typed: relative if it is below the working directory, otherwise absolute; a
 * file URL if it contains characters that would break the line.
 */
export function nameablePath(path: string, call: Call): string {
  const displayed = call.access.display(path);
  const shown = sep === '/' ? displayed : displayed.split(sep).join('/');
  if (oneLine(shown) !== shown) return fileUrl(path);
  // Without `./` a leading `~` would be read as the home directory.
  return shown.startsWith('~') ? `./${shown}` : shown;
}

/** The file URL of a shown path or name that cannot be typed, for a call; undefined for others. `absolute` makes a path of it. */
export function urlOfShown(
  shown: string,
  call: Call,
  absolute: (shown: string) => string = call.access.absolute,
): string | undefined {
  return oneLine(shown) === shown ? undefined : fileUrl(absolute(shown));
}

/** As `nameablePath`, but also a file URL if the path looks like `typed`, which does not lead to it: another kind of space. */
export function tellablePath(path: string, typed: string, call: Call): string {
  const looks = (name: string): string =>
    quote(name)
      .normalize()
      .replaceAll(/\p{Zs}/gu, ' ');
  const isAlike = looks(call.access.display(path)) === looks(typed) || looks(path) === looks(typed);
  return isAlike ? fileUrl(path) : nameablePath(path, call);
}

/** Whether a shell would expand something at the beginning: `$HOME/x`, `${HOME}/x`. */
export function hasVariable(path: string): boolean {
  return /^\$(?:\w+|\{\w+\})(?:\/|$)/.test(path);
}
