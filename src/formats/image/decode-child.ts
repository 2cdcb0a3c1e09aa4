/**
 * The child process that decodes images: answers each image on standard input with its facts, and with a copy that is
 * upright, within the budget and free of metadata. The engine itself never decodes an image.
 *
 * It is used for many images, of which nothing is left: their bytes are parsed by native code without a cache, its settings are
 * made anew for each, and JavaScript sees only numbers and names of fixed kinds. Starting a child for each would take 0.4 s.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Metadata } from 'sharp';
import { answerJobs, type ChildAnswer } from '../../process/child-jobs.ts';
import { MAX_IMAGE_BYTES, maxImagePixels } from './limits.ts';
import type { DecodeRefusal, DecodeReply, DecodeRequest, DecodeType, RasterFacts } from './protocol.ts';
import { joinParts, makeCopy, OPENING, pngParts, type SharpLibrary } from './shown-copy.ts';

/** The only loader that is enabled for each type, so that a PDF, an SVG or a VIPS dump in disguise is refused. */
const LOADERS: Readonly<Record<DecodeType, string>> = {
  png: 'VipsForeignLoadPng',
  jpeg: 'VipsForeignLoadJpeg',
  gif: 'VipsForeignLoadNsgif',
  webp: 'VipsForeignLoadWebp',
  avif: 'VipsForeignLoadHeif',
  heic: 'VipsForeignLoadHeif',
  tiff: 'VipsForeignLoadTiff',
};

async function decode(request: DecodeRequest, stored: Buffer): Promise<ChildAnswer> {
  let sharp: SharpLibrary;
  try {
    sharp = (await import('sharp')).default;
  } catch {
    return say({ refusal: 'missing' });
  }
  restrict(sharp, request.type);
  // A PNG with only the chunks that a picture needs, compacted in place.
  const bytes = request.type === 'png' ? joinParts(stored, pngParts(stored)) : stored;
  let facts: RasterFacts | undefined;
  // sharp's own timeout does not cover reading the header. This timer can fire because libvips runs on other threads.
  const late = new AbortController();
  const slow = sleep(1000 * request.seconds, undefined, { signal: late.signal }).then(
    () => say({ facts, refusal: 'slow' }),
    () => say({ refusal: 'slow' }),
  );
  const work = async (): Promise<ChildAnswer> => {
    try {
      const header = await readHeader(sharp, bytes, request.type);
      facts = header.facts;
      const { reply, data } = await answer(sharp, bytes, request, header);
      return say({ facts, ...reply }, data);
    } catch (error) {
      return say({ facts, refusal: whyNot(error) });
    }
  };
  const said = await Promise.race([work(), slow]);
  late.abort();
  return said;
}

function say(reply: DecodeReply, body: Uint8Array = Buffer.alloc(0)): ChildAnswer {
  return { reply, body };
}

/** The reason of a failure. sharp's errors differ only in their messages. */
function whyNot(error: unknown): DecodeRefusal {
  return error instanceof Error && error.message.includes('pixel limit') ? 'hidden' : 'corrupt';
}

function restrict(sharp: SharpLibrary, type: DecodeType): void {
  sharp.cache(false);
  sharp.concurrency(1);
  // Disables the loader of the image before.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: [LOADERS[type]] });
}

interface Header {
  readonly facts: RasterFacts;
  /** The most pixels of this image that may be decoded. */
  readonly most: number;
}

async function readHeader(sharp: SharpLibrary, bytes: Buffer, type: DecodeType): Promise<Header> {
  const image = sharp(bytes, { ...OPENING, limitInputPixels: false });
  const { channels, hasAlpha, orientation, pages = 1, autoOrient, ...more } = await image.metadata();
  const facts = {
    ...autoOrient,
    channels,
    alpha: hasAlpha,
    orientation,
    frames: pages > 1 ? pages : undefined,
  };
  return {
    facts,
    most: maxImagePixels(type, more.isProgressive ? heldProgressive(type, channels, more) : undefined),
  };
}

/**
 * Bytes per pixel that a decoder holds for an image in several passes: pixels of an interlaced PNG, coefficients of two bytes
 * of a progressive JPEG (fewer if colour is subsampled).
 */
function heldProgressive(
  type: DecodeType,
  channels: number,
  { depth, chromaSubsampling = '' }: Partial<Metadata>,
) {
  if (type === 'png') return channels * (depth === 'ushort' ? 2 : 1);
  if (type !== 'jpeg') return undefined;
  return 2 * (channels < 3 ? channels : (CHROMA[chromaSubsampling] ?? channels));
}

/** Coefficients per pixel, of all three channels together, by chroma subsampling. */
const CHROMA: Readonly<Record<string, number>> = { '4:2:0': 1.5, '4:2:2': 2 };

async function answer(
  sharp: SharpLibrary,
  bytes: Buffer,
  { type, budget }: DecodeRequest,
  { facts, most }: Header,
): Promise<{ reply: DecodeReply; data?: Buffer | undefined }> {
  if (!budget) return { reply: {} };
  if (facts.width * facts.height > most) return { reply: { refusal: 'large', most } };
  const { data, ...shown } = await makeCopy(sharp, bytes, type, facts, budget);
  return { reply: { shown }, data };
}

/** The size of the input buffer that is reused for the next image; about a PNG of 12 megapixels. */
const REUSED = 32 * 1024 * 1024;

const MAX_DECODE_INPUT_BYTES = MAX_IMAGE_BYTES + 64 * 1024;

await answerJobs(MAX_DECODE_INPUT_BYTES, (request, bytes) => decode(request as DecodeRequest, bytes), REUSED);
