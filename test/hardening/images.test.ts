/**
 * @module-tag slow
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import {
  bmpHeader,
  deflatedZeros,
  exifBlock,
  heic,
  iconDirectory,
  makePng,
  pngChunk,
  pngEnd,
  pngHeader,
  pngSignature,
  withExif,
} from '../support/images.ts';
import { codeOf, textOf, workspace } from '../support/workspace.ts';

test('I01 437 KB PNG of 60,000×60,000', async () => {
  const { write, read } = workspace();
  const pixels = pngChunk('IDAT', await deflatedZeros(60_000 * (1 + 60_000 / 8)));
  write('png-bomb.png', Buffer.concat([pngSignature, pngHeader(60_000, 60_000, 0, 1), pixels, pngEnd]));
  const before = process.resourceUsage().maxRSS;
  const answer = await read('png-bomb.png');
  expect(answer.content).toHaveLength(1);
  expect(answer.details['error']).toEqual({
    code: 'LIMIT',
    message: `The image (image/png, ${45 + pixels.length} bytes, 60000x60000 pixels) cannot be shown: its 3600 megapixels are more than the 150 that are decoded for this type. Use png-bomb.png:meta.`,
    next: 'png-bomb.png:meta',
  });
  expect(textOf(await read('png-bomb.png:meta'))).toBe(
    `image/png, ${45 + pixels.length} bytes, 60000x60000 pixels, 1 channel, no alpha`,
  );
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(50_000);
});

test.each([
  ['gif', 60_000],
  ['webp', 16_000],
  ['tiff', 60_000],
])('I01 a %s whose header declares %i pixels a side', async (format, side) => {
  const { write, read } = workspace();
  const small = await sharp(makePng(8, 8)).toFormat('webp').toBuffer();
  const tag = (id: number, value: number) =>
    Buffer.from([id & 255, id >> 8, 4, 0, 1, 0, 0, 0, value & 255, (value >> 8) & 255, value >> 16, 0]);
  const webp = Buffer.from(small);
  webp.writeUInt16LE(side, 26);
  webp.writeUInt16LE(side, 28);
  const headers: Record<string, Buffer> = {
    gif: Buffer.concat([
      Buffer.from('GIF89a'),
      Buffer.from([side & 255, side >> 8, side & 255, side >> 8, 0, 0, 0, 0x3b]),
    ]),
    webp,
    tiff: Buffer.concat([Buffer.from('II*\0\b\0\0\0\x02\0', 'latin1'), tag(256, side), tag(257, side)]),
  };
  write('bomb', headers[format] ?? '');
  const answer = await read('bomb');
  expect(codeOf(answer)).toBe('LIMIT');
  expect(textOf(answer)).toContain(`${side}x${side} pixels`);
});

test('I03 truncated image', async () => {
  const { write, read } = workspace();
  const whole = makePng(300, 200);
  write('png-trunc.png', whole.subarray(0, whole.length / 2));
  expect((await read('png-trunc.png')).details['error']).toEqual({
    code: 'CORRUPT',
    message: `The image (image/png, ${Math.floor(whole.length / 2)} bytes, 300x200 pixels, 3 channels, no alpha) cannot be shown: its pixels are damaged or cut short. Use png-trunc.png:meta.`,
    next: 'png-trunc.png:meta',
  });
  write('header.png', whole.subarray(0, 20));
  expect((await read('header.png')).details['error']).toMatchObject({
    code: 'CORRUPT',
    message:
      'The png image cannot be read: its header is cut short or damaged. Use a shell to look at it: file header.png, or xxd header.png | head -100.',
  });
});

test('I04 zTXt chunk of 256 MB', async () => {
  const { write, read } = workspace();
  const text = pngChunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), await deflatedZeros(256e6)]));
  write('png-textbomb.png', makePng(64, 48, undefined, [text]));
  const answer = await read('png-textbomb.png');
  expect(codeOf(answer)).toBe('OK');
  expect(answer.content[1]).toMatchObject({ type: 'image', mimeType: 'image/png' });
});

test('I08 EXIF/GPS and ICC', async () => {
  const { write, read } = workspace();
  const photo = await sharp(makePng(60, 40)).withIccProfile('p3').jpeg().toBuffer();
  write('exif.jpg', withExif(photo, exifBlock(6)));
  const answer = await read('exif.jpg');
  const image = answer.content[1];
  if (image?.type !== 'image') throw new Error('no image');
  const bytes = Buffer.from(image.data, 'base64');
  const { width, height, exif, icc, orientation } = await sharp(bytes).metadata();
  expect({ width, height, exif, icc, orientation }).toEqual({ width: 40, height: 60 });
  expect(bytes.includes('GPS')).toBe(false);
  expect(textOf(answer).split('\n')[0]).toMatch(
    /^image\/jpeg, \d+ bytes, 40x60 pixels, 3 channels, no alpha, EXIF orientation 6 \(sizes are upright\)$/,
  );
});

test('I09 native decoder crash isolation', async () => {
  const { W, write, read, text } = workspace();
  write('note.txt', 'still here\n');
  const formats = ['png', 'jpeg', 'webp', 'gif', 'avif', 'tiff'] as const;
  const wholes = await Promise.all(
    formats.map((format) => sharp(makePng(90, 70)).toFormat(format).toBuffer()),
  );
  let state = 11;
  const random = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
  for (const whole of [...wholes, heic, bmpHeader(2, 2), iconDirectory([2])]) {
    const damaged = Buffer.from(whole);
    for (let flips = 0; flips < 12; flips++) damaged[20 + random(damaged.length - 20)] = random(256);
    const path = write('fuzz.bin', damaged);
    const before = statSync(path, { bigint: true }).mtimeNs;
    expect(['OK', 'CORRUPT', 'LIMIT', 'UNSUPPORTED']).toContain(codeOf(await read('fuzz.bin')));
    expect(statSync(path, { bigint: true }).mtimeNs).toBe(before);
    expect(await text('note.txt')).toBe('1|still here\n');
  }
  expect(readdirSync(W)).toEqual(['fuzz.bin', 'note.txt']);
  // What decodes waits for the next image.
  expect(children().length).toBeLessThanOrEqual(2);
});

/** Processes that this one has started and that still run. */
function children(): string[] {
  return readdirSync('/proc/self/task').flatMap((thread) =>
    readFileSync(join('/proc/self/task', thread, 'children'), 'utf8')
      .split(' ')
      .filter(Boolean),
  );
}
