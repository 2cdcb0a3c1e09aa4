/** The bits of a bzip2 stream and its Huffman codes. */

import { OrielError } from '../../errors.ts';

/** Source: the format; bzip2 itself writes codes of 17 bits at most. */
export const MOST_CODE_BITS = 20;
/** Bits of a code that are decoded by one lookup. An entry has 9 bits of symbol and 7 of length. */
const FAST_BITS = 10;

/** Symbols of a code: 256 bytes less the first one, two for runs, and the end of the block. */
const MOST_SYMBOLS = 258;

/**
 * A canonical Huffman code: lengths decide, codes count upwards. Short codes are looked up, long ones searched. One
 * object serves many blocks, and its tables are built when it is first read with: small blocks must not cost the time
 * of large ones.
 */
export class HuffmanTable {
  readonly #lengths = new Uint8Array(MOST_SYMBOLS);
  #size = 0;
  #isBuilt = false;
  readonly #limit = new Int32Array(MOST_CODE_BITS + 2);
  readonly #offset = new Int32Array(MOST_CODE_BITS + 2);
  readonly #symbols = new Uint16Array(MOST_SYMBOLS);
  /** For each start of `FAST_BITS` bits the symbol and, above its 9 bits, the length of its code; 0 for longer ones. */
  readonly #fast = new Uint16Array(1 << FAST_BITS);

  /** Begins a new code of `size` symbols. Gives their lengths, which are to be filled in before the first read. */
  begin(size: number): Uint8Array {
    this.#size = size;
    this.#isBuilt = false;
    return this.#lengths.subarray(0, size);
  }

  #build(): void {
    this.#isBuilt = true;
    this.#fast.fill(0);
    let code = 0;
    let before = 0;
    for (let length = 1; length <= MOST_CODE_BITS; length += 1) {
      this.#offset[length] = before - code;
      for (let symbol = 0; symbol < this.#size; symbol += 1) {
        if (this.#lengths[symbol] !== length) continue;
        this.#symbols[before] = symbol;
        this.#lookUp(code, length, symbol);
        code += 1;
        before += 1;
      }
      this.#limit[length] = code;
      code *= 2;
    }
  }

  /** The next symbol. Throws `CORRUPT` for bits that are no code. */
  read(bits: BitReader): number {
    if (!this.#isBuilt) this.#build();
    const ahead = bits.peek(MOST_CODE_BITS);
    const fast = this.#fast[ahead >>> (MOST_CODE_BITS - FAST_BITS)] as number;
    if (fast !== 0) {
      bits.skip(fast >>> 9);
      return fast & 0x1ff;
    }
    for (let length = 1; length <= MOST_CODE_BITS; length += 1) {
      const code = ahead >>> (MOST_CODE_BITS - length);
      if (code >= (this.#limit[length] as number)) continue;
      const place = code + (this.#offset[length] as number);
      if (place < 0 || place >= this.#size) break;
      bits.skip(length);
      return this.#symbols[place] as number;
    }
    throw damaged();
  }

  #lookUp(code: number, length: number, symbol: number): void {
    if (length > FAST_BITS) return;
    const from = code << (FAST_BITS - length);
    this.#fast.fill((length << 9) | symbol, from, from + (1 << (FAST_BITS - length)));
  }
}

/** More than the largest block: 900,000 symbols of 20 bits, and its tables. */
const ENOUGH_BYTES = 2_400_000;

/** Bits, most significant first. `fill` is awaited between blocks, so that reading a block needs no await. */
export class BitReader {
  readonly #source: AsyncIterator<Uint8Array>;
  /** The bytes between `at` and `end` are not read yet. */
  #bytes = new Uint8Array(2 * ENOUGH_BYTES);
  #at = 0;
  #end = 0;
  #held = 0;
  #count = 0;
  #ended = false;

  constructor(packed: AsyncIterable<Uint8Array>) {
    this.#source = packed[Symbol.asyncIterator]();
  }

  /** Buffers at least the packed bytes of one block, or all that are left. False when none are. */
  async fill(): Promise<boolean> {
    // Whole bytes that were peeked at are given back.
    this.#at -= this.#count >>> 3;
    this.#held >>>= this.#count & ~7;
    this.#count &= 7;
    while (!this.#ended && this.#end - this.#at < ENOUGH_BYTES) await this.#pull();
    return this.available() > 0;
  }

  async #pull(): Promise<void> {
    const step = await this.#source.next();
    if (step.done) {
      this.#ended = true;
      return;
    }
    if (this.#end + step.value.length > this.#bytes.length) this.#makeRoom(step.value.length);
    this.#bytes.set(step.value, this.#end);
    this.#end += step.value.length;
  }

  /** Moves what is held to the front. Rare: by then half of the buffer has been read. */
  #makeRoom(length: number): void {
    const held = this.#bytes.subarray(this.#at, this.#end);
    if (held.length + length > this.#bytes.length) this.#bytes = new Uint8Array(2 * (held.length + length));
    this.#bytes.set(held);
    this.#at = 0;
    this.#end = held.length;
  }

  available(): number {
    return (this.#end - this.#at) * 8 + this.#count;
  }

  /** The next `count` bits, at most 24, without consuming them; after the end, zeros. */
  peek(count: number): number {
    while (this.#count < count) {
      const byte = this.#at < this.#end ? (this.#bytes[this.#at] as number) : 0;
      this.#held = ((this.#held << 8) | byte) >>> 0;
      this.#at += 1;
      this.#count += 8;
    }
    return (this.#held >>> (this.#count - count)) & ((1 << count) - 1);
  }

  skip(count: number): void {
    this.#count -= count;
    // Bits after the end may be peeked at, not consumed.
    if ((this.#at - this.#end) * 8 > this.#count)
      throw new OrielError('CORRUPT', 'its packed data ends early');
  }

  /** `count` bits, at most 24. */
  take(count: number): number {
    const value = this.peek(count);
    this.skip(count);
    return value;
  }

  take32(): number {
    return this.take(16) * 65_536 + this.take(16);
  }

  /** Skips to the next whole byte. */
  align(): void {
    this.#count -= this.#count % 8;
  }
}

export function damaged(): OrielError {
  return new OrielError('CORRUPT', 'its packed data is damaged');
}
