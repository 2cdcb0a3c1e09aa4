/** Owns the boxes of HEIF (AVIF and HEIC), as far as the facts of the main picture need them. */

import type { ByteSource } from '../../types/byte-source.ts';
import { cutShort, HeaderReader, type ImageHeader, MOST_HOPS } from './header.ts';

/** The properties of a picture lie in one box; a larger one than this is hostile. */
const MOST_META = 1024 * 1024;

/** Measured: the decoder keeps planes with their borders, libheif a copy of them and an RGB copy. */
const HELD = 20;

/** Anticlockwise quarter turns (`irot`) as the EXIF orientation that asks for the same. */
const TURNS = [1, 8, 3, 6] as const;

interface Box {
  readonly type: string;
  readonly body: Buffer;
}

/** Boxes that lie side by side in `bytes`; a box that says it is longer ends where `bytes` does. */
function* boxes(bytes: Buffer): Generator<Box> {
  let at = 0;
  while (at + 8 <= bytes.length) {
    const size = bytes.readUInt32BE(at);
    if (size < 8 && size !== 0) return;
    const end = size === 0 ? bytes.length : Math.min(bytes.length, at + size);
    yield { type: bytes.toString('latin1', at + 4, at + 8), body: bytes.subarray(at + 8, end) };
    at = end;
  }
}

function inside(bytes: Buffer | undefined, type: string): Buffer | undefined {
  for (const box of bytes ? boxes(bytes) : []) if (box.type === type) return box.body;
  return undefined;
}

export async function readHeifHeader(source: ByteSource, signal?: AbortSignal): Promise<ImageHeader> {
  const meta = await findMeta(new HeaderReader(source, 'HEIF image', signal));
  const properties = inside(inside(meta, 'iprp'), 'ipco');
  let size = { width: 0, height: 0 };
  let turn: number | undefined;
  let alpha = false;
  for (const { type, body } of properties ? boxes(properties) : []) {
    // A grid and its tiles each have a size: the picture's is the largest.
    if (type === 'ispe' && body.length >= 12) {
      const [width, height] = [body.readUInt32BE(4), body.readUInt32BE(8)];
      if (width * height > size.width * size.height) size = { width, height };
    }
    if (type === 'irot') turn = TURNS[(body[0] ?? 0) & 3];
    if (type === 'auxC' && body.includes('alpha')) alpha = true;
  }
  if (size.width === 0) throw cutShort('HEIF image');
  const orientation = turn === undefined ? {} : { orientation: turn };
  return { ...size, channels: alpha ? 4 : 3, alpha, ...orientation, held: HELD };
}

/** The body of the top-level `meta` box behind its version and flags. */
async function findMeta(reader: HeaderReader): Promise<Buffer> {
  let at = 0;
  for (let hops = 0; hops < MOST_HOPS; hops++) {
    const head = await reader.need(at, 8);
    let size = head.readUInt32BE(0);
    if (head.toString('latin1', 4, 8) === 'meta') {
      const length = size === 0 ? MOST_META : size - 12;
      if (length > MOST_META || length < 0) break;
      return reader.some(at + 12, length);
    }
    if (size === 1) size = Number((await reader.need(at + 8, 8)).readBigUInt64BE(0));
    if (size < 8) break;
    at += size;
  }
  throw cutShort('HEIF image');
}
