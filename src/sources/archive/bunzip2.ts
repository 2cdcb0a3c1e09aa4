/**
 * Owns bzip2, block by block: one block's tables are all it holds. Written here because the library at hand keeps
 * a whole block unpacked as JavaScript numbers (50 packed bytes, 45 MB of zeros, take it 1.2 GB), and libarchive
 * takes no bare stream. Source: the format as in Julian Seward's bzip2 1.0.8.
 */

import { BitReader, damaged, HuffmanTable, MOST_CODE_BITS } from './bzip2-bits.ts';

const BLOCK_MAGIC = 0x314159265359n;
const END_MAGIC = 0x177245385090n;
const OUTPUT_BYTES = 64 << 10;

/** The unpacked bytes of one or more bzip2 streams in a row, in chunks of 64 KiB. Throws `CORRUPT`. */
export async function* bunzip2(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const bits = new BitReader(packed);
  for (let streams = 0; await bits.fill(); streams += 1) {
    const magic = bits.available() < 32 ? 0 : bits.take(24);
    // What follows the last stream and is none is padding, as for bzip2 itself.
    if (magic !== 0x425a68 && streams > 0) return;
    const level = magic === 0x425a68 ? bits.take(8) - 0x30 : 0;
    if (level < 1 || level > 9) throw damaged();
    yield* stream(bits, level * 100_000);
  }
}

async function* stream(bits: BitReader, blockBytes: number): AsyncGenerator<Uint8Array> {
  const block = new Uint32Array(blockBytes);
  let combined = 0;
  for (;;) {
    await bits.fill();
    const magic = (BigInt(bits.take(24)) << 24n) | BigInt(bits.take(24));
    const crc = bits.take32();
    if (magic === END_MAGIC) {
      if (crc !== combined) throw damaged();
      bits.align();
      return;
    }
    if (magic !== BLOCK_MAGIC) throw damaged();
    const { start, length } = readBlock(bits, block);
    const sum = { crc: 0xffffffff };
    yield* unpackBlock(block, start, length, sum);
    const found = ~sum.crc >>> 0;
    if (found !== crc) throw damaged();
    combined = (((combined << 1) | (combined >>> 31)) ^ found) >>> 0;
  }
}

/** Fills `block` with the links of the Burrows-Wheeler transform: byte in the low 8 bits, next index above. */
function readBlock(bits: BitReader, block: Uint32Array): { start: number; length: number } {
  if (bits.take(1) !== 0) throw damaged();
  const origin = bits.take(24);
  const symbols = readSymbols(bits);
  const { tables, selectors } = readTables(bits, symbols.length + 2);
  const counts = new Uint32Array(256);
  const length = readMoveToFront(bits, block, symbols, tables, selectors, counts);
  if (origin >= length) throw damaged();
  let sum = 0;
  const places = counts.map((count) => (sum += count) - count);
  for (let at = 0; at < length; at += 1) {
    const byte = (block[at] as number) & 0xff;
    const place = places[byte] as number;
    places[byte] = place + 1;
    block[place] = ((block[place] as number) & 0xff) | (at << 8);
  }
  return { start: (block[origin] as number) >>> 8, length };
}

/** The bytes that occur, as a bitmap of bitmaps. */
function readSymbols(bits: BitReader): number[] {
  const groups = bits.take(16);
  const symbols: number[] = [];
  for (let group = 0; group < 16; group += 1) {
    if (!(groups & (0x8000 >> group))) continue;
    const used = bits.take(16);
    for (let low = 0; low < 16; low += 1) if (used & (0x8000 >> low)) symbols.push(group * 16 + low);
  }
  if (symbols.length === 0) throw damaged();
  return symbols;
}

function readTables(bits: BitReader, size: number): { tables: HuffmanTable[]; selectors: Uint8Array } {
  const groups = bits.take(3);
  const count = bits.take(15);
  if (groups < 2 || groups > 6 || count === 0) throw damaged();
  const order = Array.from({ length: groups }, (_, i) => i);
  const selectors = new Uint8Array(count);
  for (let at = 0; at < count; at += 1) {
    let place = 0;
    while (bits.take(1)) if ((place += 1) >= groups) throw damaged();
    const [group] = order.splice(place, 1);
    order.unshift(group as number);
    selectors[at] = group as number;
  }
  const tables = order.map(() => new HuffmanTable(readLengths(bits, size)));
  return { tables, selectors };
}

function readLengths(bits: BitReader, size: number): Uint8Array {
  const lengths = new Uint8Array(size);
  let length = bits.take(5);
  for (let at = 0; at < size; at += 1) {
    for (;;) {
      if (length < 1 || length > MOST_CODE_BITS) throw damaged();
      if (!bits.take(1)) break;
      length += bits.take(1) ? -1 : 1;
    }
    lengths[at] = length;
  }
  return lengths;
}

/** Undoes Huffman, run lengths of zeros, and move-to-front. Gives the bytes written to `block`. */
function readMoveToFront(
  bits: BitReader,
  block: Uint32Array,
  symbols: number[],
  tables: readonly HuffmanTable[],
  selectors: Uint8Array,
  counts: Uint32Array,
): number {
  const order = Uint8Array.from(symbols);
  const end = symbols.length + 1;
  let length = 0;
  let run = 0;
  let weight = 1;
  for (let group = 0; ; group += 1) {
    const table = tables[selectors[group] ?? -1];
    if (!table) throw damaged();
    for (let left = 50; left > 0; left -= 1) {
      const symbol = table.read(bits);
      if (symbol <= 1) {
        run += weight << symbol;
        weight *= 2;
        if (run > block.length) throw damaged();
        continue;
      }
      if (run > 0) {
        if (length + run > block.length) throw damaged();
        const byte = order[0] as number;
        block.fill(byte, length, length + run);
        counts[byte] = (counts[byte] as number) + run;
        length += run;
        run = 0;
        weight = 1;
      }
      if (symbol === end) return length;
      if (length >= block.length) throw damaged();
      const place = symbol - 1;
      const byte = order[place] as number;
      order.copyWithin(1, 0, place);
      order[0] = byte;
      counts[byte] = (counts[byte] as number) + 1;
      block[length] = byte;
      length += 1;
    }
  }
}

/** Follows the links and undoes the first run-length step: after four equal bytes comes a count. */
function* unpackBlock(
  block: Uint32Array,
  start: number,
  length: number,
  sum: { crc: number },
): Generator<Uint8Array> {
  const output = new Uint8Array(OUTPUT_BYTES);
  let filled = 0;
  let at = start;
  let previous = -1;
  let equal = 0;
  for (let left = length; left > 0; left -= 1) {
    const link = block[at] as number;
    at = link >>> 8;
    const byte = link & 0xff;
    let copies = 1;
    let value = byte;
    if (equal === 4) {
      copies = byte;
      value = previous;
      equal = 0;
      previous = -1;
    } else {
      equal = byte === previous ? equal + 1 : 1;
      previous = byte;
    }
    if (filled + copies > OUTPUT_BYTES) {
      yield output.subarray(0, filled);
      filled = 0;
    }
    for (; copies > 0; copies -= 1) {
      output[filled] = value;
      filled += 1;
      sum.crc = ((sum.crc << 8) ^ (CRC_TABLE[(sum.crc >>> 24) ^ value] as number)) >>> 0;
    }
  }
  if (filled > 0) yield output.subarray(0, filled);
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc >>> 0;
});
