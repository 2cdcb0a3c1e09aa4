/** Images embedded in a PDF: listed by name, and read by name. */

import { randomBytes } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { pictureOfPixels } from '../../../src/formats/document/child/pdf-picture.ts';
import { some } from '../../support/properties.ts';
import { codeOf, textOf, unhurried, workspace } from '../../support/workspace.ts';
import { fixture, pdf, pdfPages, pdfStream, pdfText } from '../../support/documents.ts';

interface Image {
  readonly width: number;
  readonly height: number;
  readonly data: Buffer;
  /** Of its dictionary. */
  readonly entries: string;
}

const rgb = (width: number, height: number): Image => ({
  width,
  height,
  data: Buffer.alloc(3 * width * height, 200),
  entries: '/ColorSpace/DeviceRGB/BitsPerComponent 8',
});

/** A bit a pixel: the left half of each row is black. */
const halves = (width: number, height: number, kind: string): Image => ({
  width,
  height,
  data: Buffer.from(
    Array.from({ length: (height * width) / 8 }, (_, i) => ((i * 8) % width < width / 2 ? 0 : 255)),
  ),
  entries: `${kind}/BitsPerComponent 1`,
});

/** Pages that draw images: `X0` is the first of them. */
function withImages(images: readonly Image[], pages: readonly string[]): Buffer {
  const names = images.map((_, i) => `/X${i} ${3 + 2 * pages.length + i} 0 R`).join(' ');
  return pdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${pages.map((_, i) => `${3 + 2 * i} 0 R`).join(' ')}]/Count ${pages.length}>>`,
    ...pages.flatMap((content, i) => [
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</XObject<<${names}>>>>/Contents ${4 + 2 * i} 0 R>>`,
      pdfStream(content),
    ]),
    ...images.map(({ width, height, data, entries }) =>
      pdfStream(data, `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}${entries}`),
    ),
  ]);
}

const drawn = (...numbers: readonly number[]): string =>
  numbers.map((number) => `q 60 0 0 40 50 ${50 * number} cm /X${number} Do Q`).join(' ');

const document = withImages([rgb(30, 20), rgb(2000, 10), rgb(8, 8)], [drawn(0, 1, 0), '', drawn(2)]);

async function sizeOf(answer: Promise<Awaited<ReturnType<ReturnType<typeof workspace>['read']>>>) {
  const shown = (await answer).content[1];
  if (shown?.type !== 'image') throw new Error(textOf(await answer));
  const png = Buffer.from(shown.data, 'base64');
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}

test('of a page with own fonts are listed and shown', { tags: 'slow' }, async () => {
  const { write, text } = workspace(unhurried);
  write('r.pdf', fixture('report.pdf'));
  const list = await text('r.pdf:images');
  expect(list).toMatch(/^1\|p1-1\.png {2}320x200 pixels\n\[Use r\.pdf:images\/p1-1\.png to see the first\]$/);
  expect(await text('r.pdf:p1:images')).toBe(list);
  write('s.pdf', fixture('report.pdf'));
  expect(await text('s.pdf:images/p1-1.png')).toMatch(/^Image 1 in page 1 of s\.pdf \(320x200 pixels/);
});

test('are mentioned, and listed for all, some or one page', async () => {
  const { write, text } = workspace(unhurried);
  write('a.pdf', document);
  expect(await text('a.pdf')).toMatch(/\n\[Images are embedded in it\. Use a\.pdf:images to list them\]$/m);
  const [first, second] = ['p1-1.png  30x20 pixels', 'p1-2.png  2000x10 pixels'];
  const note = '[Use a.pdf:images/p1-1.png to see the first]';
  expect(await text('a.pdf:images')).toBe(`1|${first}\n2|${second}\n3|p3-1.png  8x8 pixels\n${note}`);
  expect(await text('a.pdf:p1:images')).toBe(`1|${first}\n2|${second}\n${note}`);
  expect(await text('a.pdf:p2-:images')).toBe(
    '1|p3-1.png  8x8 pixels\n[Use a.pdf:images/p3-1.png to see the first]',
  );
  expect(await text('a.pdf:images:2..2')).toContain(`2|${second}\n`);
  expect(await text('a.pdf:p2:images')).toBe('1|(no images are embedded in page 2)\n');
});

test('are read by name, and by page and number', async () => {
  const { write, read } = workspace(unhurried);
  write('a.pdf', document);
  const answer = await read('a.pdf:images/p1-2.png');
  expect(textOf(answer)).toBe('Image 2 in page 1 of a.pdf (1400x7 pixels, image/png)');
  expect(await sizeOf(read('a.pdf:images/p1-2.png'))).toEqual([1400, 7]);
  expect(await sizeOf(read('a.pdf:p1:image:1'))).toEqual([30, 20]);
  expect((await read('a.pdf:p1:image:3')).details['error']).toEqual({
    code: 'OUT_OF_RANGE',
    message: 'There is no such image: page 1 of a.pdf has 2 embedded images. Use a.pdf:p1:images.',
    next: 'a.pdf:p1:images',
  });
  expect((await read('a.pdf:images/logo.png')).details['error']).toEqual({
    code: 'NOT_FOUND',
    message: 'There is no image logo.png. Use a.pdf:images for the list.',
    next: 'a.pdf:images',
  });
  expect((await read('a.pdf:images/p9-1.png')).details['error']).toMatchObject({
    code: 'OUT_OF_RANGE',
    next: 'a.pdf:p3',
  });
});

test('of every kind are shown; undecodable ones name their page', { tags: 'slow' }, async () => {
  const { write, text, read } = workspace(unhurried);
  const inline = 'q 9 0 0 9 9 400 cm BI /W 4 /H 2 /CS /G /BPC 8 ID \x10\x20\x30\x40\x10\x20\x30\x40 EI Q ';
  const broken = { ...rgb(5, 5), entries: '/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/JPXDecode' };
  const images = [halves(16, 8, '/ColorSpace/DeviceGray'), halves(32, 16, '/ImageMask true'), broken];
  write('a.pdf', withImages(images, [inline + drawn(0, 1, 2)]));
  expect(await text('a.pdf:images')).toBe(
    '1|p1-1.png  4x2 pixels\n2|p1-2.png  16x8 pixels\n3|p1-3.png  32x16 pixels\n4|p1-4.png  cannot be decoded\n[Use a.pdf:images/p1-1.png to see the first]',
  );
  expect(await sizeOf(read('a.pdf:images/p1-2.png'))).toEqual([16, 8]);
  expect(await sizeOf(read('a.pdf:images/p1-3.png'))).toEqual([32, 16]);
  const none = await read('a.pdf:images/p1-4.png');
  expect(codeOf(none)).toBe('UNSUPPORTED');
  expect(textOf(none)).toContain('Use a.pdf:p1:image to see its page');
  expect(await sizeOf(read('a.pdf:p1:image'))).toEqual([1081, 1400]);
});

test('of long documents are listed in parts with next calls', async () => {
  const { write, text } = workspace(unhurried);
  const pages = Array.from({ length: 120 }, (_, i) => drawn(i < 110 ? 0 : 1));
  write('long.pdf', withImages([rgb(30, 20), rgb(8, 8)], pages));
  const found: string[] = [];
  for (let path: string | undefined = 'long.pdf:images'; path !== undefined;) {
    const shown: string = await text(path);
    found.push(...Array.from(shown.matchAll(/\|(p\d+-\d+\.png)/g), ([, name = '']) => name));
    path = /Use (long\.pdf:p\d+-:images) to continue/.exec(shown)?.[1];
  }
  expect(found).toEqual(pages.map((_, i) => `p${i + 1}-1.png`));
});

test('of a package are the parts in its media directory', async () => {
  const { write, text, read } = workspace(unhurried);
  write('a.docx', fixture('report.docx'));
  write('b.xlsx', fixture('sheet.xlsx'));
  write('c.odt', fixture('report.odt'));
  expect(await text('a.docx:images')).toContain('image1.png');
  expect((await read('a.docx:word/media/image1.png')).content[1]).toMatchObject({ type: 'image' });
  expect(await text('c.odt:images')).toContain('.png');
  expect(await text('b.xlsx:images')).toBe('b.xlsx has no directory xl/media, where images are. Use b.xlsx.');
});

test('are not mentioned for a document without any', async () => {
  const { write, text } = workspace(unhurried);
  write('plain.pdf', pdfPages([pdfText('x')]));
  expect(await text('plain.pdf')).not.toContain('mages');
  expect(await text('plain.pdf:images')).toBe('1|(no images are embedded in page 1)\n');
});

/** Colour noise, which no encoding packs well. */
const noise = (width: number, height: number): Image => ({
  ...rgb(width, height),
  data: randomBytes(3 * width * height),
});

test('images and pictures of pages stay within the byte limit', { tags: 'slow' }, async () => {
  const { write, read } = workspace(unhurried);
  const filled = 'q 612 0 0 792 0 0 cm /X0 Do Q';
  write('noise.pdf', withImages([noise(1_400, 1_800)], [filled]));
  write('lines.pdf', withImages([rgb(2_000, 1_500)], [filled]));
  for (const [path, mimeType] of [
    ['noise.pdf:p1:image', 'image/jpeg'],
    ['noise.pdf:p1:image:1', 'image/jpeg'],
    ['lines.pdf:p1:image', 'image/png'],
    ['lines.pdf:images/p1-1.png', 'image/png'],
  ] as const) {
    const answer = await read(path);
    const image = answer.content[1];
    if (image?.type !== 'image') throw new Error(textOf(answer));
    expect([path, image.mimeType]).toEqual([path, mimeType]);
    expect(Buffer.from(image.data, 'base64').length).toBeLessThanOrEqual(300 * 1024);
    expect(textOf(answer)).toMatch(new RegExp(`\\((\\d+)x(\\d+) pixels, ${mimeType}\\)$`));
  }
});

test.each(['slides.pptx', 'report.docx', 'slides.odp', 'small.rtf', 'report.doc'])(
  'pages of %s are not rendered, without an error',
  async (name) => {
    const { write, read } = workspace(unhurried);
    write(name, fixture(name));
    for (const part of [':p2:image', ':p2:images', ':p2:image:1']) {
      const { details } = await read(`${name}${part}`);
      expect(details['error']).toMatchObject({
        code: 'UNSUPPORTED',
        message: expect.stringMatching(
          /^Only pages of PDF files can be drawn, and their images listed\. Use /,
        ),
        next: name,
      });
    }
  },
);

const SCANS: readonly (readonly [string, width: number, height: number, string, perPixel: number])[] = [
  ['one bit a pixel', 4_960, 7_016, '/ColorSpace/DeviceGray/BitsPerComponent 1', 1 / 8],
  ['grey', 4_960, 7_016, '/ColorSpace/DeviceGray/BitsPerComponent 8', 1],
  ['colours', 4_000, 4_000, '/ColorSpace/DeviceRGB/BitsPerComponent 8', 3],
];

test.each(some(SCANS, 1))(
  'a page scanned at 600 dpi is rendered: %s',
  { tags: 'slow' },
  async (_, width, height, entries, perPixel) => {
    const data = deflateSync(Buffer.alloc(Math.ceil(width * perPixel) * height, 255));
    const scan = { width, height, entries: `${entries}/Filter/FlateDecode`, data };
    const { write, read } = workspace(unhurried);
    write('scan.pdf', withImages([scan], [drawn(0)]));
    expect(textOf(await read('scan.pdf:p1:image'))).toContain('Page 1 of scan.pdf as an image');
  },
);

/** Two pixels of 1400 next to each other, whose average is shown: the opaque one counts, the transparent one does not. */
const WIDE = Array.from({ length: 1400 }, () => [10, 20, 30, 255, 90, 90, 90, 0]).flat();

test.each([
  [
    'bits',
    0,
    10,
    [0b10100000, 0b01000000, 0, 0b10000000],
    [255, 0, 255, 0, 0, 0, 0, 0, 0, 255],
    [0, 0, 0, 0, 0, 0, 0, 0, 255, 0],
  ],
  ['grey', 1, 2, [1, 2, 3, 250], [1, 2], [3, 250]],
  ['RGB', 3, 1, [1, 2, 3, 4, 5, 6], [1, 2, 3], [4, 5, 6]],
  ['RGBA', 4, 1, [1, 2, 3, 255, 4, 5, 6, 128], [1, 2, 3, 255], [4, 5, 6, 128]],
  [
    'RGBA in half of its size',
    4,
    2800,
    [...WIDE, ...WIDE],
    Array.from({ length: 1400 }, () => [10, 20, 30, 128]).flat(),
  ],
] as const)('pixels as a PNG: %s', async (_, channels, width, data, ...rows: (readonly number[])[]) => {
  const picture = pictureOfPixels({ data: Uint8Array.from(data), width, height: 2, channels });
  expect([picture.width, picture.height]).toEqual([Math.min(width, 1400), rows.length]);
  const { data: shown, info } = await sharp(picture.data).raw().toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ format: 'raw', width: picture.width, channels: channels === 4 ? 4 : 3 });
  const spread = (row: readonly number[]): readonly number[] =>
    channels < 3 ? row.flatMap((grey) => [grey, grey, grey]) : row;
  expect([...shown]).toEqual(rows.flatMap(spread));
});
