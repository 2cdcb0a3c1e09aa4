/** Owns the tags of TIFF, which also carry the EXIF orientation of the other formats. */

import type { ByteSource } from '../../types/byte-source.ts';
import { cutShort, HeaderReader, type ImageHeader } from './header.ts';

const TAG = {
  width: 256,
  height: 257,
  photometric: 262,
  orientation: 274,
  samples: 277,
  extraSamples: 338,
} as const;

/** Bytes of one value by field type: BYTE, SHORT, LONG; others carry nothing that is asked for here. */
const SIZES: Readonly<Record<number, 1 | 2 | 4>> = { 1: 1, 3: 2, 4: 4 };

/** An image file directory has at most this many entries that are looked at. */
const MOST_TAGS = 512;

/**
 * The first value of each integer tag of the first directory. `base` is the byte offset of the byte order mark,
 * which the offsets inside are relative to. Undefined when there is no TIFF at `base`.
 */
async function readTags(reader: HeaderReader, base: number): Promise<Map<number, number> | undefined> {
  const head = await reader.some(base, 8);
  const order = head.toString('latin1', 0, 2);
  if (head.length < 8 || (order !== 'II' && order !== 'MM')) return undefined;
  const little = order === 'II';
  const int = (bytes: Buffer, at: number, size: 1 | 2 | 4) =>
    little ? bytes.readUIntLE(at, size) : bytes.readUIntBE(at, size);
  const directory = base + int(head, 4, 4);
  const count = await reader.some(directory, 2);
  if (count.length < 2) return undefined;
  const entries = await reader.some(directory + 2, 12 * Math.min(MOST_TAGS, int(count, 0, 2)));
  const tags = new Map<number, number>();
  for (let at = 0; at + 12 <= entries.length; at += 12) {
    const size = SIZES[int(entries, at + 2, 2)];
    const values = int(entries, at + 4, 4);
    if (!size || values === 0) continue;
    // Up to four bytes of values lie in the entry itself; longer lists matter only by being there.
    tags.set(int(entries, at, 2), size * values <= 4 ? int(entries, at + 8, size) : 0);
  }
  return tags;
}

/** EXIF orientation 1 to 8 of the TIFF at byte `base`, or undefined. */
export async function readOrientation(reader: HeaderReader, base: number): Promise<number | undefined> {
  return valid((await readTags(reader, base))?.get(TAG.orientation));
}

const valid = (orientation: number | undefined) =>
  orientation !== undefined && orientation >= 1 && orientation <= 8 ? orientation : undefined;

export async function readTiffHeader(source: ByteSource, signal?: AbortSignal): Promise<ImageHeader> {
  const reader = new HeaderReader(source, 'TIFF image', signal);
  const tags = await readTags(reader, 0);
  const width = tags?.get(TAG.width);
  const height = tags?.get(TAG.height);
  if (!tags || width === undefined || height === undefined) throw cutShort('TIFF image');
  const orientation = valid(tags.get(TAG.orientation));
  const palette = tags.get(TAG.photometric) === 3;
  return {
    width,
    height,
    channels: palette ? 3 : (tags.get(TAG.samples) ?? 1),
    alpha: tags.has(TAG.extraSamples),
    ...(orientation === undefined ? {} : { orientation }),
    held: 4,
  };
}
