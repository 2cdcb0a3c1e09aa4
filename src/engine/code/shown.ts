/** How files and symbols below a directory are called in answers. */

import type { Declared } from '../../codebase/questions.ts';
import type { Call } from '../../types/call.ts';
import { oneLine } from '../../text/visible.ts';
import { shownBelow } from '../walk/open-target.ts';

/** `typed`: how the directory is called. */
export function shownIn(typed: string, call: Call): (path: string) => string {
  const shown = shownBelow(typed, call);
  return (path) => {
    const name = shown(path);
    // A home directory is not meant.
    return name.startsWith('~') ? `./${name}` : name;
  };
}

/** Whether the name of a symbol is enough to read it. */
function isNamed({ qualified, unique }: Declared): boolean {
  return unique && /^[\w$.]{1,100}$/.test(qualified);
}

/** The path that reads a symbol: by its name where that is enough, otherwise by its lines. */
export function callOf(declared: Declared, shown: (path: string) => string): string {
  const { path, qualified, from, to } = declared;
  const file = oneLine(shown(path));
  return isNamed(declared) ? `${file}:#${qualified}` : `${file}:${from}..${to}`;
}
