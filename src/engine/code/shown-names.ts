/** The names of files and symbols below a directory in answers. */

import type { Declared } from '../../codebase/questions.ts';
import type { Call } from '../../types/call.ts';
import { oneLine } from '../../text/visible.ts';
import { shownBelow } from '../walk/open-target.ts';

/** Returns a function from a path below the directory `typed` to its shown form. */
export function namesShownIn(typed: string, call: Call): (path: string) => string {
  const shown = shownBelow(typed, call);
  return (path) => {
    const name = shown(path);
    // Without `./` a leading `~` would be read as the home directory.
    return name.startsWith('~') ? `./${name}` : name;
  };
}

/** Whether a symbol can be read by its name alone. */
function isNamed({ qualified, unique }: Declared): boolean {
  return unique && /^[\w$.]{1,100}$/.test(qualified);
}

/** The path that reads a symbol: by its name if that is unique, otherwise by its lines. */
export function callOf(declared: Declared, shown: (path: string) => string): string {
  const { path, qualified, from, to } = declared;
  const file = oneLine(shown(path));
  return isNamed(declared) ? `${file}:#${qualified}` : `${file}:${from}..${to}`;
}
