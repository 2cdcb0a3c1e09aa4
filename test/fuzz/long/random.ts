/** Pseudo-random numbers for inputs by the hundred million: one 32-bit state, set anew for each input. */

export class Random {
  #state = 1;

  /** The numbers that follow depend on `seed` and `index` alone, so that one input can be made again. */
  begin(seed: number, index: number): void {
    let mixed = (Math.imul(seed, 0x9e3779b1) ^ index) >>> 0;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    this.#state = (mixed ^ (mixed >>> 16)) >>> 0 || 1;
  }

  /** 0 to `bound` - 1. Source: Marsaglia, "Xorshift RNGs" (2003). */
  below(bound: number): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state >>> 0;
    return this.#state % bound;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }
}
