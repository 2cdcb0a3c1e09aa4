/**
 * Removes the chunks of a PNG that a picture does not need. Text chunks can be zlib bombs: the decoder unpacks each of them,
 * up to 50 MB, before it reports the size; 2 MB of them took 22 s (sharp 0.35.5).
 */

import type { ByteSource } from '../../types/access.ts';

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

/** The most bytes of a colour profile. Deflate expands at most 1,032 times, so it unpacks to at most 8 MiB. */
const MAX_PROFILE_BYTES = 8 * 1024;

/** The most bytes of an EXIF block; only its orientation is needed. */
const MAX_EXIF_BYTES = 64 * 1024;

/** The most chunks that are skipped; a file with more is considered hostile. */
const MAX_SKIPPED_CHUNKS = 4096;

/** Bytes per read, so that small chunks do not need a read each. */
const BLOCK = 64 * 1024;

/** The half-open byte ranges of the needed parts in order, in total at most `most` bytes plus one chunk. */
export async function pngParts(
  source: ByteSource,
  most: number,
  signal?: AbortSignal,
): Promise<[number, number][]> {
  const parts: [number, number][] = [[0, 8]];
  let bytes = 8;
  let skipped = 0;
  for await (const { type, at, length } of chunks(source, signal)) {
    if (bytes > most || skipped > MAX_SKIPPED_CHUNKS) break;
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
 * Joins the `parts` (half-open ranges) of `bytes` in place, because copying a large image takes a third of the time of
 * decoding it. The largest part is not moved. Ranges may extend beyond the end.
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
  /** The byte offset of the length field. */
  readonly at: number;
  /** The bytes of the chunk's data; the chunk has 12 more. */
  readonly length: number;
}

/** Yields the chunks from the first to `IEND`. The data of large chunks is not read. */
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
  if (type === 'iCCP') return length <= MAX_PROFILE_BYTES;
  return KEPT.has(type) && (type !== 'eXIf' || length <= MAX_EXIF_BYTES);
}
