/**
 * Tries many wildcard patterns on a path at once, in time linear in the path, whatever the patterns.
 *
 * All patterns are in one row of bits, a bit for each place in each pattern; a state is the set of places that the
 * characters so far have led to. One character moves all places on by a few operations on whole words. States that
 * were met are kept with their successors, so that most characters cost one look into a table. Neither a backtracking
 * matcher (time grows with the power of the number of stars) nor a finished table (its size does) has a bound.
 */

import { SLASH, takes, type Token } from './tokens.ts';

/** Where the characters so far have led to. */
export interface State {
  readonly bits: Uint32Array;
  /** Patterns that the whole text so far matches, the last one first; undefined until it is asked for. */
  accepted: readonly number[] | undefined;
  /** By code point. */
  next: Map<number, State>;
}

/** Words of memory for states that were met and for the masks of characters. */
const MOST_WORDS = 1 << 21;

/** Words that one state takes besides its bits. */
const STATE_WORDS = 64;

export class Automaton {
  readonly start: State;
  readonly #words: number;
  /** The pattern that ends at a place: each has one place more than it has tokens. */
  readonly #patterns = new Map<number, number>();
  /** Places of plain characters, by code point. */
  readonly #texts = new Map<number, number[]>();
  /** Places of all other tokens. */
  readonly #wild: { readonly at: number; readonly token: Token }[] = [];
  readonly #runs: Uint32Array;
  readonly #depths: Uint32Array;
  /** Places that a text may pass without a character: runs and depths. */
  readonly #skips: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #masks = new Map<number, Uint32Array>();
  /** By hash: states whose bits differ may share one. */
  readonly #states = new Map<number, State[]>();
  readonly #excludedFrom: number;
  #used = 0;

  /** Patterns from index `excludedFrom` on take away what the others match. */
  constructor(patterns: readonly (readonly Token[])[], excludedFrom: number = patterns.length) {
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

  /** The state after `text`, which continues where the text that led to `state` ended. */
  run(state: State, text: string): State {
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

  /** Patterns (by their index) that match the whole text that led to `state`, the last one first. */
  accepted(state: State): readonly number[] {
    state.accepted ??= this.#wanted(this.#patternsAt(state.bits));
    return state.accepted;
  }

  /** None if one that excludes is among them: those have the highest indices. */
  #wanted(found: readonly number[]): readonly number[] {
    return (found[0] ?? -1) >= this.#excludedFrom ? [] : found;
  }

  /** Whether no text that begins like this one matches any more. */
  isDead(state: State): boolean {
    return state.bits.every((word) => word === 0);
  }

  #step(state: State, code: number): State {
    const mask = this.#mask(code);
    const arrived = new Uint32Array(this.#words);
    shiftInto(arrived, state.bits, mask);
    this.#passSkips(arrived);
    // A run keeps its place, and the one after it can begin anywhere. A depth does so only at the start of a name.
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

  /** From a place that was just reached, a run or a depth may stand for nothing: at most one of each in a row. */
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

  /** Places whose token takes the character and is done. */
  #mask(code: number): Uint32Array {
    let mask = this.#masks.get(code);
    if (mask) return mask;
    const wild = this.#wild.filter(({ token }) => takes(token, code)).map(({ at }) => at);
    mask = this.#bits([...wild, ...(this.#texts.get(code) ?? [])]);
    this.#masks.set(code, mask);
    this.#used += this.#words;
    return mask;
  }

  #place(token: Token, at: number): void {
    if (token.is !== 'text') this.#wild.push({ at, token });
    else if (!this.#texts.get(token.code)?.push(at)) this.#texts.set(token.code, [at]);
  }

  #placesOf(is: Token['is']): number[] {
    return this.#wild.filter(({ token }) => token.is === is).map(({ at }) => at);
  }

  #bits(places: Iterable<number>): Uint32Array {
    const bits = new Uint32Array(this.#words);
    for (const at of places) bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31));
    return bits;
  }

  /** The one state of these bits. */
  #known(bits: Uint32Array): State {
    if (this.#used > MOST_WORDS) this.#forget();
    const hash = hashOf(bits);
    const alike = this.#states.get(hash);
    const met = alike?.find((state) => same(state.bits, bits));
    if (met) return met;
    const state: State = { bits, accepted: undefined, next: new Map() };
    if (alike) alike.push(state);
    else this.#states.set(hash, [state]);
    this.#used += this.#words + STATE_WORDS;
    return state;
  }

  /** Callers hold their own states: these lose only what leads on from them. */
  #forget(): void {
    for (const states of this.#states.values()) for (const state of states) state.next = new Map();
    this.#states.clear();
    this.#masks.clear();
    this.#used = 0;
  }
}

/** Adds to `target` the places that follow those of `bits` within `mask`. */
function shiftInto(target: Uint32Array, bits: Uint32Array, mask: Uint32Array): void {
  let carry = 0;
  for (let i = 0; i < target.length; i += 1) {
    const moved = (bits[i] as number) & (mask[i] as number);
    target[i] = (target[i] as number) | (moved << 1) | carry;
    carry = moved >>> 31;
  }
}

/** Source: FNV-1a, over words. */
function hashOf(bits: Uint32Array): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < bits.length; i += 1) hash = Math.imul(hash ^ (bits[i] as number), 0x01000193);
  return hash;
}

function same(a: Uint32Array, b: Uint32Array): boolean {
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}
