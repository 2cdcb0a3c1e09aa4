/** The names of files and symbols below a directory in answers. */

import { join } from 'node:path';
import type { DeclaredSymbol } from '../../codebase/questions.ts';
import type { Call } from '../../types/call.ts';
import { nameable } from '../nameable.ts';

/** Returns a function from a path below the directory `typed` to its shown form, which can be typed again. */
export function namesShownIn(typed: string, call: Call): (path: string) => string {
  const base = call.access.absolute(typed);
  return (path) => nameable(join(base, path), call);
}

/** Whether a symbol can be read by its name alone. */
function isNamed({ qualified, unique }: DeclaredSymbol): boolean {
  return unique && /^[\w$.]{1,100}$/.test(qualified);
}

/** The path that reads a symbol: by its name if that is unique, otherwise by its lines. */
export function callOf(declared: DeclaredSymbol, shown: (path: string) => string): string {
  const { path, qualified, from, to } = declared;
  const file = shown(path);
  return isNamed(declared) ? `${file}:#${qualified}` : `${file}:${from}..${to}`;
}
