/** Owns `{a,b}` in globs: one pattern with alternatives becomes plain patterns, up to a bound. */

/**
 * The patterns that `pattern` stands for, or undefined when there are more than `most`. A brace without a comma or
 * without its partner is text: `{1..9}` is the name `{1..9}`. `"{a,b}{c,d}"` → ac, ad, bc, bd.
 */
export function expandBraces(pattern: string, most: number): string[] | undefined {
  let done: string[] = [''];
  let at = 0;
  while (at < pattern.length) {
    const group = groupAt(pattern, at);
    const endings = group ? alternatives(group.inside, most) : [textAt(pattern, at)];
    if (endings === undefined || done.length * endings.length > most) return undefined;
    done = done.flatMap((start) => endings.map((ending) => start + ending));
    at = group ? group.end : at + (endings[0] as string).length;
  }
  return done;
}

function alternatives(parts: readonly string[], most: number): string[] | undefined {
  const all: string[] = [];
  for (const part of parts) {
    const expanded = expandBraces(part, most - all.length);
    if (expanded === undefined) return undefined;
    all.push(...expanded);
  }
  return all;
}

/** Up to the next brace; at least one character, and an escaped one with its backslash. */
function textAt(pattern: string, at: number): string {
  if (pattern[at] === '\\') return pattern.slice(at, at + 2);
  let end = at + 1;
  while (end < pattern.length && pattern[end] !== '{' && pattern[end] !== '\\') end += 1;
  return pattern.slice(at, end);
}

/** The parts of the group that opens at `at`, split at its own commas; `end` is behind its closing brace. */
function groupAt(pattern: string, at: number): { inside: string[]; end: number } | undefined {
  if (pattern[at] !== '{') return undefined;
  const inside: string[] = [];
  let depth = 0;
  let from = at + 1;
  for (let i = at; i < pattern.length; i += 1) {
    const character = pattern[i];
    if (character === '\\') i += 1;
    else if (character === '{') depth += 1;
    else if (character === ',' && depth === 1) {
      inside.push(pattern.slice(from, i));
      from = i + 1;
    } else if (character === '}' && --depth === 0) {
      inside.push(pattern.slice(from, i));
      return inside.length > 1 ? { inside, end: i + 1 } : undefined;
    }
  }
  return undefined;
}
