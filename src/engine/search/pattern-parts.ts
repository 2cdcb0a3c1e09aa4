/** Splits a regular expression of any dialect into escapes, classes, group openers and single characters. */

/** A complete escape, a class in brackets, a group opener with its flags, or one character. */
const PART =
  /\\(?:[pPkgx]\{[^}]*\}|k<[^>]*>|[^])|\[\^?\]?(?:\\[^]|\[:\^?\w+:\]|[^\]\\])*\]|\((?:\?(?:<[=!]|[=!:>]|P?<\w+>|[a-zA-Z-]+[:)]))?|[^]/g;

export function partsOf(pattern: string): readonly string[] {
  return pattern.match(PART) ?? [];
}

/** The index of the part that closes the group opened at index `start`; undefined if it is not closed. */
export function closerOf(parts: readonly string[], start: number): number | undefined {
  let depth = 0;
  for (let i = start; i < parts.length; i += 1) {
    const part = parts[i] as string;
    if (part.startsWith('(') && !part.endsWith(')')) depth += 1;
    else if (part === ')') {
      depth -= 1;
      if (depth === 0) return i;
    }
  }
  return undefined;
}
