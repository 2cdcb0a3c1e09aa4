/** Owns the segments of a JPEG up to its frame header. */

import type { ByteSource } from '../../types/byte-source.ts';
import { cutShort, HeaderReader, type ImageHeader, MOST_HOPS } from './header.ts';
import { readOrientation } from './tiff.ts';

/** Frame headers C0 to CF, without the tables and the extension that share the range (DHT, JPG, DAC). */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Bytes of a frame header with four components. */
const FRAME = 6 + 3 * 4;

export async function readJpegHeader(source: ByteSource, signal?: AbortSignal): Promise<ImageHeader> {
  const reader = new HeaderReader(source, 'JPEG image', signal);
  let orientation: number | undefined;
  let at = 2;
  for (let hops = 0; hops < MOST_HOPS; hops++) {
    const head = await reader.need(at, 4);
    const marker = head[1] ?? 0;
    if (head[0] !== 0xff) break;
    if (marker === 0xff) {
      at += 1; // Any number of fill bytes may stand before a marker.
      continue;
    }
    if (isFrame(marker)) return frame(await reader.some(at + 4, FRAME), marker, orientation);
    if (marker === 0xd9 || marker === 0xda) break;
    const length = head.readUInt16BE(2);
    if (marker === 0xe1 && length > 14 && (await reader.need(at + 4, 6)).toString('latin1') === 'Exif\0\0') {
      orientation ??= await readOrientation(reader, at + 10);
    }
    at += 2 + Math.max(2, length);
  }
  throw cutShort('JPEG image');
}

function frame(sof: Buffer, marker: number, orientation: number | undefined): ImageHeader {
  if (sof.length < 6) throw cutShort('JPEG image');
  const channels = sof[5] ?? 0;
  return {
    height: sof.readUInt16BE(1),
    width: sof.readUInt16BE(3),
    channels,
    alpha: false,
    ...(orientation === undefined ? {} : { orientation }),
    ...(PROGRESSIVE.has(marker) ? { held: coefficientBytes(sof.subarray(6), channels) } : {}),
  };
}

const PROGRESSIVE = new Set([0xc2, 0xc6, 0xca, 0xce]);

/** A progressive image is held until its last scan as coefficients of two bytes, fewer where colour is subsampled. */
function coefficientBytes(components: Buffer, channels: number): number {
  const areas = Array.from({ length: channels }, (_, index) => {
    const sampling = components[3 * index + 1] ?? 0x11;
    return (sampling >> 4) * (sampling & 15);
  });
  return (2 * areas.reduce((sum, area) => sum + area, 0)) / Math.max(1, ...areas);
}
