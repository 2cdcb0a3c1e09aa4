/** The images that are embedded in a page of a PDF: listed, and one of them as PNG. */

import { type DocumentFacts, Refused } from '../protocol.ts';
import { EDGE, openPdf, pdfjs } from './pdf.ts';

type Embedded = Awaited<ReturnType<Awaited<ReturnType<typeof pdfjs>>['extractImages']>>[number];

/** Pixels of one image. */
const MOST_PIXELS = 40_000_000;

/** A line for each, in the order in which the page draws them: `1: 640x480 pixels`. */
export async function listImages(
  bytes: Buffer,
  page: number,
  password: string | undefined,
): Promise<{ text: string; facts: DocumentFacts }> {
  const { images, pages } = await imagesOf(bytes, page, password);
  const lines = images.map(({ width, height }, i) => `${i + 1}: ${width}x${height} pixels\n`);
  return { text: lines.join(''), facts: { pages } };
}

/** Image `number` (1-based) of the page, at most as large as the picture of a page is. Throws Refused. */
export async function embeddedImage(
  bytes: Buffer,
  page: number,
  number: number,
  password: string | undefined,
): Promise<{ mimeType: string; data: Uint8Array; facts: DocumentFacts }> {
  const { images, pages } = await imagesOf(bytes, page, password);
  const image = images[number - 1];
  if (!image) throw new Refused('absent', undefined, { of: 'image', count: images.length });
  if (image.width * image.height > MOST_PIXELS) throw new Refused('limit', 'the image has too many pixels');
  return { mimeType: 'image/png', data: await png(image), facts: { pages } };
}

async function imagesOf(
  bytes: Buffer,
  page: number,
  password: string | undefined,
): Promise<{ images: readonly Embedded[]; pages: number }> {
  const { extractImages } = await pdfjs();
  const document = await openPdf(bytes, password);
  try {
    const pages = document.numPages;
    if (page > pages) throw new Refused('absent', undefined, { of: 'page', count: pages });
    return { images: await extractImages(document, page), pages };
  } finally {
    await document.destroy();
  }
}

async function png({ data, width, height, channels }: Embedded): Promise<Uint8Array> {
  const { createCanvas, ImageData } = await import('@napi-rs/canvas').catch(() => {
    throw new Refused('missing', '@napi-rs/canvas');
  });
  const pixels = new Uint8ClampedArray(4 * width * height);
  for (let at = 0, from = 0; at < pixels.length; at += 4, from += channels) {
    const red = data[from] ?? 0;
    pixels[at] = red;
    pixels[at + 1] = channels === 1 ? red : (data[from + 1] ?? 0);
    pixels[at + 2] = channels === 1 ? red : (data[from + 2] ?? 0);
    pixels[at + 3] = channels === 4 ? (data[from + 3] ?? 0) : 255;
  }
  const whole = createCanvas(width, height);
  whole.getContext('2d').putImageData(new ImageData(pixels, width, height), 0, 0);
  const scale = Math.min(1, EDGE / Math.max(width, height));
  if (scale === 1) return whole.toBuffer('image/png');
  const small = createCanvas(Math.round(width * scale) || 1, Math.round(height * scale) || 1);
  small.getContext('2d').drawImage(whole, 0, 0, small.width, small.height);
  return small.toBuffer('image/png');
}
