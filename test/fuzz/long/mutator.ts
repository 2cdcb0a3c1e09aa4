/** Makes inputs from seeds and words of a grammar, in one buffer that is used again for each. */

import type { Random } from './random.ts';

export interface Material {
  readonly seeds: readonly (string | Uint8Array)[];
  /** What the grammar is made of. */
  readonly words: readonly (string | Uint8Array)[];
  /** Bytes of most inputs; one of 64 has up to eight times as many. */
  readonly most: number;
}

const bytesOf = (part: string | Uint8Array): Uint8Array =>
  typeof part === 'string' ? Buffer.from(part) : part;

export class Mutator {
  readonly #random: Random;
  readonly #seeds: readonly Uint8Array[];
  readonly #words: readonly Uint8Array[];
  readonly #most: number;
  readonly #buffer: Buffer;
  #length = 0;
  #room = 0;

  constructor({ seeds, words, most }: Material, random: Random) {
    this.#random = random;
    this.#seeds = seeds.map(bytesOf);
    this.#words = words.map(bytesOf);
    this.#most = most;
    this.#buffer = Buffer.allocUnsafeSlow(8 * most);
  }

  /** The next input; valid until the next call. */
  next(): Buffer {
    const random = this.#random;
    this.#room = random.below(64) === 0 ? this.#buffer.length : this.#most;
    this.#length = 0;
    // One of eight is made of words alone.
    if (random.below(8) > 0) this.#insert(0, random.pick(this.#seeds));
    for (let left = 1 + random.below(5); left > 0; left -= 1) this.#change();
    return this.#buffer.subarray(0, this.#length);
  }

  #change(): void {
    const random = this.#random;
    const at = random.below(this.#length + 1);
    switch (random.below(8)) {
      case 0:
        return this.#remove(at, 1 + random.below(6));
      case 1: {
        // What stands there, once more.
        const end = Math.min(this.#length, at + 1 + random.below(16));
        return this.#insert(at, this.#buffer.slice(at, end), true);
      }
      case 2:
        if (at < this.#length) this.#buffer[at] = random.below(256);
        return;
      case 3:
        if (at < this.#length) this.#buffer[at] = (this.#buffer[at] as number) ^ (1 << random.below(8));
        return;
      case 4:
        this.#length = at;
        return this.#insert(at, random.pick(this.#seeds));
      case 5:
        this.#remove(at, 1 + random.below(4));
        return this.#insert(Math.min(at, this.#length), random.pick(this.#words));
      default:
        return this.#insert(at, random.pick(this.#words));
    }
  }

  #remove(at: number, count: number): void {
    const from = Math.min(this.#length, at + count);
    this.#buffer.copyWithin(at, from, this.#length);
    this.#length -= from - at;
  }

  /** As much of `part` as there is room for; `own`: it is a part of the buffer. */
  #insert(at: number, part: Uint8Array, own = false): void {
    const count = Math.min(part.length, this.#room - this.#length);
    if (count <= 0) return;
    const kept = own ? Uint8Array.from(part) : part;
    this.#buffer.copyWithin(at + count, at, this.#length);
    for (let i = 0; i < count; i += 1) this.#buffer[at + i] = kept[i] as number;
    this.#length += count;
  }
}
