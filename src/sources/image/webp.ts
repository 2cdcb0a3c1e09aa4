/** Owns the chunks of a WebP. */

import type { ByteSource } from '../../types/byte-source.ts';
import { cutShort, HeaderReader, type ImageHeader, MOST_HOPS } from './header.ts';
import { readOrientation } from './tiff.ts';

/** The decoder keeps the whole frame as RGBA. */
const HELD = 4;

export async function readWebpHeader(source: ByteSource, signal?: AbortSignal): Promise<ImageHeader> {
  const reader = new HeaderReader(source, 'WebP image', signal);
  const head = await reader.need(12, 18);
  const kind = head.toString('latin1', 0, 4);
  if (kind === 'VP8 ') {
    return {
      width: head.readUInt16LE(14) & 0x3fff,
      height: head.readUInt16LE(16) & 0x3fff,
      channels: 3,
      alpha: false,
      held: HELD,
    };
  }
  if (kind === 'VP8L') {
    const bits = head.readUInt32LE(9);
    const alpha = ((bits >>> 28) & 1) === 1;
    const [width, height] = [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    return { width, height, channels: alpha ? 4 : 3, alpha, held: HELD };
  }
  if (kind !== 'VP8X') throw cutShort('WebP image');
  return extended(reader, head);
}

async function extended(reader: HeaderReader, head: Buffer): Promise<ImageHeader> {
  const flags = head[8] ?? 0;
  const alpha = (flags & 0x10) !== 0;
  const wanted = { frames: (flags & 0x02) !== 0, exif: (flags & 0x08) !== 0 };
  let frames = 0;
  let orientation: number | undefined;
  let whole = false;
  let at = 30;
  for (let hops = 0; (wanted.frames || wanted.exif) && hops < MOST_HOPS; hops++) {
    const chunk = await reader.some(at, 8);
    whole = chunk.length < 8;
    if (whole) break;
    const kind = chunk.toString('latin1', 0, 4);
    const length = chunk.readUInt32LE(4);
    if (kind === 'ANMF') frames += 1;
    if (kind === 'EXIF') {
      const prefixed = (await reader.some(at + 8, 6)).toString('latin1') === 'Exif\0\0';
      orientation ??= await readOrientation(reader, at + 8 + (prefixed ? 6 : 0));
    }
    at += 8 + length + (length % 2);
  }
  return {
    width: head.readUIntLE(12, 3) + 1,
    height: head.readUIntLE(15, 3) + 1,
    channels: alpha ? 4 : 3,
    alpha,
    ...(orientation === undefined ? {} : { orientation }),
    ...(wanted.frames ? { frames: { count: frames, ...(whole ? {} : { atLeast: true }) } } : {}),
    held: HELD,
  };
}
