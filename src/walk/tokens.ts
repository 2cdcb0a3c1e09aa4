/** The tokens of a wildcard pattern: `*`, `?`, `[a-z]` and plain characters within a name, `**` for whole names. */

export type Token =
  /** One character, by its code point. */
  | { readonly is: 'text'; readonly code: number }
  /** Any one character except `/`. */
  | { readonly is: 'one' }
  /** One character of a set; never `/`. */
  | { readonly is: 'class'; readonly not: boolean; readonly ranges: readonly (readonly [number, number])[] }
  /** Any number of characters except `/`. */
  | { readonly is: 'run' }
  /** Any number of whole names, each with the `/` after it. Occurs only at the start of a name. */
  | { readonly is: 'depth' };

export const SLASH = 0x2f;

const slash: Token = { is: 'text', code: SLASH };
const run: Token = { is: 'run' };
const depth: Token = { is: 'depth' };

const DEPTH = /^\*{2,}$/;

/**
 * The tokens of a pattern for whole paths: `**` as a part matches any number of names, as the last part at least one.
 * More than two stars mean the same as two, as in Git.
 */
export function pathTokens(pattern: string): Token[] {
  const tokens: Token[] = [];
  const parts = pattern.split('/');
  for (const [i, part] of parts.entries()) {
    const last = i === parts.length - 1;
    const deep = DEPTH.test(part);
    if (!deep) tokens.push(...nameTokens(part), ...(last ? [] : [slash]));
    else if (tokens.at(-1)?.is !== 'depth') tokens.push(depth);
    if (deep && last) tokens.push(run);
  }
  return tokens;
}

/** The tokens of a pattern that is matched against the last name of a path, at every depth. */
export function anyDepthTokens(pattern: string): Token[] {
  return [depth, ...nameTokens(pattern)];
}

/** The tokens for literal names at the end of a path that has at least one more name before them. */
export function endingTokens(names: string): Token[] {
  return [depth, { is: 'one' }, run, slash, ...textTokens(names)];
}

/** The tokens of a literal text. */
export function textTokens(text: string): Token[] {
  return Array.from(text, textToken);
}

/** The tokens of the part between two slashes. Malformed syntax is literal text. */
function nameTokens(part: string): Token[] {
  const characters = [...part];
  const lastClosing = characters.lastIndexOf(']');
  const tokens: Token[] = [];
  for (let i = 0; i < characters.length; i += 1) {
    const character = characters[i] as string;
    const escaped = character === '\\' ? characters[i + 1] : undefined;
    const set = character === '[' && i < lastClosing ? classAt(characters, i) : undefined;
    if (escaped !== undefined) {
      tokens.push(textToken(escaped));
      i += 1;
    } else if (set) {
      tokens.push(set.token);
      i = set.end;
    } else if (character === '?') tokens.push({ is: 'one' });
    else if (character !== '*') tokens.push(textToken(character));
    else if (tokens.at(-1)?.is !== 'run') tokens.push(run);
  }
  return tokens;
}

/** The class that opens at index `at`; `end` is the index of its closing bracket. A `]` directly after `[` is a member. */
function classAt(characters: readonly string[], at: number): { token: Token; end: number } | undefined {
  const not = characters[at + 1] === '!' || characters[at + 1] === '^';
  const first = at + (not ? 2 : 1);
  const end = characters.indexOf(']', first + 1);
  if (end === -1) return undefined;
  const members = characters.slice(first, end).map((character) => character.codePointAt(0) as number);
  const ranges: [number, number][] = [];
  for (let i = 0; i < members.length; i += 1) {
    const low = members[i] as number;
    const high = members[i + 1] === 0x2d ? members[i + 2] : undefined;
    ranges.push([low, high ?? low]);
    if (high !== undefined) i += 2;
  }
  return { token: { is: 'class', not, ranges }, end };
}

function textToken(character: string): Token {
  return { is: 'text', code: character.codePointAt(0) as number };
}

/** Whether the token consumes this character and then ends: `run` never does, `depth` does at the `/` after a name. */
export function takes(token: Token, code: number): boolean {
  switch (token.is) {
    case 'text':
      return token.code === code;
    case 'one':
      return code !== SLASH;
    case 'class':
      return code !== SLASH && token.not !== token.ranges.some(([low, high]) => code >= low && code <= high);
    case 'depth':
      return code === SLASH;
    case 'run':
      return false;
  }
}
