/** Owns matching one name against one part of a glob: `*`, `?` and `[a-z]`, in time bounded by their product. */

type Token =
  | { readonly is: 'text'; readonly code: number }
  | { readonly is: 'one' }
  | { readonly is: 'run' }
  | { readonly is: 'class'; readonly not: boolean; readonly ranges: readonly (readonly [number, number])[] };

export type NameTest = (name: string) => boolean;

/** A test for the part of a glob between two slashes. What is not well formed stands for itself. */
export function compileSegment(part: string): NameTest {
  const tokens = tokenize([...part]);
  const wild = tokens.findIndex((token) => token.is !== 'text');
  if (wild === -1) {
    const text = textOf(tokens);
    return (name) => name === text;
  }
  const behind = tokens.slice(wild + 1);
  if (tokens[wild]?.is === 'run' && behind.every((token) => token.is === 'text')) {
    const [head, tail] = [textOf(tokens.slice(0, wild)), textOf(behind)];
    const least = head.length + tail.length;
    return (name) => name.length >= least && name.startsWith(head) && name.endsWith(tail);
  }
  return (name) => matches(tokens, name);
}

/**
 * Goes back only to the last run of any characters: what an earlier one took cannot matter any more. So the time is
 * the product of the lengths, where a backtracking matcher is exponential in the number of stars.
 */
function matches(tokens: readonly Token[], name: string): boolean {
  const codes = Array.from(name, (character) => character.codePointAt(0) as number);
  let token = 0;
  let at = 0;
  let run = -1;
  let resume = 0;
  while (at < codes.length) {
    const now = tokens[token];
    if (now?.is === 'run') {
      run = token;
      resume = at;
      token += 1;
    } else if (now !== undefined && accepts(now, codes[at] as number)) {
      token += 1;
      at += 1;
    } else if (run !== -1) {
      resume += 1;
      at = resume;
      token = run + 1;
    } else return false;
  }
  return tokens.slice(token).every((rest) => rest.is === 'run');
}

function accepts(token: Token, code: number): boolean {
  if (token.is === 'text') return token.code === code;
  if (token.is === 'class') {
    return token.not !== token.ranges.some(([low, high]) => code >= low && code <= high);
  }
  return true;
}

function tokenize(characters: readonly string[]): Token[] {
  const tokens: Token[] = [];
  for (let i = 0; i < characters.length; i += 1) {
    const character = characters[i] as string;
    const escaped = character === '\\' ? characters[i + 1] : undefined;
    const set = character === '[' ? classAt(characters, i) : undefined;
    if (escaped !== undefined) {
      tokens.push(text(escaped));
      i += 1;
    } else if (set) {
      tokens.push(set.token);
      i = set.end;
    } else if (character === '?') tokens.push({ is: 'one' });
    else if (character !== '*') tokens.push(text(character));
    else if (tokens.at(-1)?.is !== 'run') tokens.push({ is: 'run' });
  }
  return tokens;
}

/** The class that opens at `at`; `end` is its closing bracket. A `]` that comes first is a member. */
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

function text(character: string): Token {
  return { is: 'text', code: character.codePointAt(0) as number };
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map((token) => (token.is === 'text' ? String.fromCodePoint(token.code) : '')).join('');
}
