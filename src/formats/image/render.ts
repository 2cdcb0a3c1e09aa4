/** Facts about an image and its shown copy, as data and as lines of text. */

import { type ImageType, MIME_TYPES } from './detect.ts';
import type { RasterImage, ShownImage } from './protocol.ts';

/** Of the stored image. */
interface ImageFacts extends Readonly<RasterImage['facts']> {
  readonly mimeType: string;
  /** The stored size; absent while a stream has not ended. */
  readonly bytes?: number | undefined;
}

interface ShownFacts {
  readonly mimeType: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  /** The scale factor of the copy, at most 1. */
  readonly scale: number;
}

export function imageFacts(
  type: ImageType,
  bytes: number | undefined,
  facts: RasterImage['facts'],
): ImageFacts {
  return { mimeType: MIME_TYPES[type], bytes, ...facts };
}

/** `image/png, 1432313 bytes, 3000x2000 pixels, 3 channels, no alpha`. */
export function describeImage(facts: ImageFacts): string {
  const { mimeType, bytes, width, height, channels, alpha, orientation, frames = 1 } = facts;
  return [
    mimeType,
    ...(bytes === undefined ? [] : [`${bytes} bytes`]),
    `${width}x${height} pixels`,
    ...(channels === undefined ? [] : [channels === 1 ? '1 channel' : `${channels} channels`]),
    ...(alpha === undefined ? [] : [alpha ? 'alpha' : 'no alpha']),
    ...(orientation === undefined || orientation === 1
      ? []
      : [`EXIF orientation ${orientation} (sizes are upright)`]),
    ...(frames > 1 ? [`${frames} ${FRAMES[mimeType] ?? 'frames (the first is shown)'}`] : []),
  ].join(', ');
}

/** `image/svg+xml, 258 bytes, 300x200 pixels`. */
export function describeSvg({ mimeType, bytes, width, height }: Partial<ImageFacts>): string {
  const size = width === undefined || height === undefined ? 'no stated size' : `${width}x${height} pixels`;
  return [mimeType, ...(bytes === undefined ? [] : [`${bytes} bytes`]), size].join(', ');
}

const FRAMES: Readonly<Record<string, string>> = {
  'image/x-icon': 'icons',
  'image/tiff': 'pages (the first is shown)',
};

export function shownFacts({ mimeType, data, width, height, from }: ShownImage): ShownFacts {
  const scale = Math.max(width, height) / Math.max(from.width, from.height);
  return { mimeType, bytes: data.length, width, height, scale };
}

/** `Shown at 1568x1045 pixels (scale 0.5227; multiply positions by 1.9133), image/jpeg, 146502 bytes`. */
export function describeShown(shown: ShownFacts): string {
  return `Shown at ${describeSize(shown)}, ${shown.mimeType}, ${shown.bytes} bytes`;
}

/** `64x48 pixels (full size)`. */
export function describeSize({ width, height, scale }: ShownFacts): string {
  const how = scale === 1 ? 'full size' : `scale ${round(scale)}; multiply positions by ${round(1 / scale)}`;
  return `${width}x${height} pixels (${how})`;
}

const round = (value: number) => String(Number(value.toPrecision(5)));
