/** Draws a page of a PDF with PDFium, which runs as WebAssembly. */

import { type WrappedPdfiumModule, init } from '@embedpdf/pdfium';
import { type DocumentFacts, DocumentRefusal } from '../protocol.ts';
import { EDGE, type EncodedPicture, pngOf } from './pixels.ts';

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
