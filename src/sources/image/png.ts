/** Owns the chunks of a PNG: the facts in them, and a copy without those that a picture does not need. */

import type { ByteSource } from '../../types/byte-source.ts';
import { cutShort, HeaderReader, type ImageHeader, MOST_HOPS } from './header.ts';
import { readOrientation } from './tiff.ts';

/** Channels and alpha by colour type; palette images count as what they decode to. */
const COLOURS: Readonly<Record<number, { channels: number; alpha: boolean }>> = {
  0: { channels: 1, alpha: false },
  2: { channels: 3, alpha: false },
  3: { channels: 3, alpha: false },
  4: { channels: 2, alpha: true },
  6: { channels: 4, alpha: true },
};

interface Chunk {
  readonly type: string;
  /** Byte offset of the length field. */
  readonly at: number;
  /** Bytes of the chunk's data; the chunk takes 12 more. */
  readonly length: number;
}

/** Chunks from the first to `IEND`, by hopping: their data is not read. */
async function* chunks(reader: HeaderReader): AsyncGenerator<Chunk> {
  let at = 8;
  for (;;) {
    const head = await reader.some(at, 8);
    if (head.length < 8) return;
    const chunk = { type: head.toString('latin1', 4, 8), at, length: head.readUInt32BE(0) };
    yield chunk;
    if (chunk.type === 'IEND') return;
    at += 12 + chunk.length;
  }
}

export async function readPngHeader(source: ByteSource, signal?: AbortSignal): Promise<ImageHeader> {
  const reader = new HeaderReader(source, 'PNG image', signal);
  const ihdr = await reader.need(8, 25);
  const colour = COLOURS[ihdr[17] ?? -1];
  if (ihdr.toString('latin1', 4, 8) !== 'IHDR' || !colour) throw cutShort('PNG image');
  let { channels, alpha } = colour;
  let orientation: number | undefined;
  let frames: number | undefined;
  let hops = 0;
  for await (const { type, at, length } of chunks(reader)) {
    if (type === 'IDAT' || ++hops > MOST_HOPS) break;
    if (type === 'tRNS' && !alpha) [channels, alpha] = [channels + 1, true];
    if (type === 'acTL') frames = (await reader.need(at + 8, 4)).readUInt32BE(0);
    if (type === 'eXIf' && length > 8) orientation = await readOrientation(reader, at + 8);
  }
  return {
    width: ihdr.readUInt32BE(8),
    height: ihdr.readUInt32BE(12),
    channels,
    alpha,
    ...(orientation === undefined ? {} : { orientation }),
    ...(frames === undefined ? {} : { frames: { count: frames } }),
    ...(ihdr[20] === 0 ? {} : { held: channels * ((ihdr[16] ?? 8) > 8 ? 2 : 1) }),
  };
}

const KEPT = new Set([
  'IHDR',
  'PLTE',
  'tRNS',
  'IDAT',
  'IEND',
  'gAMA',
  'cHRM',
  'sRGB',
  'sBIT',
  'cICP',
  'eXIf',
]);

/** A colour profile up to this many bytes stays: deflate gives 1,032:1 at most, so it unpacks to 8 MiB at most. */
const MOST_PROFILE = 8 * 1024;

/** An EXIF block of more than this is not about orientation. */
const MOST_EXIF = 64 * 1024;

/**
 * Where the parts of a PNG lie that a decoder needs, half-open byte ranges in order, and no more of them than `most`
 * bytes and a piece. Text and unknown chunks are left out: a few bytes of `zTXt` unpack to hundreds of megabytes.
 */
export async function pngParts(
  source: ByteSource,
  most: number,
  signal?: AbortSignal,
): Promise<[number, number][]> {
  const parts: [number, number][] = [[0, 8]];
  let bytes = 8;
  let skipped = 0;
  for await (const { type, at, length } of chunks(new HeaderReader(source, 'PNG image', signal))) {
    if (bytes > most || skipped > MOST_HOPS) break;
    if (!isNeeded(type, length)) {
      skipped += 1;
      continue;
    }
    const last = parts.at(-1);
    const end = at + 12 + length;
    bytes += end - at;
    if (last && last[1] === at) last[1] = end;
    else parts.push([at, end]);
  }
  return parts;
}

function isNeeded(type: string, length: number): boolean {
  if (type === 'iCCP') return length <= MOST_PROFILE;
  return KEPT.has(type) && (type !== 'eXIf' || length <= MOST_EXIF);
}
