/** Windows from the end that are told where to end: a line that goes on after that byte is announced. */

import { expect, test } from 'vitest';
import type { Excerpt } from '../../src/types/excerpt.ts';
import { cutWindow } from '../../src/text/excerpt.ts';
import { inputOf, plainFit, textOf } from '../support/windows.ts';

const fit = plainFit({ bytes: 64, line: 64, window: 64, windowMax: 64 });

const before = (content: string | Uint8Array, at: number, counted = true): Promise<Excerpt> =>
  cutWindow(inputOf(content, counted), { kind: 'tail', lines: 2, before: at }, fit);

const utf16 = Buffer.from('\ufeffaa\nbb\n', 'utf16le');
const giant = `a\n${'x'.repeat(300)}\nend\n`;

test.each<[string, string | Uint8Array, number, string, Excerpt['cutEnd']]>([
  ['a byte between lines', 'aa\nbb\ncc\n', 6, 'aa\nbb\n', undefined],
  ['the end of an unterminated text', 'aa\nbb', 5, 'aa\nbb', undefined],
  ['a byte beyond the end', 'aa\nbb', 50, 'aa\nbb', undefined],
  ['a byte inside a line', 'aa\nbb\ncc\n', 4, 'aa\nb', whole(2, 4)],
  ['a byte before the terminator', 'aa\nbb\ncc\n', 5, 'aa\nbb', whole(2, 5)],
  ['a byte inside a CRLF', 'aa\r\nbb\r\n', 3, 'aa\r', whole(1, 3)],
  ['UTF-16 between lines', utf16, 8, 'aa\n', undefined],
  ['UTF-16 inside a line', utf16, 10, 'aa\nb', whole(2, 10)],
  ['an oversized line', giant, 12, `a\n${'x'.repeat(10)}`, { at: 12, rest: { kind: 'bytes', start: 12 } }],
])('%s', async (_, content, at, text, cutEnd) => {
  const page = await before(content, at);
  expect(textOf(page)).toBe(text);
  expect(page.cutEnd).toEqual(cutEnd);
});

function whole(no: number, at: number): Excerpt['cutEnd'] {
  return { at, rest: { kind: 'lines', ranges: [{ from: no, to: no }] } };
}

test('without counted lines, a byte window shows the rest', async () => {
  const page = await before('aa\nbb\ncc\n', 4, false);
  expect(page.cutEnd).toEqual({ at: 4, rest: { kind: 'bytes', start: 4 } });
});

test('a slice of an oversized line is already announced', async () => {
  const page = await before(giant, 200);
  expect(page).toMatchObject({ cutBy: 'line', next: { kind: 'tail', lines: 2, before: 136 } });
  expect(page.cutEnd).toBeUndefined();
});
