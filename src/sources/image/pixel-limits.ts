/** The limits of decoding one image. Those on pixels are checked before decoding starts. */

import type { RasterType } from './identify.ts';

/** Bytes of a stored image that are decoded; parts that a decoder does not need do not count. */
export const MOST_STORED = 128 * 1024 * 1024;

/** Bytes of an encoded image that is shown. */
export const MOST_SHOWN = 300 * 1024;

/** Resident bytes of the decoding child beside the stored ones, for costs that no header declares. */
export const MOST_MEMORY = 400 * 1024 * 1024;

/** Seconds of one decoding. */
export const MOST_SECONDS = 10;

/** Pixels that are decoded row by row. */
const MOST_PIXELS = 150_000_000;

/** Bytes that a decoder may hold of a frame that it cannot decode row by row. */
const MOST_HELD = 200 * 1024 * 1024;

/**
 * Bytes that a decoder holds for each pixel of a frame; types without an entry are decoded row by row. AVIF and HEIC
 * are measured: the planes with their borders, libheif's copy of them, and one in RGB.
 */
const HELD: Partial<Record<RasterType, number>> = { gif: 6, webp: 4, avif: 20, heic: 20, tiff: 4 };

/** The most pixels of an image of `type`. `held`: bytes that the decoder holds for each pixel of this one. */
export function mostPixels(type: RasterType, held = HELD[type]): number {
  return held ? Math.min(MOST_PIXELS, Math.floor(MOST_HELD / held)) : MOST_PIXELS;
}
