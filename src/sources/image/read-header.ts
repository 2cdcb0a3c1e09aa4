/** Owns which reader knows which image. */

import { OrielError } from '../../errors.ts';
import type { ByteSource } from '../../types/byte-source.ts';
import { readBmpHeader, readIcoHeader } from './bitmap.ts';
import { readGifHeader } from './gif.ts';
import type { ImageHeader } from './header.ts';
import { readHeifHeader } from './heif.ts';
import type { ImageType } from './identify.ts';
import { readJpegHeader } from './jpeg.ts';
import { readPngHeader } from './png.ts';
import { readTiffHeader } from './tiff.ts';
import { readWebpHeader } from './webp.ts';

export type RasterType = Exclude<ImageType, 'svg'>;

const READERS: Readonly<
  Record<RasterType, (source: ByteSource, signal?: AbortSignal) => Promise<ImageHeader>>
> = {
  png: readPngHeader,
  jpeg: readJpegHeader,
  gif: readGifHeader,
  webp: readWebpHeader,
  avif: readHeifHeader,
  heic: readHeifHeader,
  tiff: readTiffHeader,
  bmp: readBmpHeader,
  ico: readIcoHeader,
};

/** The facts of an image, from a few reads. Throws CORRUPT when its header is cut, damaged or says 0 pixels. */
export async function readImageHeader(
  source: ByteSource,
  type: RasterType,
  signal?: AbortSignal,
): Promise<ImageHeader> {
  const header = await READERS[type](source, signal);
  if (header.width === 0 || header.height === 0) {
    throw new OrielError(
      'CORRUPT',
      `The ${type} image says that it is ${header.width}x${header.height} pixels.`,
    );
  }
  return header;
}
