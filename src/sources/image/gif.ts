/** Owns the blocks of a GIF, as far as its facts need them. */

import type { ByteSource } from '../../types/byte-source.ts';
import { HeaderReader, type ImageHeader } from './header.ts';

/** Frames are COUNTED in the first bytes alone: a long animation is one of "at least N frames". */
const COUNTED = 256 * 1024;

export async function readGifHeader(source: ByteSource, signal?: AbortSignal): Promise<ImageHeader> {
  const reader = new HeaderReader(source, 'GIF image', signal);
  const screen = await reader.need(0, 13);
  const blocks = await reader.some(13, COUNTED);
  const { frames, transparent, whole } = walk(blocks, colourTable(screen[10] ?? 0));
  return {
    width: screen.readUInt16LE(6),
    height: screen.readUInt16LE(8),
    channels: transparent ? 4 : 3,
    alpha: transparent,
    frames: { count: frames, ...(whole ? {} : { atLeast: true }) },
    held: 6,
  };
}

/** Bytes of the colour table that `flags` announces. */
const colourTable = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

function walk(bytes: Buffer, start: number): { frames: number; transparent: boolean; whole: boolean } {
  let frames = 0;
  let transparent = false;
  let at = start;
  const skipSubBlocks = () => {
    while (at < bytes.length && bytes[at] !== 0) at += 1 + (bytes[at] ?? 0);
    at += 1;
  };
  while (at < bytes.length && bytes[at] !== 0x3b) {
    if (bytes[at] === 0x21) {
      if (bytes[at + 1] === 0xf9 && (bytes[at + 3] ?? 0) & 1) transparent = true;
      at += 2;
    } else if (bytes[at] === 0x2c) {
      frames += 1;
      at += 11 + colourTable(bytes[at + 9] ?? 0);
    } else {
      break;
    }
    skipSubBlocks();
  }
  return { frames, transparent, whole: bytes[at] === 0x3b };
}
