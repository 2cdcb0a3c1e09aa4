/** Both ends of a text. */

import { expect, test } from 'vitest';
import type { Excerpt } from '../../src/types/excerpt.ts';
import type { Limits } from '../../src/types/limits.ts';
import { excerpt } from '../../src/window/excerpt.ts';
import { inputOf, plainFit } from '../support/windows.ts';

const lines = (count: number): string => Array.from({ length: count }, (_, i) => `${i + 1}\n`).join('');
const ends = (content: string, from: number, most: number, limits: Partial<Limits> = {}): Promise<Excerpt> =>
  excerpt(inputOf(content), { by: 'ends', from, most }, plainFit(limits));
const numbers = ({ parts }: Excerpt): number[][] =>
  parts.map((part) => [part[0]?.no ?? 0, part.at(-1)?.no ?? 0]);

test.each([
  ['all that fits is one part', 10, 1, 10, [[1, 10]]],
  [
    'one more is left out of the middle',
    11,
    1,
    10,
    [
      [1, 5],
      [7, 11],
    ],
  ],
  [
    'an odd number favours the head',
    100,
    1,
    5,
    [
      [1, 3],
      [99, 100],
    ],
  ],
  [
    'from a line on',
    100,
    50,
    10,
    [
      [50, 54],
      [96, 100],
    ],
  ],
  ['from a line on, all that fits', 100, 91, 10, [[91, 100]]],
  ['one line is the first', 100, 1, 1, [[1, 1]]],
])('%s', async (_, count, from, most, expected) => {
  expect(numbers(await ends(lines(count as number), from as number, most as number))).toEqual(expected);
});

test('each end has half of the budget', async () => {
  const page = await ends(lines(1000), 1, 500, { bytes: 100 });
  const [head = [], tail = []] = page.parts;
  const size = (part: readonly { readonly text: string }[]): number =>
    part.reduce((sum, { text }) => sum + text.length, 0);
  expect(size(head)).toBe(48);
  expect(size(tail)).toBeLessThanOrEqual(50);
  expect(tail.at(-1)?.no).toBe(1000);
  expect(page.cutBy).toBe('bytes');
});

test('a window past the end is empty', async () => {
  expect(await ends(lines(3), 4, 10)).toMatchObject({ parts: [], pastEnd: true });
});

test('a last line over its half of the budget is left for the next page', async () => {
  const page = await ends(`a\nb\n${'x'.repeat(200)}`, 1, 4, { bytes: 64, line: 64 });
  expect(page.parts.map((part) => part.map(({ text }) => text))).toEqual([['a\n', 'b\n']]);
  expect(page.next).toEqual({ by: 'lines', ranges: [{ from: 3 }] });
});

test('the next page goes on inside a first line that was cut', async () => {
  const page = await ends(`${'x'.repeat(200)}\nb\n`, 1, 4, { bytes: 64, line: 64 });
  expect(page.parts.map((part) => part.map(({ no, start, end }) => [no, start, end]))).toEqual([
    [[1, 0, 32]],
    [[2, 201, 203]],
  ]);
  expect(page.next).toEqual({ by: 'lines', ranges: [{ from: 1 }], inside: 32 });
});
