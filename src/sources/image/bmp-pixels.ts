/** Owns decoding BMP, which the image library does not read, to RGBA. Runs in the decoding child. */

export interface BmpPixels {
  readonly width: number;
  readonly height: number;
  /** RGBA, rows from the top. */
  readonly data: Buffer;
}

interface Layout {
  readonly width: number;
  readonly height: number;
  readonly topDown: boolean;
  readonly bits: number;
  readonly compression: number;
  /** RGB entries, each of `entry` bytes (3 in the oldest header, else 4), blue first. */
  readonly palette: Buffer;
  readonly entry: number;
  /** Red, green, blue, alpha: which bits of a pixel of 16 or 32 bits. */
  readonly masks: readonly number[];
  /** Byte offset of the pixels. */
  readonly start: number;
}

const COMPRESSIONS = { none: 0, rle8: 1, rle4: 2, fields: 3, alphaFields: 6 } as const;

/**
 * Decodes a BMP, or with `bare` one without its file header, as icons carry it: its height counts a mask too.
 * Throws for a damaged or unknown layout and for more than `most` pixels, before anything is allocated.
 */
export function readBmpPixels(bytes: Buffer, bare: boolean, most: number): BmpPixels {
  const layout = readLayout(bytes, bare);
  const { width, height } = layout;
  if (width <= 0 || height <= 0) throw new Error('the bitmap has no pixels');
  if (width * height > most) throw new Error('the bitmap exceeds the pixel limit');
  const { compression } = layout;
  const runs = compression === COMPRESSIONS.rle8 || compression === COMPRESSIONS.rle4;
  const data = runs ? readRuns(bytes, layout) : readRows(bytes, layout);
  if (bare && layout.bits < 32) applyMask(bytes, layout, data);
  return { width, height, data };
}

function readLayout(bytes: Buffer, bare: boolean): Layout {
  const at = bare ? 0 : 14;
  const size = bytes.readUInt32LE(at);
  const core = size === 12;
  const bits = bytes.readUInt16LE(at + (core ? 10 : 14));
  const signed = core ? bytes.readUInt16LE(at + 6) : bytes.readInt32LE(at + 8);
  const compression = core ? 0 : bytes.readUInt32LE(at + 16);
  const fields = compression === COMPRESSIONS.fields || compression === COMPRESSIONS.alphaFields;
  // The 40-byte header is followed by the masks; later headers contain them.
  const behind = size === 40 && fields ? (compression === COMPRESSIONS.fields ? 12 : 16) : 0;
  const entry = core ? 3 : 4;
  const colours = bits > 8 ? 0 : (core ? 0 : bytes.readUInt32LE(at + 32)) || 2 ** bits;
  const palette = at + size + behind;
  const end = palette + entry * Math.min(colours, 256);
  return {
    width: core ? bytes.readUInt16LE(at + 4) : bytes.readInt32LE(at + 4),
    height: Math.abs(bare ? Math.trunc(signed / 2) : signed),
    topDown: signed < 0,
    bits,
    compression,
    palette: bytes.subarray(palette, end),
    entry,
    masks: readMasks(bytes, at + 40, fields, bits, size >= 56 || behind === 16),
    start: bare ? end : bytes.readUInt32LE(10),
  };
}

function readMasks(bytes: Buffer, at: number, fields: boolean, bits: number, alpha: boolean): number[] {
  if (fields) return [0, 4, 8, ...(alpha ? [12] : [])].map((offset) => bytes.readUInt32LE(at + offset));
  return bits === 16 ? [0x7c00, 0x3e0, 0x1f] : [0xff0000, 0xff00, 0xff];
}

/** Rows of packed pixels, each padded to 4 bytes. */
function readRows(bytes: Buffer, layout: Layout): Buffer {
  const { width, height, bits, start, topDown } = layout;
  if (![1, 4, 8, 16, 24, 32].includes(bits) || ![0, 3, 6].includes(layout.compression)) {
    throw new Error(`bitmaps of ${bits} bits with compression ${layout.compression} are not known`);
  }
  const stride = Math.ceil((width * bits) / 32) * 4;
  if (start + stride * height > bytes.length) throw new Error('the bitmap is cut short');
  const data = Buffer.alloc(width * height * 4);
  const pixel = bits <= 8 ? indexed(bytes, layout, data) : direct(bytes, layout, data);
  for (let y = 0; y < height; y++) {
    const row = start + stride * (topDown ? y : height - 1 - y);
    for (let x = 0; x < width; x++) pixel(row, x, (y * width + x) * 4);
  }
  return data;
}

type PutPixel = (row: number, x: number, to: number) => void;

function indexed(bytes: Buffer, { bits, palette, entry }: Layout, data: Buffer): PutPixel {
  const perByte = 8 / bits;
  const mask = 2 ** bits - 1;
  return (row, x, to) => {
    const byte = bytes[row + Math.floor(x / perByte)] ?? 0;
    put(data, to, palette, ((byte >> (8 - bits * ((x % perByte) + 1))) & mask) * entry);
  };
}

function put(data: Buffer, to: number, palette: Buffer, from: number): void {
  data[to] = palette[from + 2] ?? 0;
  data[to + 1] = palette[from + 1] ?? 0;
  data[to + 2] = palette[from] ?? 0;
  data[to + 3] = 255;
}

function direct(bytes: Buffer, { bits, masks, compression }: Layout, data: Buffer): PutPixel {
  const size = bits / 8;
  const channels = masks.map((mask) => {
    const shift = mask === 0 ? 0 : 31 - Math.clz32(mask & -mask);
    return { mask, shift, most: mask >>> shift };
  });
  const opaque = compression === COMPRESSIONS.none || (masks[3] ?? 0) === 0;
  return (row, x, to) => {
    const value = bytes.readUIntLE(row + x * size, size);
    for (const [index, { mask, shift, most }] of channels.entries()) {
      data[to + index] = most === 0 ? 0 : Math.round((((value & mask) >>> shift) * 255) / most);
    }
    if (opaque) data[to + 3] = 255;
  };
}

/** Runs of palette indexes from the bottom row up; an escape of 0 ends a row, 1 the picture, 2 moves on. */
function readRuns(bytes: Buffer, layout: Layout): Buffer {
  const { width, height, palette, entry } = layout;
  const nibbles = layout.compression === COMPRESSIONS.rle4;
  const data = Buffer.alloc(width * height * 4);
  let at = layout.start;
  let [x, y] = [0, height - 1];
  const paint = (index: number) => {
    if (x < width && y >= 0) put(data, (y * width + x) * 4, palette, index * entry);
    x += 1;
  };
  const nth = (from: number, index: number) =>
    nibbles ? ((bytes[from + (index >> 1)] ?? 0) >> (index % 2 ? 0 : 4)) & 15 : (bytes[from + index] ?? 0);
  while (y >= 0) {
    if (at + 2 > bytes.length) throw new Error('the bitmap is cut short');
    const [count = 0, value = 0] = bytes.subarray(at, at + 2);
    at += 2;
    if (count > 0) {
      for (let index = 0; index < count; index++) paint(nth(at - 1, nibbles ? index % 2 : 0));
    } else if (value === 0) {
      [x, y] = [0, y - 1];
    } else if (value === 1) {
      break;
    } else if (value === 2) {
      [x, y] = [x + (bytes[at] ?? 0), y - (bytes[at + 1] ?? 0)];
      at += 2;
    } else {
      for (let index = 0; index < value; index++) paint(nth(at, index));
      at += 2 * Math.ceil((nibbles ? Math.ceil(value / 2) : value) / 2);
    }
  }
  return data;
}

/** Below its colours an icon has a bit for each pixel: 1 is transparent. */
function applyMask(bytes: Buffer, { width, height, bits, start }: Layout, data: Buffer): void {
  const mask = start + Math.ceil((width * bits) / 32) * 4 * height;
  const stride = Math.ceil(width / 32) * 4;
  for (let y = 0; y < height; y++) {
    const row = mask + stride * (height - 1 - y);
    for (let x = 0; x < width; x++) {
      if (((bytes[row + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1) data[(y * width + x) * 4 + 3] = 0;
    }
  }
}
