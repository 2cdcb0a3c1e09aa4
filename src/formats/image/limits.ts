/** The limits of decoding one image. Limits on pixels are checked before decoding starts. */

import type { RasterType } from './detect.ts';

/** The most bytes of a stored image, without parts that the decoder does not need. */
export const MAX_IMAGE_BYTES = 128 * 1024 * 1024;

export const MAX_SHOWN_IMAGE_BYTES = 300 * 1024;

/** The memory limit (resident bytes) of the decoding child in addition to the stored bytes. */
export const MAX_DECODER_MEMORY_BYTES = 400 * 1024 * 1024;

/** The timeout of one decoding in seconds. */
export const MAX_DECODE_SECONDS = 10;

/** The most pixels of an image that is decoded row by row. */
const MAX_IMAGE_PIXELS = 150_000_000;

/** The most bytes that a decoder may hold of a frame that cannot be decoded row by row. */
const MAX_FRAME_BYTES = 200 * 1024 * 1024;

/**
 * Bytes that a decoder holds per pixel of a frame; types without an entry are decoded row by row. The values of AVIF and
 * HEIC are measured: the planes with borders, libheif's copy of them, and a copy in RGB.
 */
const FRAME_BYTES_PER_PIXEL: Partial<Record<RasterType, number>> = {
  gif: 6,
  webp: 4,
  avif: 20,
  heic: 20,
  tiff: 4,
};

/** The most pixels of an image of `type`. `held` is the number of bytes that its decoder holds per pixel. */
export function maxImagePixels(type: RasterType, held = FRAME_BYTES_PER_PIXEL[type]): number {
  return held ? Math.min(MAX_IMAGE_PIXELS, Math.floor(MAX_FRAME_BYTES / held)) : MAX_IMAGE_PIXELS;
}
