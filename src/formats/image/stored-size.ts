/**
 * Reads the size in pixels from the first bytes of an image with image-size, without a child process. Too large images are
 * refused by it, and it is the only fact if sharp is not installed; the others come from the decoding child process.
 */

import { BMP } from 'image-size/types/bmp';
import { GIF } from 'image-size/types/gif';
import { HEIF } from 'image-size/types/heif';
import { ICO } from 'image-size/types/ico';
import { JPG } from 'image-size/types/jpg';
import { PNG } from 'image-size/types/png';
import { SVG } from 'image-size/types/svg';
import { TIFF } from 'image-size/types/tiff';
import { WEBP } from 'image-size/types/webp';
import { readAt } from '../../text/bytes.ts';
import type { ByteSource } from '../../types/access.ts';
import type { ImageType } from './detect.ts';

export interface StoredSize {
  /** In pixels of the upright image; for icon files, of the largest icon. */
  readonly width: number;
  readonly height: number;
  /** The number of pictures in an icon file. */
  readonly frames?: number | undefined;
}

/**
 * The handler of each type, and how many of the first bytes it gets. These are few, because image-size 2.1.0 takes quadratic
 * time for hostile input (HEIF: 6.4 s for 512 KiB, 0.04 s for 16 KiB; SVG: 5 s for 64 KiB, 0.02 s for 4 KiB). JPEG
 * needs the most, because its size comes after profiles and previews.
 */
const HANDLERS = {
  png: { handler: PNG, bytes: 64 },
  jpeg: { handler: JPG, bytes: 256 * 1024 },
  gif: { handler: GIF, bytes: 64 },
  webp: { handler: WEBP, bytes: 64 },
  avif: { handler: HEIF, bytes: 16 * 1024 },
  heic: { handler: HEIF, bytes: 16 * 1024 },
  tiff: { handler: TIFF, bytes: 8 },
  bmp: { handler: BMP, bytes: 64 },
  ico: { handler: ICO, bytes: 4096 },
  svg: { handler: SVG, bytes: 4096 },
} as const satisfies Record<ImageType, object>;

/** The stated size; undefined if the first bytes do not state one, because they are truncated, damaged or unusual. */
export async function storedSize(
  source: ByteSource,
  type: ImageType,
  signal?: AbortSignal,
): Promise<StoredSize | undefined> {
  const { handler, bytes } = HANDLERS[type];
  const head = await readAt(source, 0, bytes, signal);
  // Copied, because image-size reads past the end of a view into other data of the same buffer.
  const input = new Uint8Array(type === 'tiff' ? await withDirectory(source, head, signal) : head);
  try {
    if (!handler.validate(input)) return undefined;
    return isMisread(type, input) ? undefined : sizeOf(handler.calculate(input));
  } catch {
    return undefined;
  }
}

type Calculated = ReturnType<(typeof PNG)['calculate']>;

function sizeOf({ width, height, orientation = 1, images = [] }: Calculated): StoredSize | undefined {
  const [largest] = images.toSorted((a, b) => b.width * b.height - a.width * a.height);
  const stored = largest ?? { width, height };
  if (![stored.width, stored.height].every((side) => Number.isSafeInteger(side) && side >= 0))
    return undefined;
  // EXIF orientations 5 to 8 swap width and height.
  const size = orientation >= 5 ? { width: stored.height, height: stored.width } : stored;
  return { width: size.width, height: size.height, frames: images.length > 1 ? images.length : undefined };
}

/**
 * Inputs that image-size 2.1.0 misreads: the oldest BMP header, whose sides have 16 bits instead of 32, and a WebP truncated
 * within its size, where it takes missing bytes for zeros.
 */
function isMisread(type: ImageType, input: Uint8Array): boolean {
  return (type === 'bmp' && input[14] === 12) || (type === 'webp' && input.length < 25);
}

const MAX_TIFF_TAGS = 512;

/**
 * Makes a TIFF of only the header and the first directory. image-size expects the directory in its input and reads beyond
 * it, but most writers put it at the end of the file.
 */
async function withDirectory(
  source: ByteSource,
  head: Uint8Array,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  if (head.length < 8) return head;
  const little = head[0] === 0x49;
  const header = Buffer.from(head);
  const at = little ? header.readUInt32LE(4) : header.readUInt32BE(4);
  const directory = Buffer.from(await readAt(source, at, 2 + 12 * MAX_TIFF_TAGS, signal));
  if (directory.length < 2) return head;
  const count = little ? directory.readUInt16LE(0) : directory.readUInt16BE(0);
  if (little) header.writeUInt32LE(8, 4);
  else header.writeUInt32BE(8, 4);
  return Buffer.concat([header, directory.subarray(0, 2 + 12 * count), Buffer.alloc(12)]);
}
