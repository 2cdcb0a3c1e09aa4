/** Reads the bits and Huffman codes of a bzip2 stream. */

import { OrielError } from '../../errors.ts';

/** The longest code of the format, in bits; bzip2 itself writes at most 17. */
export const MOST_CODE_BITS = 20;
/** Codes of up to this many bits are decoded by one table lookup. A table entry has 9 bits of symbol and 7 of length. */
const FAST_BITS = 10;

/** The most symbols of a code: 255 move-to-front positions, two for runs, and the end of the block. */
const MOST_SYMBOLS = 258;

/**
 * A canonical Huffman code, defined by the lengths of its codes. Short codes are found by table lookup, long ones by
 * search. An object is reused for many blocks; its tables are built at the first read, so that small blocks stay cheap.
 */
export class HuffmanTable {
  readonly #lengths = new Uint8Array(MOST_SYMBOLS);
  #size = 0;
  #isBuilt = false;
  readonly #limit = new Int32Array(MOST_CODE_BITS + 2);
  readonly #offset = new Int32Array(MOST_CODE_BITS + 2);
  readonly #symbols = new Uint16Array(MOST_SYMBOLS);
  /** By the next `FAST_BITS` bits: the symbol (low 9 bits) and the length of its code (above); 0 for longer codes. */
  readonly #fast = new Uint16Array(1 << FAST_BITS);

  /** Begins a new code of `size` symbols. Returns the array of lengths, which the caller fills before the first read. */
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

  /** The next symbol. Throws `CORRUPT` if the bits are not a valid code. */
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

/** More bytes than the largest packed block: 900,000 symbols of 20 bits, and its tables. */
const ENOUGH_BYTES = 2_400_000;

/** Reads bits, most significant first. `fill` is awaited between blocks, so that reading a block needs no await. */
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

  /** Buffers at least the packed bytes of one block, or all that are left. Returns false at the end. */
  async fill(): Promise<boolean> {
    // Whole bytes in the bit buffer are moved back into the byte buffer.
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

  /** Moves unread bytes to the front of the buffer. This is rare: half of the buffer has been read by then. */
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

  /** The next `count` bits (at most 24) without consuming them; zeros after the end. */
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
    // Bits after the end may be peeked, but not consumed.
    if ((this.#at - this.#end) * 8 > this.#count)
      throw new OrielError('CORRUPT', 'its packed data ends early');
  }

  /** Consumes and returns the next `count` bits, at most 24. */
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
