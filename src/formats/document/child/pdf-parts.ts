/** Lists the images that are embedded in the pages of a PDF, and decodes one of them. */

import { type AttachmentFacts, type DocumentFacts, DocumentRefusal } from '../protocol.ts';
import type { ConvertedText } from './markdown.ts';
import { openPdf, pdfjs } from './pdf.ts';
import type { EncodedPicture, PixelData } from './pdf-picture.ts';

type PdfDocument = Awaited<ReturnType<typeof openPdf>>;
type Page = Awaited<ReturnType<PdfDocument['getPage']>>;

/** The most pixels of one image. */
const MAX_PDF_IMAGE_PIXELS = 150_000_000;

const UNDECODED = 'the image is damaged, or of a kind that is not decoded';

/** The most pages, images and milliseconds of one list; a longer list continues in the next call. */
const MAX_IMAGE_LIST_PAGES = 100;
const MAX_LISTED_IMAGES = 500;
const MAX_IMAGE_LIST_MS = 5_000;

/** One line per image in drawing order: `p3-2.png  640x480 pixels`. Pages `from` to `to` are 1-based and inclusive. */
export async function listImages(
  bytes: Buffer,
  { from, to }: { readonly from: number; readonly to?: number | undefined },
  password: string | undefined,
): Promise<ConvertedText> {
  const document = await openPdf(bytes, password);
  try {
    const pages = document.numPages;
    if (from > pages) throw new DocumentRefusal('absent', undefined, { of: 'page', count: pages });
    const last = Math.min(to ?? pages, pages);
    const lines: string[] = [];
    const end = performance.now() + MAX_IMAGE_LIST_MS;
    let page = from;
    do {
      const images = await imagesOf(document, page);
      lines.push(...images.map((image, i) => `p${page}-${i + 1}.png  ${sizeOf(image)}\n`));
      page += 1;
    } while (
      page <= last &&
      page < from + MAX_IMAGE_LIST_PAGES &&
      lines.length < MAX_LISTED_IMAGES &&
      performance.now() < end
    );
    const none = `(no images are embedded in ${from === page - 1 ? `page ${from}` : `pages ${from}-${page - 1}`})\n`;
    return { text: lines.join('') || none, facts: { pages }, nextPage: page <= last ? page : undefined };
  } finally {
    await document.destroy();
  }
}

function sizeOf(image: PixelData | undefined): string {
  return image ? `${image.width}x${image.height} pixels` : 'cannot be decoded';
}

/** Image `number` (1-based) of the page, scaled down to the size limit of page pictures. Throws Refused. */
export async function embeddedImage(
  bytes: Buffer,
  page: number,
  number: number,
  password: string | undefined,
): Promise<EncodedPicture & { readonly facts: DocumentFacts }> {
  const document = await openPdf(bytes, password);
  try {
    const pages = document.numPages;
    if (page > pages) throw new DocumentRefusal('absent', undefined, { of: 'page', count: pages });
    const images = await imagesOf(document, page);
    if (number < 1 || number > images.length)
      throw new DocumentRefusal('absent', undefined, { of: 'image', count: images.length });
    const image = images[number - 1];
    if (!image) throw new DocumentRefusal('unsupported', UNDECODED, { of: 'image', count: images.length });
    if (image.width * image.height > MAX_PDF_IMAGE_PIXELS)
      throw new DocumentRefusal('limit', 'the image has too many pixels');
    const { pictureOfPixels } = await import('./pdf-picture.ts');
    return { ...pictureOfPixels(image), facts: { pages } };
  } finally {
    await document.destroy();
  }
}

/** The distinct images of a page; undefined for an image that cannot be decoded. */
async function imagesOf(document: PdfDocument, number: number): Promise<(PixelData | undefined)[]> {
  const { getResolvedPDFJS } = await pdfjs();
  const { OPS } = await getResolvedPDFJS();
  const drawing: ReadonlySet<number> = new Set([
    OPS.paintImageXObject,
    OPS.paintImageXObjectRepeat,
    OPS.paintInlineImageXObject,
    OPS.paintImageMaskXObject,
    OPS.paintImageMaskXObjectRepeat,
  ]);
  const page = await document.getPage(number).catch(() => undefined);
  if (!page) return [];
  try {
    // A damaged page counts as one without images.
    const { fnArray, argsArray } = await page.getOperatorList().catch(() => NOTHING);
    const known = new Set<unknown>();
    const images: (PixelData | undefined)[] = [];
    for (const [i, drawn] of fnArray.entries()) {
      if (!drawing.has(drawn)) continue;
      const [image] = argsArray[i] as readonly unknown[];
      const key = keyOf(image);
      if (known.has(key)) continue;
      known.add(key);
      images.push(pixelsOf(await resolved(page, image), image));
    }
    return images;
  } finally {
    page.cleanup();
  }
}

const NOTHING = { fnArray: [], argsArray: [] };

interface Drawn {
  readonly data?: unknown;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** The identity of a drawn image: its name, the name in the object of a mask, or an inline image itself. */
function keyOf(image: unknown): unknown {
  const { data } = Object(image) as Drawn;
  return typeof data === 'string' ? data : image;
}

async function resolved(page: Page, image: unknown): Promise<Drawn | null> {
  const key = keyOf(image);
  if (typeof key !== 'string') return image as Drawn;
  const objects = key.startsWith('g_') ? page.commonObjs : page.objs;
  return new Promise((resolve) => void objects.get(key, resolve));
}

function pixelsOf(found: Drawn | null, drawn: unknown): PixelData | undefined {
  const { width, height } = { ...(Object(drawn) as Drawn), ...found };
  const data = found?.data;
  if (!width || !height || !(data instanceof Uint8Array || data instanceof Uint8ClampedArray))
    return undefined;
  const channels = data.length / (width * height);
  if (channels === 1 || channels === 3 || channels === 4) return { data, width, height, channels };
  // One bit per pixel; rows are padded to whole bytes.
  return data.length === Math.ceil(width / 8) * height ? { data, width, height, channels: 0 } : undefined;
}

// Lists the files that are attached to a PDF, and extracts one of them.

interface Attachment extends Pick<AttachmentFacts, 'name' | 'stored'> {
  readonly content: Uint8Array;
}

/** The most attachments that are listed. */
const MAX_PDF_ATTACHMENTS = 1_000;

const MAX_ATTACHMENT_NAME_CHARACTERS = 200;

/** The list, one line per attachment: `notes.txt  1024 bytes`. */
export async function listAttachments(bytes: Buffer, password: string | undefined): Promise<ConvertedText> {
  const { attachments, left, pages } = await attachmentsOf(bytes, password);
  const listed = attachments.map(({ name, stored, content }): AttachmentFacts => ({
    name,
    stored: stored === name ? undefined : stored,
    bytes: content.length,
  }));
  const lines = listed.map((one) => `${one.name}  ${one.bytes} bytes\n`);
  return {
    text: (lines.join('') || '(no files are attached)\n') + (left > 0 ? `(${left} more are attached)\n` : ''),
    facts: { pages, attachments: listed },
  };
}

/** Attachment `number`, 1-based, in the order of the list. Throws Refused. */
export async function attachmentOf(
  bytes: Buffer,
  number: number,
  password: string | undefined,
): Promise<{ data: Uint8Array; facts: DocumentFacts }> {
  const { attachments, pages } = await attachmentsOf(bytes, password);
  const found = attachments[number - 1];
  if (!found) throw new DocumentRefusal('absent', 'it has no such attachment');
  return { data: found.content, facts: { pages } };
}

async function attachmentsOf(
  bytes: Buffer,
  password: string | undefined,
): Promise<{ attachments: readonly Attachment[]; left: number; pages: number }> {
  const document = await openPdf(bytes, password);
  try {
    const found = ((await document.getAttachments()) ?? {}) as Readonly<Record<string, StoredFile>>;
    const names = new Set<string>();
    const files = Object.values(found);
    const attachments = files.slice(0, MAX_PDF_ATTACHMENTS).flatMap(({ filename, content }) => {
      const stored = String(filename ?? '');
      return content instanceof Uint8Array
        ? [{ name: unique(nameFrom(stored), names), stored, content }]
        : [];
    });
    return { attachments, left: Math.max(0, files.length - MAX_PDF_ATTACHMENTS), pages: document.numPages };
  } finally {
    await document.destroy();
  }
}

interface StoredFile {
  readonly filename?: string;
  readonly content?: Uint8Array;
}

/** A name that can be typed after a path: without separators, colons and invisible characters. */
function nameFrom(filename: string): string {
  const name = filename
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}:/\\?#]/gu, '_')
    .trim()
    .slice(0, MAX_ATTACHMENT_NAME_CHARACTERS)
    .toWellFormed();
  return name === '' ? 'unnamed' : name;
}

function unique(name: string, names: Set<string>): string {
  let free = name;
  for (let i = 2; names.has(free); i += 1) free = name.replace(/(\.[^.]*)?$/, ` (${i})$1`);
  names.add(free);
  return free;
}
