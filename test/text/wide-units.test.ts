/** Texts of 16 and 32 bits a unit: lines that are stored in more bytes than they are shown in, and a last unit that is cut. */

import { expect, test } from 'vitest';
import type { Window } from '../../src/types/excerpt.ts';
import { cutWindow } from '../../src/text/excerpt.ts';
import { follow, inputOf, plainFit } from '../support/windows.ts';

const fit = plainFit({ lines: 3, bytes: 64, line: 64, window: 64, windowMax: 64 });
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

/** First and last byte of each line of each page. */
const pagesOf = async (bytes: Uint8Array, window: Window): Promise<number[][][]> => {
  const pages = await follow(inputOf(bytes), window, fit);
  return pages.map(({ parts }) => parts.flat().map(({ start, end }) => [start, end]));
};

test('a line that fits only as shown is shown once', async () => {
  const bytes = utf16(`${'a'.repeat(40)}\n${'b'.repeat(40)}\nc\n`);
  expect(await pagesOf(bytes, { kind: 'lines', ranges: [{ from: 1, to: 2 }], context: false })).toStrictEqual(
    [[[2, 84]], [[84, 166]]],
  );
  const page = await cutWindow(
    inputOf(bytes),
    { kind: 'lines', ranges: [{ from: 1, to: 2 }], context: false },
    fit,
  );
  expect(page).toMatchObject({ cutBy: 'bytes', next: { kind: 'lines', ranges: [{ from: 2, to: 2 }] } });
});

test('a whole line is no slice: the next line follows', async () => {
  const roomy = plainFit({ lines: 3, bytes: 100, line: 64, window: 64, windowMax: 64 });
  const bytes = utf16(`${'a'.repeat(36)}\n${'b'.repeat(36)}\n${'c'.repeat(36)}\n`);
  const page = await cutWindow(inputOf(bytes), { kind: 'ends', from: 1, most: 3 }, roomy);
  expect(page.parts[0]?.map(({ no, start, end, cut }) => ({ no, start, end, cut }))).toStrictEqual([
    { no: 1, start: 2, end: 76, cut: undefined },
  ]);
  expect(page.next).toStrictEqual({ kind: 'lines', ranges: [{ from: 2 }] });
});

test('a window at an incomplete last unit shows it alone', async () => {
  const bytes = Buffer.concat([utf16('one\ntwo\n'), Buffer.of(0x61)]);
  expect(await pagesOf(bytes, { kind: 'bytes', start: 18, length: 8 })).toStrictEqual([[[18, 19]]]);
  expect(await pagesOf(bytes, { kind: 'bytes', start: 10, length: 8 })).toStrictEqual([
    [[10, 18]],
    [[18, 19]],
  ]);
});

test('last lines are found before an incomplete unit', async () => {
  const lines = Array.from({ length: 600 }, (_, i) => `line ${1000 + i}\n`).join('');
  const bytes = Buffer.concat([utf16(lines), Buffer.of(0x61)]);
  const size = bytes.length;
  expect(await pagesOf(bytes, { kind: 'tail', lines: 3 })).toStrictEqual([
    [
      [size - 41, size - 21],
      [size - 21, size - 1],
      [size - 1, size],
    ],
  ]);
});
