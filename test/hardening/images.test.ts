/**
 * @module-tag slow
 */

import sharp from 'sharp';
import { expect, test } from 'vitest';
import { makePng } from '../support/images.ts';
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
