/** Owns what is said about an image: the metadata line, the line about its shown copy, and both as data. */

import type { FittedImage } from './fit.ts';
import type { ImageHeader } from './header.ts';
import { type ImageType, MIME_TYPES } from './identify.ts';

/** An image's own facts, plain JSON. */
export interface ImageFacts {
  readonly mimeType: string;
  /** Stored bytes; absent while a stream has not ended. */
  readonly bytes?: number;
  /** Pixels of the upright image. */
  readonly width: number;
  readonly height: number;
  readonly channels?: number;
  readonly alpha?: boolean;
  readonly orientation?: number;
  readonly frames?: number;
}

/** What was shown of it, plain JSON. */
export interface ShownFacts {
  readonly mimeType: string;
  readonly bytes: number;
  readonly width: number;
  readonly height: number;
  /** Shown pixels for each original pixel, 1 at most. */
  readonly scale: number;
}

/** EXIF orientations from 5 on lay the image on its side. */
const isTurned = ({ orientation = 1 }: ImageHeader) => orientation >= 5;

export function imageFacts(type: ImageType, bytes: number | undefined, header: ImageHeader): ImageFacts {
  const { channels, alpha, orientation, frames } = header;
  const [width, height] = isTurned(header) ? [header.height, header.width] : [header.width, header.height];
  return {
    mimeType: MIME_TYPES[type],
    ...(bytes === undefined ? {} : { bytes }),
    width,
    height,
    ...(channels === undefined ? {} : { channels }),
    ...(alpha === undefined ? {} : { alpha }),
    ...(orientation === undefined ? {} : { orientation }),
    ...(frames ? { frames: frames.count } : {}),
  };
}

/** `image/png, 1432313 bytes, 3000x2000 pixels, 3 channels, no alpha`. */
export function describeImage(facts: ImageFacts, header?: ImageHeader): string {
  const { mimeType, bytes, width, height, channels, alpha, orientation } = facts;
  return [
    mimeType,
    ...(bytes === undefined ? [] : [`${bytes} bytes`]),
    `${width}x${height} pixels`,
    ...(channels === undefined ? [] : [channels === 1 ? '1 channel' : `${channels} channels`]),
    ...(alpha === undefined ? [] : [alpha ? 'alpha' : 'no alpha']),
    ...(orientation === undefined || orientation === 1
      ? []
      : [`EXIF orientation ${orientation} (sizes are upright)`]),
    ...describeFrames(header),
  ].join(', ');
}

/** `image/svg+xml, 258 bytes, 300x200 pixels`. */
export function describeSvg({ mimeType, bytes, width, height }: Partial<ImageFacts>): string {
  const size = width === undefined || height === undefined ? 'no stated size' : `${width}x${height} pixels`;
  return [mimeType, ...(bytes === undefined ? [] : [`${bytes} bytes`]), size].join(', ');
}

function describeFrames(header: ImageHeader | undefined): string[] {
  const { count = 1, atLeast = false, unit = 'frame' } = header?.frames ?? {};
  if (count <= 1 && !atLeast) return [];
  const what = unit === 'icon' ? 'icons (the largest is shown)' : 'frames (the first is shown)';
  return [`${atLeast ? 'at least ' : ''}${count} ${what}`];
}

export function shownFacts({ mimeType, data, width, height, from }: FittedImage): ShownFacts {
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
