/**
 * Unpacks LZ4 frames block by block. lz4js 0.2.0 decodes the blocks, xxhash-wasm 1.1.0 computes checksums. The frame format
 * is parsed here, because no library does that in bounded memory: `decompress` of lz4js and of wasm-lz4 1.0.2 need the
 * whole text and ignore its checksum, lz4-napi and lz4 are native code, and libarchive-wasm 1.2.0 starts a program for
 * it. 105 MB of text take 1.0 s of CPU time.
 * Source of the format: lz4_Frame_format.md, version 1.6.3.
 */

import type { Hashes } from 'xxhash-wasm';
import { OrielError } from '../../errors.ts';
import { StreamCursor } from './cursor.ts';

const MAGIC = 0x184d2204;
/** The magic number of a skippable frame without its last four bits, which may have any value. */
const SKIPPED = 0x184d2a5;
const VERSION = 1;
/** The flag in the size of a block that is stored uncompressed. */
const PLAIN = 0x8000_0000;
/** Matches may refer back this many bytes, also into earlier blocks. */
const HISTORY = 64 << 10;

interface Frame {
  /** The most unpacked bytes of a block. */
  readonly block: number;
  readonly isLinked: boolean;
  readonly hasBlockSums: boolean;
  readonly hasSum: boolean;
}

interface Libraries {
  readonly decompressBlock: (typeof import('lz4js'))['decompressBlock'];
  readonly hashes: Hashes;
}

export async function* unlz4(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const [{ decompressBlock }, { default: loadHashes }] = await Promise.all([
    import('lz4js'),
    import('xxhash-wasm'),
  ]);
  const libraries = { decompressBlock, hashes: await loadHashes() };
  const cursor = new StreamCursor(packed);
  let output = new Uint8Array(0);
  for (;;) {
    const magic = await cursor.read(4);
    if (magic.length === 0) return;
    const mark = word(magic);
    if (mark >>> 4 === SKIPPED) {
      const size = word(await cursor.read(4));
      if ((await cursor.skip(size)) < size) throw endsEarly();
      continue;
    }
    if (mark !== MAGIC) throw damaged();
    const frame = await readHeader(cursor, libraries.hashes);
    if (output.length < HISTORY + frame.block) output = new Uint8Array(HISTORY + frame.block);
    yield* unpackFrame(cursor, frame, output, libraries);
  }
}

/** `output` has room for the history and one block; yielded chunks are views of it. */
async function* unpackFrame(
  cursor: StreamCursor,
  frame: Frame,
  output: Uint8Array,
  { decompressBlock, hashes }: Libraries,
): AsyncGenerator<Uint8Array> {
  const sum = frame.hasSum ? hashes.create32() : undefined;
  const most = HISTORY + frame.block;
  let history = 0;
  for (let size = word(await cursor.read(4)); size > 0; size = word(await cursor.read(4))) {
    const isPlain = size >= PLAIN;
    const length = isPlain ? size - PLAIN : size;
    if (length > frame.block) throw damaged();
    const block = await exactly(cursor, length);
    if (isPlain) output.set(block, HISTORY);
    const end = isPlain ? HISTORY + length : decompressBlock(block, output, 0, length, HISTORY);
    const blockSum = frame.hasBlockSums ? hashes.h32Raw(block) : 0;
    if (end > most || (frame.hasBlockSums && word(await cursor.read(4)) !== blockSum)) throw damaged();
    const text = output.subarray(HISTORY, end);
    sum?.update(text);
    if (text.length > 0) yield text;
    history = frame.isLinked ? Math.min(HISTORY, history + text.length) : 0;
    output.copyWithin(HISTORY - history, end - history, end);
  }
  if (sum && word(await cursor.read(4)) !== sum.digest() >>> 0) throw damaged();
}

async function readHeader(cursor: StreamCursor, { h32Raw }: Hashes): Promise<Frame> {
  const first = Uint8Array.from(await exactly(cursor, 2));
  const [flags = 0, sizes = 0] = first;
  const more = Uint8Array.from(await exactly(cursor, (flags & 8 ? 8 : 0) + (flags & 1 ? 4 : 0)));
  const [sum] = await exactly(cursor, 1);
  const power = (sizes >> 4) & 7;
  if (flags >> 6 !== VERSION || power < 4)
    throw new OrielError('UNSUPPORTED', 'its LZ4 frame is of another version');
  if (sum !== ((h32Raw(Buffer.concat([first, more])) >>> 8) & 0xff)) throw damaged();
  if (flags & 1)
    throw new OrielError('UNSUPPORTED', 'it was compressed with a dictionary that it does not contain');
  return {
    block: 1 << (8 + 2 * power),
    isLinked: (flags & 32) === 0,
    hasBlockSums: (flags & 16) !== 0,
    hasSum: (flags & 4) !== 0,
  };
}

/** Reads exactly `length` bytes, valid until the next call. Throws at the end of the stream. */
async function exactly(cursor: StreamCursor, length: number): Promise<Uint8Array> {
  const bytes = await cursor.read(length);
  if (bytes.length < length) throw endsEarly();
  return bytes;
}

function word(bytes: Uint8Array): number {
  if (bytes.length < 4) throw endsEarly();
  return Buffer.from(bytes.buffer, bytes.byteOffset, 4).readUInt32LE();
}

function endsEarly(): OrielError {
  return new OrielError('CORRUPT', 'its packed data ends early');
}

function damaged(): OrielError {
  return new OrielError('CORRUPT', 'its packed data is damaged');
}
