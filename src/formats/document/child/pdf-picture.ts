/** Draws a page of a PDF with PDFium, which runs as WebAssembly, and encodes pixels as PNG within the limit of a shown image. */

import { crc32 } from 'node:zlib';
import type { WrappedPdfiumModule } from '@embedpdf/pdfium';
import { zlibSync } from 'fflate';
import { type DocumentFacts, DocumentRefusal } from '../protocol.ts';

/** The picture of a page (1-based), for pages without text. Throws Refused. */
export async function pictureOf(
  bytes: Buffer,
  page: number,
  password = '',
): Promise<EncodedPicture & { readonly facts: DocumentFacts }> {
  const library = await loadPdfium();
  const document = open(library, bytes, password);
  const pages = library.FPDF_GetPageCount(document);
  if (page > pages) throw new DocumentRefusal('absent', undefined, { of: 'page', count: pages });
  const at = library.FPDF_LoadPage(document, page - 1);
  if (at === 0) throw new DocumentRefusal('damaged');
  return { ...draw(library, at), facts: { pages } };
}

async function loadPdfium(): Promise<WrappedPdfiumModule> {
  const { init } = await import('@embedpdf/pdfium');
  const silent = (): void => {};
  const library = await init({ print: silent, printErr: silent, ...code() } as Parameters<typeof init>[0]);
  library.FPDF_InitLibrary();
  return library;
}

/** In a realm it does not find its file, and refuses to run if this is neither Node nor a browser. */
function code(): object | undefined {
  const { readPdfiumWasm } = globalThis as { readPdfiumWasm?: (() => Uint8Array) | undefined };
  if (!readPdfiumWasm) return undefined;
  Object.assign(globalThis, { window: globalThis });
  return { wasmBinary: readPdfiumWasm(), locateFile: (name: string) => name };
}

/** It is replaced when it grows. */
function memoryOf({ pdfium }: WrappedPdfiumModule): Uint8Array {
  return (pdfium as unknown as { readonly HEAPU8: Uint8Array }).HEAPU8;
}

/** FPDF_ERR_PASSWORD of fpdfview.h. */
const NEEDS_PASSWORD = 4;

/** The address of the document, which is freed with the realm, like all others. */
function open(library: WrappedPdfiumModule, bytes: Buffer, password: string): number {
  const address = library.pdfium.wasmExports.malloc(bytes.length);
  memoryOf(library).set(bytes, address);
  const document = library.FPDF_LoadMemDocument(address, bytes.length, password);
  if (document !== 0) return document;
  if (library.FPDF_GetLastError() !== NEEDS_PASSWORD) throw new DocumentRefusal('damaged');
  throw new DocumentRefusal(password === '' ? 'encrypted' : 'password');
}

/** FPDF_ANNOT and FPDF_REVERSE_BYTE_ORDER of fpdfview.h: with annotations, as RGBA. */
const DRAWN_WITH = 0x01 | 0x10;
const WHITE = 0xffffffff;

function draw(library: WrappedPdfiumModule, page: number): EncodedPicture {
  const size = [library.FPDF_GetPageWidthF(page), library.FPDF_GetPageHeightF(page)] as const;
  const [width, height] = size.map((side) =>
    Math.max(1, Math.floor((EDGE / Math.max(...size, 1)) * side)),
  ) as [number, number];
  const bitmap = library.FPDFBitmap_Create(width, height, 0);
  if (bitmap === 0) throw new DocumentRefusal('limit', 'its page is too large');
  library.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
  library.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, DRAWN_WITH);
  const at = library.FPDFBitmap_GetBuffer(bitmap);
  const pixels = memoryOf(library).subarray(at, at + 4 * width * height);
  return { data: pngOf({ pixels, width, height }, false), width, height };
}

// Encodes pixels as PNG.

/** The most pixels of the longer side of a picture. */
const EDGE = 1_400;

/** A PNG. */
export interface EncodedPicture {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
}

export interface PixelData {
  readonly data: Uint8Array | Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
  /** 0: one bit per pixel (1 is white), rows padded to whole bytes; 1: grey; 3: RGB; 4: RGBA. One byte per channel. */
  readonly channels: 0 | 1 | 3 | 4;
}

export function pictureOfPixels(image: PixelData): EncodedPicture {
  const { width, height, ...small } = shrunk(image);
  return { data: pngOf({ ...small, width, height }, image.channels === 4), width, height };
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/** Of RGBA, with or without its transparency. */
function pngOf(
  { pixels, width, height }: { pixels: Uint8Array | Uint8ClampedArray; width: number; height: number },
  isTransparent: boolean,
): Uint8Array {
  const channels = isTransparent ? 4 : 3;
  // The first byte of a row is the number of its filter: none.
  const rows = Buffer.alloc(height * (channels * width + 1));
  let to = 0;
  for (let at = 0; at < 4 * width * height; at += 4) {
    if (at % (4 * width) === 0) to += 1;
    for (let i = 0; i < channels; i += 1) rows[to++] = pixels[at + i] as number;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, isTransparent ? 6 : 2], 8);
  const parts = [chunk('IHDR', header), chunk('IDAT', zlibSync(rows)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([SIGNATURE, ...parts]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const made = Buffer.alloc(12 + data.length);
  made.writeUInt32BE(data.length, 0);
  made.write(type, 4, 'latin1');
  made.set(data, 8);
  made.writeUInt32BE(crc32(made.subarray(4, 8 + data.length)), 8 + data.length);
  return made;
}

/** Scales down to RGBA by area averaging, without a copy in full size. */
function shrunk(image: PixelData): { pixels: Uint8ClampedArray; width: number; height: number } {
  const scale = Math.min(1, EDGE / Math.max(image.width, image.height));
  const width = Math.max(1, Math.round(image.width * scale));
  const height = Math.max(1, Math.round(image.height * scale));
  const sums = new Float64Array(4 * width * height);
  const counts = new Uint32Array(width * height);
  const columns = Uint32Array.from({ length: image.width }, (_, x) => Math.floor((x * width) / image.width));
  for (let y = 0; y < image.height; y += 1) {
    const row = width * Math.floor((y * height) / image.height);
    for (let x = 0; x < image.width; x += 1) add(image, x, y, row + (columns[x] as number), sums, counts);
  }
  const pixels = new Uint8ClampedArray(4 * width * height);
  for (const [at, count] of counts.entries()) {
    const alpha = sums[4 * at + 3] as number;
    for (let i = 0; i < 3; i += 1) pixels[4 * at + i] = (sums[4 * at + i] as number) / (alpha || 1);
    pixels[4 * at + 3] = alpha / count;
  }
  return { pixels, width, height };
}

/** Adds one pixel to the sums of a target pixel; colours are weighted by their opacity. */
function add(
  { data, width, channels }: PixelData,
  x: number,
  y: number,
  to: number,
  sums: Float64Array,
  counts: Uint32Array,
): void {
  const at = channels === 0 ? y * Math.ceil(width / 8) + (x >> 3) : channels * (y * width + x);
  const first = data[at] as number;
  const red = channels === 0 ? ((first >> (7 - (x & 7))) & 1) * 255 : first;
  const alpha = channels === 4 ? (data[at + 3] as number) : 255;
  const isGrey = channels < 3;
  sums[4 * to] = (sums[4 * to] as number) + red * alpha;
  sums[4 * to + 1] = (sums[4 * to + 1] as number) + (isGrey ? red : (data[at + 1] as number)) * alpha;
  sums[4 * to + 2] = (sums[4 * to + 2] as number) + (isGrey ? red : (data[at + 2] as number)) * alpha;
  sums[4 * to + 3] = (sums[4 * to + 3] as number) + alpha;
  counts[to] = (counts[to] as number) + 1;
}
