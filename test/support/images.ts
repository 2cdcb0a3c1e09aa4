/** Images built byte by byte, so that a test can damage exactly one field. */

import { createDeflate, deflateSync } from 'node:zlib';

/** CRC-32 of PNG chunks, computed bit by bit: fixtures are small. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}

export function pngChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.alloc(12 + data.length);
  chunk.writeUInt32BE(data.length, 0);
  chunk.write(type, 4, 'latin1');
  chunk.set(data, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length);
  return chunk;
}

export const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

export function pngHeader(width: number, height: number, colourType = 2, bits = 8, interlace = 0): Buffer {
  const data = Buffer.alloc(13);
  data.writeUInt32BE(width, 0);
  data.writeUInt32BE(height, 4);
  data.set([bits, colourType, 0, 0, interlace], 8);
  return pngChunk('IHDR', data);
}

export const pngEnd = pngChunk('IEND', Buffer.alloc(0));

/** A whole RGB PNG whose pixel at x, y is `pixel(x, y)`, with `extra` chunks before its pixels. */
export function makePng(
  width: number,
  height: number,
  pixel: (x: number, y: number) => readonly [number, number, number] = (x, y) => [x % 256, y % 256, 128],
  extra: readonly Buffer[] = [],
): Buffer {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) rows.set(pixel(x, y), y * (1 + width * 3) + 1 + x * 3);
  }
  const pixels = pngChunk('IDAT', deflateSync(rows));
  return Buffer.concat([pngSignature, pngHeader(width, height), ...extra, pixels, pngEnd]);
}

/** `bytes` zeros, deflated as a stream: the payload of decompression bombs. */
export async function deflatedZeros(bytes: number): Promise<Buffer> {
  const deflate = createDeflate({ level: 9 });
  const parts: Buffer[] = [];
  deflate.on('data', (part: Buffer) => parts.push(part));
  const zeros = Buffer.alloc(1 << 20);
  for (let left = bytes; left > 0; left -= zeros.length) {
    if (!deflate.write(zeros.subarray(0, Math.min(left, zeros.length)))) {
      await new Promise((resolve) => deflate.once('drain', resolve));
    }
  }
  await new Promise<void>((resolve) => {
    deflate.once('end', resolve);
    deflate.end();
  });
  return Buffer.concat(parts);
}

/** An EXIF block (a TIFF) with an orientation and a GPS position. */
export function exifBlock(orientation: number): Buffer {
  const tiff = Buffer.alloc(8 + 2 + 2 * 12 + 4 + 2 + 12 + 4);
  tiff.write('MM\0*', 0, 'latin1');
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(2, 8);
  entry(tiff, 10, 0x0112, 3, orientation << 16);
  entry(tiff, 22, 0x8825, 4, 38);
  tiff.writeUInt16BE(1, 38);
  entry(tiff, 40, 0x0001, 2, 0x4e000000); // GPSLatitudeRef "N"
  return tiff;
}

function entry(tiff: Buffer, at: number, tag: number, type: number, value: number): void {
  tiff.writeUInt16BE(tag, at);
  tiff.writeUInt16BE(type, at + 2);
  tiff.writeUInt32BE(1, at + 4);
  tiff.writeUInt32BE(value >>> 0, at + 8);
}

/** `jpeg` with an EXIF segment inserted after its SOI marker. */
export function withExif(jpeg: Buffer, exif: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exif]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)]);
}

/** The header of a 24-bit BMP. A negative height means that rows are stored top to bottom. */
export function bmpHeader(width: number, height: number): Buffer {
  const bmp = Buffer.alloc(54);
  bmp.write('BM', 0, 'latin1');
  bmp.writeUInt32LE(54, 10);
  bmp.writeUInt32LE(40, 14);
  bmp.writeInt32LE(width, 18);
  bmp.writeInt32LE(height, 22);
  bmp.writeUInt16LE(1, 26);
  bmp.writeUInt16LE(24, 28);
  return bmp;
}

/** The directory of an ICO file with icons of these sides in pixels (0 means 256) and no image data. */
export function iconDirectory(sides: readonly number[]): Buffer {
  const head = Buffer.from([0, 0, 1, 0, sides.length, 0]);
  const entries = sides.map((side) => {
    const entry = Buffer.alloc(16);
    entry.set([side, side, 0, 0, 1, 0, 24, 0]);
    entry.writeUInt32LE(6 + 16 * sides.length, 12);
    return entry;
  });
  return Buffer.concat([head, ...entries]);
}

/** A red HEIC of 300x200 pixels, made by libheif 1.15. */
export const heic = Buffer.from(
  `
    AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAUBtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAA
    AA5waXRtAAAAAAABAAAAImlsb2MAAAAAREAAAQABAAAAAAFkAAEAAAAAAAAAcgAAACNpaW5mAAAAAAABAAAAFWluZmUCAAAAAAEA
    AGh2YzEAAAAAwGlwcnAAAACiaXBjbwAAAHZodmNDAQNwAAAAAAAAAAAAPPAA/P34+AAADwMgAAEAGEABDAH//wNwAAADAJAAAAMA
    AAMAPLoCQCEAAQApQgEBA3AAAAMAkAAAAwAAAwA8oAmIDJ35bqSSmubAgAAAAwCAAAADAIQiAAEAB0QBwXKwYkAAAAAUaXNwZQAA
    AAAAAAEsAAAAyAAAABBwaXhpAAAAAAMICAgAAAAWaXBtYQAAAAAAAAABAAEDgQKDAAAAem1kYXQAAABuKAGvEyGkRQjmqHDT//4m
    lH/9OueH6eXS0nm9kO5rs7ZgRS2lAAAI0AAAAwNmowIpbSgAAEaAAJQABVAAAFDAkwAAxwAHMAAAAwAAAwAALiDKCcAAAAMAAAMA
    AAMAAAMAAAMAAAMAAAMAAAMABUw=
  `,
  'base64',
);
