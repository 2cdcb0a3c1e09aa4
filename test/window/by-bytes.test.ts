/** Byte windows: where they begin, where they end, what they never pass. */

import { describe, expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import type { Excerpt } from '../../src/types/excerpt.ts';
import { excerpt } from '../../src/window/excerpt.ts';
import { follow, inputOf, plainFit, textOf } from '../support/windows.ts';

const CAP = 64;
const fit = plainFit({
  lines: Number.POSITIVE_INFINITY,
  bytes: CAP,
  line: CAP,
  window: 16,
  windowMax: CAP,
});

const at = (content: string, start: number, length?: number): Promise<Excerpt> =>
  excerpt(inputOf(content), { by: 'bytes', start, ...(length !== undefined && { length }) }, fit);

describe('whole lines', () => {
  const lines = 'aaaa\nbbbb\ncccc\ndddd\n';
  test.each([
    ['a start on a line stays', 5, 5, 'bbbb\n', [5, 10]],
    ['a start inside a line goes back to its start', 7, 3, 'bbbb\n', [5, 10]],
    ['an end inside a line goes on to its end', 5, 6, 'bbbb\ncccc\n', [5, 15]],
    ['an end between lines stays', 0, 10, 'aaaa\nbbbb\n', [0, 10]],
    ['the window goes on to the end of the line that holds its last byte', 9, 2, 'bbbb\ncccc\n', [5, 15]],
    ['a length of nothing is one line', 5, 0, 'bbbb\n', [5, 10]],
    ['a length beyond the end stops there', 15, 50, 'dddd\n', [15, 20]],
    ['no length is the default', 0, undefined, lines, [0, 20]],
  ])('%s', async (_, start, length, text, [from, to]) => {
    const page = await at(lines, start as number, length as number | undefined);
    expect(textOf(page)).toBe(text);
    expect(page.span).toEqual({ start: from, end: to });
    expect(page.next).toEqual(
      to === 20 ? undefined : { by: 'bytes', start: to, length: Math.max(1, (length as number) ?? 16) },
    );
  });

  test('an end beyond the cap moves back to a line boundary', async () => {
    const content = `${'a'.repeat(39)}\n${'b'.repeat(39)}\n`;
    const page = await at(content, 0, CAP);
    expect(page.span).toEqual({ start: 0, end: 40 });
    expect(page.next).toEqual({ by: 'bytes', start: 40, length: CAP });
  });

  test('a length above the cap is reduced to the cap', async () => {
    expect((await at('x\n'.repeat(100), 0, 10_000)).span).toEqual({ start: 0, end: CAP });
  });

  test('a line of exactly the cap is whole, from wherever in it', async () => {
    const content = `${'x'.repeat(CAP - 1)}\nend\n`;
    for (const start of [0, 1, CAP / 2, CAP - 1]) {
      const page = await at(content, start, 1);
      expect(page.span).toEqual({ start: 0, end: CAP });
      expect(page.oversized).toBeUndefined();
    }
  });
});

describe('a line over the cap', () => {
  const oversized = 'y'.repeat(CAP * 3);
  const content = `a\n${oversized}\nend\n`;
  const lengthOfGiant = oversized.length + 1;

  test('is not begun behind whole lines', async () => {
    expect((await at(content, 0, CAP)).span).toEqual({ start: 0, end: 2 });
  });

  test('is cut to what was asked for', async () => {
    const page = await at(content, 2, 20);
    expect(page.span).toEqual({ start: 2, end: 22 });
    expect(page.oversized).toEqual({ no: 2, start: 2, bytes: lengthOfGiant });
    expect(page.parts.flat()[0]?.cut).toBe('slice');
  });

  test('fills a window up to the cap', async () => {
    expect((await at(content, 2, CAP)).span).toEqual({ start: 2, end: 2 + CAP });
  });

  test('goes on where the window begins', async () => {
    const page = await at(content, 100, 20);
    expect(page.span).toEqual({ start: 100, end: 120 });
    expect(page.oversized).toEqual({ no: 2, start: 2, bytes: lengthOfGiant });
  });

  test('ends a window with its own end: a part is not shown beside whole lines', async () => {
    const end = 2 + lengthOfGiant;
    const page = await at(content, end - 5, CAP);
    expect(textOf(page)).toBe('yyyy\n');
    expect(page.span).toEqual({ start: end - 5, end });
    expect(page.oversized).toEqual({ no: 2, start: 2, bytes: lengthOfGiant });
    expect(page.next).toEqual({ by: 'bytes', start: end, length: CAP });
  });

  test('is never cut inside a character', async () => {
    const wide = '€'.repeat(CAP);
    const pages = await follow(inputOf(wide), { by: 'bytes', start: 0, length: 10 }, fit);
    expect(pages.map(textOf).join('')).toBe(wide);
    expect(pages.every((page) => !textOf(page).includes('\ufffd'))).toBe(true);
  });
});

test.each([
  ['a character', '€€', 1, ['€', '€']],
  ['a line end', 'x\r\n', 2, ['x', '\r\n']],
  ['a line end alone', '\r\n', 1, ['\r\n']],
])('a slice ends before %s, not inside it', async (_, end, length, slices) => {
  const content = 'x'.repeat(CAP * 2) + end;
  const pages = await follow(inputOf(content), { by: 'bytes', start: CAP * 2, length }, fit);
  expect(pages.map(textOf)).toEqual(slices);
});

test('a window past the end is empty', async () => {
  expect(await at('abc\n', 4)).toMatchObject({ parts: [], pastEnd: true });
  expect(await at('', 0)).toMatchObject({ parts: [] });
});

test('following `next` from any start reaches the end of the text', async () => {
  const line = fc.oneof(
    { weight: 5, arbitrary: fc.string({ maxLength: 20 }) },
    { weight: 1, arbitrary: fc.integer({ min: 50, max: 300 }).map((length) => 'é'.repeat(length)) },
  );
  const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n').toWellFormed());
  await fc.assert(
    fc.asyncProperty(text, fc.nat(400), fc.integer({ min: 1, max: 100 }), async (content, start, length) => {
      const bytes = Buffer.from(content);
      const pages = await follow(inputOf(content), { by: 'bytes', start, length }, fit);
      const begin = pages[0]?.span?.start ?? bytes.length;
      expect(pages.map(textOf).join('')).toBe(bytes.subarray(begin).toString());
      for (const { span } of pages) expect((span?.end ?? 0) - (span?.start ?? 0)).toBeLessThanOrEqual(CAP);
    }),
    { numRuns: 500 },
  );
});
