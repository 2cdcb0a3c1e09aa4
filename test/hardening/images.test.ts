/**
 * @module-tag slow
 */

import sharp from 'sharp';
import { expect, test } from 'vitest';
import { exifBlock, makePng, withExif } from '../support/images.ts';
import { codeOf, textOf, workspace } from '../support/workspace.ts';

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
