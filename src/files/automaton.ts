/**
 * Tries many wildcard patterns on a path in one pass, in time linear in the path, whatever the patterns.
 *
 * A bit-parallel NFA (shift-and): all patterns are in one bit vector, a bit for each position in each pattern, and a
 * state is the set of active positions. One character advances all positions by a few operations on whole words. States
 * are cached with their successors (a lazy DFA), so most characters cost one table lookup. A backtracking matcher takes
 * exponential time in the number of stars, and a complete DFA exponential memory; this has neither.
 */

/** The active positions after the characters so far. */
export interface AutomatonState {
  readonly bits: Uint32Array;
  /** Patterns that match the whole text so far, highest index first; undefined until computed. */
  accepted: readonly number[] | undefined;
  /** Successors by code point. */
  next: Map<number, AutomatonState>;
}

/** Budget for cached states and character masks, in words of 4 bytes. */
const MAX_CACHE_WORDS = 1 << 21;

/** Words that one cached state takes besides its bits. */
const STATE_WORDS = 64;

export class GlobAutomaton {
  readonly start: AutomatonState;
  readonly #words: number;
  /** The index of the pattern by its final position: a pattern has one position more than it has tokens. */
  readonly #patterns = new Map<number, number>();
  /** Positions of plain characters, by code point. */
  readonly #texts = new Map<number, number[]>();
  /** Positions of all other tokens. */
  readonly #wild: { readonly at: number; readonly token: GlobToken }[] = [];
  readonly #runs: Uint32Array;
  readonly #depths: Uint32Array;
  /** Positions that can be skipped without consuming a character: runs and depths. */
  readonly #skips: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #masks = new Map<number, Uint32Array>();
  /** Cached states by the hash of their bits; a list, because hashes collide. */
  readonly #states = new Map<number, AutomatonState[]>();
  readonly #excludedFrom: number;
  #used = 0;

  /** Patterns from index `excludedFrom` on (0-based) exclude what the others match. */
  constructor(patterns: readonly (readonly GlobToken[])[], excludedFrom: number = patterns.length) {
    this.#excludedFrom = excludedFrom;
    const starts: number[] = [];
    let at = 0;
    for (const [i, tokens] of patterns.entries()) {
      starts.push(at);
      for (const token of tokens) this.#place(token, at++);
      this.#patterns.set(at++, i);
    }
    this.#words = Math.max(1, Math.ceil(at / 32));
    this.#runs = this.#bits(this.#placesOf('run'));
    this.#depths = this.#bits(this.#placesOf('depth'));
    this.#skips = this.#bits([...this.#placesOf('run'), ...this.#placesOf('depth')]);
    this.#ends = this.#bits(this.#patterns.keys());
    const first = this.#bits(starts);
    this.#passSkips(first);
    this.start = this.#known(first);
  }

  /** The state after consuming `text`, starting from `state`. */
  run(state: AutomatonState, text: string): AutomatonState {
    let now = state;
    for (let i = 0; i < text.length; i += 1) {
      const code = text.codePointAt(i) as number;
      if (code > 0xffff) i += 1;
      now = now.next.get(code) ?? this.#step(now, code);
    }
    return now;
  }

  /** Whether any pattern matches the whole text. */
  matches(text: string): boolean {
    return this.accepted(this.run(this.start, text)).length > 0;
  }

  /** Indices (0-based) of the patterns that match the whole text that led to `state`, highest first. */
  accepted(state: AutomatonState): readonly number[] {
    state.accepted ??= this.#wanted(this.#patternsAt(state.bits));
    return state.accepted;
  }

  /** Empty if an excluding pattern is among them; `found` is sorted, and those have the highest indices. */
  #wanted(found: readonly number[]): readonly number[] {
    return (found[0] ?? -1) >= this.#excludedFrom ? [] : found;
  }

  /** Whether no continuation of this text can match. */
  isDead(state: AutomatonState): boolean {
    return state.bits.every((word) => word === 0);
  }

  #step(state: AutomatonState, code: number): AutomatonState {
    const mask = this.#mask(code);
    const arrived = new Uint32Array(this.#words);
    shiftInto(arrived, state.bits, mask);
    this.#passSkips(arrived);
    // A run (`*`) stays active on every character except a slash, and the token after it may begin at the next character.
    // A depth (`**`) stays active on every character, but the token after it begins only after a slash.
    const kept = new Uint32Array(this.#words);
    for (let i = 0; i < kept.length; i += 1) {
      const runs = code === SLASH ? 0 : (this.#runs[i] as number);
      kept[i] = (state.bits[i] as number) & (runs | (this.#depths[i] as number));
    }
    shiftInto(arrived, kept, this.#runs);
    for (let i = 0; i < kept.length; i += 1) arrived[i] = (arrived[i] as number) | (kept[i] as number);
    const next = this.#known(arrived);
    state.next.set(code, next);
    this.#used += 4;
    return next;
  }

  /** Activates the positions after runs and depths that match nothing; twice, for one of each in a row. */
  #passSkips(bits: Uint32Array): void {
    shiftInto(bits, Uint32Array.from(bits), this.#skips);
    shiftInto(bits, Uint32Array.from(bits), this.#skips);
  }

  #patternsAt(bits: Uint32Array): number[] {
    const found: number[] = [];
    for (let i = 0; i < bits.length; i += 1) {
      for (let left = (bits[i] as number) & (this.#ends[i] as number); left !== 0; left &= left - 1) {
        const place = i * 32 + 31 - Math.clz32(left & -left);
        found.push(this.#patterns.get(place) as number);
      }
    }
    return found.toSorted((a, b) => b - a);
  }

  /** Positions whose token consumes the character. */
  #mask(code: number): Uint32Array {
    let mask = this.#masks.get(code);
    if (mask) return mask;
    const wild = this.#wild.filter(({ token }) => takesCharacter(token, code)).map(({ at }) => at);
    mask = this.#bits([...wild, ...(this.#texts.get(code) ?? [])]);
    this.#masks.set(code, mask);
    this.#used += this.#words;
    return mask;
  }

  #place(token: GlobToken, at: number): void {
    if (token.is !== 'text') this.#wild.push({ at, token });
    else if (!this.#texts.get(token.code)?.push(at)) this.#texts.set(token.code, [at]);
  }

  #placesOf(is: GlobToken['is']): number[] {
    return this.#wild.filter(({ token }) => token.is === is).map(({ at }) => at);
  }

  #bits(places: Iterable<number>): Uint32Array {
    const bits = new Uint32Array(this.#words);
    for (const at of places) bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31));
    return bits;
  }

  /** The cached state with these bits, created if missing. */
  #known(bits: Uint32Array): AutomatonState {
    if (this.#used > MAX_CACHE_WORDS) this.#forget();
    const hash = hashOf(bits);
    const alike = this.#states.get(hash);
    const met = alike?.find((state) => same(state.bits, bits));
    if (met) return met;
    const state: AutomatonState = { bits, accepted: undefined, next: new Map() };
    if (alike) alike.push(state);
    else this.#states.set(hash, [state]);
    this.#used += this.#words + STATE_WORDS;
    return state;
  }

  /** Empties the cache. States that callers hold stay valid; only their cached successors are dropped. */
  #forget(): void {
    for (const states of this.#states.values()) for (const state of states) state.next = new Map();
    this.#states.clear();
    this.#masks.clear();
    this.#used = 0;
  }
}

/** Adds to `target` the positions after those of `bits & mask`: a shift by one over the whole vector. */
function shiftInto(target: Uint32Array, bits: Uint32Array, mask: Uint32Array): void {
  let carry = 0;
  for (let i = 0; i < target.length; i += 1) {
    const moved = (bits[i] as number) & (mask[i] as number);
    target[i] = (target[i] as number) | (moved << 1) | carry;
    carry = moved >>> 31;
  }
}

/** FNV-1a over 32-bit words. */
function hashOf(bits: Uint32Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bits.length; i += 1) hash = Math.imul(hash ^ (bits[i] as number), 0x01000193);
  return hash;
}

function same(a: Uint32Array, b: Uint32Array): boolean {
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}

// The tokens of a wildcard pattern: `*`, `?`, `[a-z]` and plain characters within a name, `**` for whole names.

export type GlobToken =
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

const SLASH = 0x2f;

const slash: GlobToken = { is: 'text', code: SLASH };
const run: GlobToken = { is: 'run' };
const depth: GlobToken = { is: 'depth' };

const DEPTH = /^\*{2,}$/;

/**
 * The tokens of a pattern for whole paths: `**` as a part matches any number of names, as the last part at least one.
 * More than two stars mean the same as two, as in Git.
 */
export function pathTokens(pattern: string): GlobToken[] {
  const tokens: GlobToken[] = [];
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
export function anyDepthTokens(pattern: string): GlobToken[] {
  return [depth, ...nameTokens(pattern)];
}

/** The tokens for literal names at the end of a path that has at least one more name before them. */
export function endingTokens(names: string): GlobToken[] {
  return [depth, { is: 'one' }, run, slash, ...textTokens(names)];
}

/** The tokens of a literal text. */
export function textTokens(text: string): GlobToken[] {
  return Array.from(text, textToken);
}

/** The tokens of the part between two slashes. Malformed syntax is literal text. */
function nameTokens(part: string): GlobToken[] {
  const characters = [...part];
  const lastClosing = characters.lastIndexOf(']');
  const tokens: GlobToken[] = [];
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
function classAt(characters: readonly string[], at: number): { token: GlobToken; end: number } | undefined {
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

function textToken(character: string): GlobToken {
  return { is: 'text', code: character.codePointAt(0) as number };
}

/** Whether the token consumes this character and then ends: `run` never does, `depth` does at the `/` after a name. */
function takesCharacter(token: GlobToken, code: number): boolean {
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
