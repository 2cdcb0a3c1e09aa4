/**
 * Detects the type of an image by its first bytes, independent of its name. The detection of image-size 2.1.0 is not used:
 * it takes any text that begins with `BM` for a bitmap, and tries the parsers of 21 formats.
 */

export type ImageType = 'png' | 'jpeg' | 'gif' | 'webp' | 'avif' | 'heic' | 'tiff' | 'bmp' | 'ico' | 'svg';

export type RasterType = Exclude<ImageType, 'svg'>;

export const MIME_TYPES: Readonly<Record<ImageType, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  heic: 'image/heic',
  tiff: 'image/tiff',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  svg: 'image/svg+xml',
};

const SIGNATURES: readonly { type: ImageType; bytes: string }[] = [
  { type: 'png', bytes: '\x89PNG\r\n\x1a\n' },
  { type: 'jpeg', bytes: '\xff\xd8\xff' },
  { type: 'gif', bytes: 'GIF87a' },
  { type: 'gif', bytes: 'GIF89a' },
  { type: 'tiff', bytes: 'II*\0' },
  { type: 'tiff', bytes: 'MM\0*' },
];

/** First bytes for a quick check, so that most texts need not be decoded to rule them out. */
const [B, F, M, R, TAG] = Buffer.from('BfMR<', 'latin1');

/** The valid sizes of a BMP's information header. They are checked because plain text may begin with `BM` too. */
const BMP_HEADERS = new Set([12, 16, 40, 52, 56, 64, 108, 124]);

const HEIF_BRANDS: Readonly<Record<string, ImageType>> = {
  avif: 'avif',
  avis: 'avif',
  heic: 'heic',
  heix: 'heic',
  hevc: 'heic',
  hevx: 'heic',
  heim: 'heic',
  heis: 'heic',
};

/** The type of the image that begins with `head` (about 64 bytes; up to 4 KiB for SVG); undefined if it is not an image. */
export function identifyImage(head: Uint8Array): ImageType | undefined {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength);
  for (const { type, bytes: magic } of SIGNATURES) {
    if (bytes[0] === magic.charCodeAt(0) && bytes.toString('latin1', 0, magic.length) === magic) return type;
  }
  if (
    bytes[0] === R &&
    bytes.toString('latin1', 0, 4) === 'RIFF' &&
    bytes.toString('latin1', 8, 12) === 'WEBP'
  )
    return 'webp';
  if (bytes[4] === F && bytes.toString('latin1', 4, 8) === 'ftyp') return heifType(bytes);
  const [first = 0] = bytes;
  if (first === B) return isBmp(bytes) ? 'bmp' : undefined;
  if (first === 0) return isIco(bytes) ? 'ico' : undefined;
  // Nearly every text begins with another printable character.
  const mayBeTag = first === TAG || first <= 0x20 || first >= 0x7f;
  return mayBeTag && isSvg(bytes) ? 'svg' : undefined;
}

/** By the major brand. `mif1` and `msf1` only mean "HEIF"; then the first known compatible brand decides. */
function heifType(bytes: Buffer): ImageType | undefined {
  if (bytes.length < 12) return undefined;
  const end = Math.min(bytes.readUInt32BE(0), bytes.length);
  const brands = [bytes.toString('latin1', 8, 12)];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(bytes.toString('latin1', at, at + 4));
  const [major = ''] = brands;
  if (major !== 'mif1' && major !== 'msf1') return HEIF_BRANDS[major];
  return brands.map((brand) => HEIF_BRANDS[brand]).find((type) => type !== undefined);
}

function isBmp(bytes: Buffer): boolean {
  return bytes.length >= 26 && bytes[1] === M && BMP_HEADERS.has(bytes.readUInt32LE(14));
}

/** Whether it is a directory of 1 to 255 icons with the first picture after the directory. */
function isIco(bytes: Buffer): boolean {
  if (bytes.length < 22 || bytes.readUInt32LE(0) !== 0x00010000) return false;
  const count = bytes.readUInt16LE(4);
  return count > 0 && count < 256 && bytes[9] === 0 && bytes.readUInt32LE(18) >= 6 + 16 * count;
}

/** Whether the root element is `svg`. An HTML page that contains a drawing is not an image. */
function isSvg(bytes: Buffer): boolean {
  let text = bytes.toString('utf8').replace(/^\ufeff/, '');
  for (;;) {
    text = text.trimStart();
    if (/^<(?:\w+:)?svg[\s/>]/.test(text)) return true;
    const end = text.startsWith('<!--') ? '-->' : text.startsWith('<?') ? '?>' : doctypeEnd(text);
    const at = end === undefined ? -1 : text.indexOf(end);
    if (end === undefined || at === -1) return false;
    text = text.slice(at + end.length);
  }
}

/** The end of a document type declaration, which can have an internal subset: `<!DOCTYPE svg [ <!ENTITY … > ]>`. */
function doctypeEnd(text: string): string | undefined {
  const opening = /^<!DOCTYPE[^[>]*([[>])/i.exec(text);
  if (!opening) return undefined;
  return opening[1] === '[' ? ']>' : '>';
}
