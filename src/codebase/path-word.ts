/** How the path of a file is written in a map, where a name ends at a blank and a list of names begins after `: `. */

import { oneLine } from '../text/visible.ts';

/** A file name with a blank, or a path with a character that has a meaning in a map, or that begins with a blank. */
const AMBIGUOUS = /\s[^/]*$|[*:'"]|^\s/;

/** Whether a path on one line needs quotes. */
export function isAmbiguous(shown: string): boolean {
  return AMBIGUOUS.test(shown);
}

/** `src/a.ts` → `src/a.ts`; `my file.ts` → `'my file.ts'`, quoted as in a shell. */
export function pathWord(path: string): string {
  const shown = oneLine(path);
  return isAmbiguous(shown) ? `'${shown.replaceAll("'", `'\\''`)}'` : shown;
}
