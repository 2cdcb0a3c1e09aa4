/** The limits of decoding one image. Limits on pixels are checked before decoding starts. */

import type { RasterType } from './identify.ts';

/** The most bytes of a stored image, without parts that the decoder does not need. */
export const MOST_STORED = 128 * 1024 * 1024;

/** The most bytes of the encoded image that is shown. */
export const MOST_SHOWN = 300 * 1024;

/** The memory limit (resident bytes) of the decoding child in addition to the stored bytes. */
export const MOST_MEMORY = 400 * 1024 * 1024;

/** The timeout of one decoding in seconds. */
export const MOST_SECONDS = 10;

/** The most pixels of an image that is decoded row by row. */
const MOST_PIXELS = 150_000_000;

/** The most bytes that a decoder may hold of a frame that cannot be decoded row by row. */
const MOST_HELD = 200 * 1024 * 1024;

/**
 * Bytes that a decoder holds per pixel of a frame; types without an entry are decoded row by row. The values of AVIF and
 * HEIC are measured: the planes with borders, libheif's copy of them, and a copy in RGB.
 */
const HELD: Partial<Record<RasterType, number>> = { gif: 6, webp: 4, avif: 20, heic: 20, tiff: 4 };

/** The most pixels of an image of `type`. `held` is the number of bytes that its decoder holds per pixel. */
export function mostPixels(type: RasterType, held = HELD[type]): number {
  return held ? Math.min(MOST_PIXELS, Math.floor(MOST_HELD / held)) : MOST_PIXELS;
}
