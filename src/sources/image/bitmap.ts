/** Owns the headers of BMP files and of icon directories. */

import type { ByteSource } from '../../types/byte-source.ts';
import { HeaderReader, type ImageHeader } from './header.ts';

export async function readBmpHeader(source: ByteSource, signal?: AbortSignal): Promise<ImageHeader> {
  const reader = new HeaderReader(source, 'BMP image', signal);
  const head = await reader.need(14, 12);
  if (head.readUInt32LE(0) === 12) {
    return { width: head.readUInt16LE(4), height: head.readUInt16LE(6), channels: 3, alpha: false, held: 4 };
  }
  const info = await reader.need(14, 40);
  const alpha = info.readUInt16LE(14) === 32 && (await alphaMask(reader, info.readUInt32LE(0)));
  return {
    width: Math.abs(info.readInt32LE(4)),
    height: Math.abs(info.readInt32LE(8)), // Negative heights say that the first row is the top one.
    channels: alpha ? 4 : 3,
    alpha,
    held: 4,
  };
}

/** From version 3 on the header carries a mask for alpha; before, the fourth byte of a pixel is only padding. */
async function alphaMask(reader: HeaderReader, headerSize: number): Promise<boolean> {
  return headerSize >= 56 && (await reader.need(14 + 52, 4)).readUInt32LE(0) !== 0;
}

export interface Icon {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  /** Where its PNG or headerless BMP lies in the file. */
  readonly offset: number;
  readonly length: number;
}

/** The icons of a directory, the largest (then the most colourful) first. */
export async function readIcons(source: ByteSource, signal?: AbortSignal): Promise<Icon[]> {
  const reader = new HeaderReader(source, 'icon', signal);
  const count = (await reader.need(0, 6)).readUInt16LE(4);
  const entries = await reader.need(6, 16 * count);
  const icons = Array.from({ length: count }, (_, index) => {
    const entry = entries.subarray(16 * index, 16 * (index + 1));
    return {
      width: entry[0] || 256,
      height: entry[1] || 256,
      bits: entry.readUInt16LE(6),
      length: entry.readUInt32LE(8),
      offset: entry.readUInt32LE(12),
    };
  });
  return icons.sort((a, b) => b.width * b.height - a.width * a.height || b.bits - a.bits);
}

export async function readIcoHeader(source: ByteSource, signal?: AbortSignal): Promise<ImageHeader> {
  const icons = await readIcons(source, signal);
  const [largest] = icons;
  return {
    width: largest?.width ?? 0,
    height: largest?.height ?? 0,
    channels: 4,
    alpha: true,
    frames: { count: icons.length, unit: 'icon' },
    held: 4,
  };
}
