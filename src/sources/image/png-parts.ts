/**
 * A PNG without the chunks that a picture does not need. Text chunks are zlib bombs: the decoder unpacks each, up to
 * 50 MB, before it tells the size, which took 22 s for 2 MB of them (sharp 0.35.5).
 */

import type { ByteSource } from '../../types/byte-source.ts';

const KEPT = new Set([
  'IHDR',
  'PLTE',
  'tRNS',
  'acTL',
  'IDAT',
  'IEND',
  'gAMA',
  'cHRM',
  'sRGB',
  'sBIT',
  'cICP',
  'eXIf',
]);

/** Bytes of a colour profile that is kept: deflate gives 1,032:1 at most, so it unpacks to 8 MiB at most. */
const MOST_PROFILE = 8 * 1024;

/** Bytes of an EXIF block that is kept; a larger one is not about orientation. */
const MOST_EXIF = 64 * 1024;

/** Chunks that are skipped before the rest of the file is given up as hostile. */
const MOST_SKIPPED = 4096;

/** Bytes read at once: small chunks must not cost a read each. */
const BLOCK = 64 * 1024;

/** Half-open byte ranges of the needed parts in order, and no more of them than `most` bytes and a chunk. */
export async function pngParts(
  source: ByteSource,
  most: number,
  signal?: AbortSignal,
): Promise<[number, number][]> {
  const parts: [number, number][] = [[0, 8]];
  let bytes = 8;
  let skipped = 0;
  for await (const { type, at, length } of chunks(source, signal)) {
    if (bytes > most || skipped > MOST_SKIPPED) break;
    if (!isNeeded(type, length)) {
      skipped += 1;
      continue;
    }
    const last = parts.at(-1);
    const end = at + 12 + length;
    bytes += end - at;
    if (last?.[1] === at) last[1] = end;
    else parts.push([at, end]);
  }
  return parts;
}

/**
 * The `parts` of `bytes` one after another, moved within its memory: a copy of a large image takes as long as a third
 * of its decoding. The largest part stays where it is. Ranges may reach beyond the end.
 */
export function joinParts(bytes: Buffer, parts: readonly (readonly [number, number])[]): Buffer {
  const ranges = parts.map(([start, end]) => [start, Math.min(end, bytes.length)] as const);
  const sizes = ranges.map(([start, end]) => Math.max(0, end - start));
  const stays = sizes.indexOf(Math.max(0, ...sizes));
  if (stays === -1) return bytes.subarray(0, 0);
  let first = ranges[stays]?.[0] ?? 0;
  for (const [start, end] of ranges.slice(0, stays).toReversed()) {
    first -= end - start;
    bytes.copyWithin(first, start, end);
  }
  let last = ranges[stays]?.[1] ?? 0;
  for (const [start, end] of ranges.slice(stays + 1)) {
    bytes.copyWithin(last, start, end);
    last += end - start;
  }
  return bytes.subarray(first, last);
}

interface Chunk {
  readonly type: string;
  /** Byte offset of the length field. */
  readonly at: number;
  /** Bytes of the chunk's data; the chunk takes 12 more. */
  readonly length: number;
}

/** Chunks from the first to `IEND`; the data of large ones is not read. */
async function* chunks(source: ByteSource, signal?: AbortSignal): AsyncGenerator<Chunk> {
  const held = Buffer.allocUnsafeSlow(BLOCK);
  let block = held.subarray(0, 0);
  let blockAt = 0;
  for (let at = 8; ;) {
    if (at < blockAt || at + 8 > blockAt + block.length) {
      const isBehind = source.size !== undefined && at >= source.size;
      block = held.subarray(0, isBehind ? 0 : await source.readInto(held, at, signal));
      blockAt = at;
      if (block.length < 8) return;
    }
    const from = at - blockAt;
    const length = block.readUInt32BE(from);
    const type = block.toString('latin1', from + 4, from + 8);
    yield { type, at, length };
    if (type === 'IEND') return;
    at += 12 + length;
  }
}

function isNeeded(type: string, length: number): boolean {
  if (type === 'iCCP') return length <= MOST_PROFILE;
  return KEPT.has(type) && (type !== 'eXIf' || length <= MOST_EXIF);
}
