/** Byte windows: where they begin, where they end, what they never pass. */

import { describe, expect, test } from 'vitest';
import { memoryBytes } from '../../src/text/bytes.ts';
import { fc } from '../support/properties.ts';
import { encodingNamed, utf8 } from '../../src/text/encoding.ts';
import type { ByteSource } from '../../src/types/access.ts';
import type { Excerpt, Line, Limits } from '../../src/types/excerpt.ts';
import { cutWindow } from '../../src/text/excerpt.ts';
import { LineIndex } from '../../src/text/line-index.ts';
import { follow, inputOf, plainFit, textOf } from '../support/windows.ts';

const CAP = 64;
const limits: Partial<Limits> = {
  lines: Number.POSITIVE_INFINITY,
  bytes: CAP,
  line: CAP,
  window: 16,
  windowMax: CAP,
};
const fit = plainFit(limits);

const at = (content: string, start: number, length?: number): Promise<Excerpt> =>
  cutWindow(inputOf(content), { kind: 'bytes', start, ...(length !== undefined && { length }) }, fit);

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
      to === 20 ? undefined : { kind: 'bytes', start: to, length: Math.max(1, (length as number) ?? 16) },
    );
  });

  test('an end beyond the cap moves back to a line', async () => {
    const content = `${'a'.repeat(39)}\n${'b'.repeat(39)}\n`;
    const page = await at(content, 0, CAP);
    expect(page.span).toEqual({ start: 0, end: 40 });
    expect(page.next).toEqual({ kind: 'bytes', start: 40, length: CAP });
  });

  test('a length above the cap is reduced to the cap', async () => {
    expect((await at('x\n'.repeat(100), 0, 10_000)).span).toEqual({ start: 0, end: CAP });
  });

  test('a line of exactly the cap is whole from anywhere', async () => {
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

  test('ends a window with its own end, without whole lines', async () => {
    const end = 2 + lengthOfGiant;
    const page = await at(content, end - 5, CAP);
    expect(textOf(page)).toBe('yyyy\n');
    expect(page.span).toEqual({ start: end - 5, end });
    expect(page.oversized).toEqual({ no: 2, start: 2, bytes: lengthOfGiant });
    expect(page.next).toEqual({ kind: 'bytes', start: end, length: CAP });
  });

  test('is never cut inside a character', async () => {
    const wide = '€'.repeat(CAP);
    const pages = await follow(inputOf(wide), { kind: 'bytes', start: 0, length: 10 }, fit);
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
  const pages = await follow(inputOf(content), { kind: 'bytes', start: CAP * 2, length }, fit);
  expect(pages.map(textOf)).toEqual(slices);
});

test.each([
  ['a return that ends no line', 'a\rb', ['a\r', 'b']],
  ['a return and a letter', '\ra', ['\ra']],
])('a slice may end after %s', async (_, end, slices) => {
  const content = 'x'.repeat(CAP * 2) + end;
  const pages = await follow(inputOf(content), { kind: 'bytes', start: CAP * 2, length: 2 }, fit);
  expect(pages.map(textOf)).toEqual(slices);
});

test('a window past the end is empty', async () => {
  const nothing = { parts: [], invalid: 0 };
  expect(await at('abc\n', 4)).toEqual({ ...nothing, pastEnd: true, totals: { bytes: 4, lines: 1 } });
  expect(await at('', 0)).toEqual({ ...nothing, totals: { bytes: 0, lines: 0 } });
  expect(await at('\ufeff', 3)).toEqual({ ...nothing, pastEnd: true, totals: { bytes: 3, lines: 0 } });
});

describe('whole answers', () => {
  const line = (no: number | undefined, start: number, end: number, text: string): Line => ({
    ...(no !== undefined && { no }),
    start,
    end,
    text,
    role: 'asked',
  });

  test('lines have numbers, and the next window has equal length', async () => {
    expect(await at('one\nzwö\ndrei\nv', 5, 6)).toEqual({
      parts: [[line(2, 4, 9, 'zwö\n'), line(3, 9, 14, 'drei\n')]],
      invalid: 0,
      span: { start: 4, end: 14 },
      cutBy: 'window',
      next: { kind: 'bytes', start: 14, length: 6 },
      totals: { bytes: 15, lines: 4 },
    });
  });

  test('without numbers if lines are not counted', async () => {
    const window = { kind: 'bytes', start: 5, length: 6 } as const;
    expect(await cutWindow(inputOf('one\nzwö\ndrei\nv', false), window, fit)).toEqual({
      parts: [[line(undefined, 4, 9, 'zwö\n'), line(undefined, 9, 14, 'drei\n')]],
      invalid: 0,
      span: { start: 4, end: 14 },
      cutBy: 'window',
      next: { kind: 'bytes', start: 14, length: 6 },
      totals: { bytes: 15 },
    });
  });

  test('lines of printable ASCII are marked with and without numbers', async () => {
    const window = { kind: 'bytes', start: 4, length: 3 } as const;
    const plain = { start: 4, end: 8, text: 'two\n', ascii: true, role: 'asked' };
    expect((await cutWindow(inputOf('one\ntwo\n', false), window, fit)).parts).toEqual([[plain]]);
    expect((await cutWindow(inputOf('one\ntwo\n'), window, fit)).parts).toEqual([[{ no: 2, ...plain }]]);
  });

  test('a window ends before a line that does not fit', async () => {
    const page = await at(`é\n${'b'.repeat(62)}\n`, 0, 10);
    expect(page).toEqual({
      parts: [[line(1, 0, 3, 'é\n')]],
      invalid: 0,
      span: { start: 0, end: 3 },
      cutBy: 'window',
      next: { kind: 'bytes', start: 3, length: 10 },
      totals: { bytes: 66, lines: 2 },
    });
    const beforeLonger = await at(`é\n${'b'.repeat(999)}\n`, 0, 10);
    expect(beforeLonger).toEqual({ ...page, totals: { bytes: 1003, lines: 2 } });
  });

  test('invalid sequences are counted in the lines that are shown', async () => {
    const content = Buffer.from('ff610aff62ff0a', 'hex');
    const window = { kind: 'bytes', start: 0, length: 9 } as const;
    expect(await cutWindow(inputOf(content), window, fit)).toEqual({
      parts: [[line(1, 0, 3, '\ufffda\n'), line(2, 3, 7, '\ufffdb\ufffd\n')]],
      invalid: 3,
      span: { start: 0, end: 7 },
      totals: { bytes: 7, lines: 2 },
    });
    const { invalid, cutBy } = await cutWindow(inputOf(content), { ...window, length: 1 }, fit);
    expect([invalid, cutBy]).toEqual([1, 'window']);
  });

  test.each<[string, Partial<Limits>, string]>([
    ['tokens', { tokens: 20 }, 'tokens'],
    ['lines of an answer', { answerLines: 2 }, 'lines'],
  ])('a limit of %s ends a window', async (_, limit, cutBy) => {
    const each = plainFit({ ...limits, ...limit }, { tokens: (text) => 2 * text.length });
    const page = await cutWindow(
      inputOf('éaa\nbbb\ncc\ndd\n'),
      { kind: 'bytes', start: 0, length: 15 },
      each,
    );
    expect([textOf(page), page.cutBy, page.next]).toEqual([
      'éaa\nbbb\n',
      cutBy,
      { kind: 'bytes', start: 9, length: 15 },
    ]);
  });

  test('a slice of an oversized line tells about the line', async () => {
    const content = Buffer.from(`a\n${'é'.repeat(CAP)}\xff\n`, 'latin1');
    const window = { kind: 'bytes', start: 60, length: 7 } as const;
    const slice = { ...line(2, 60, 67, '\ufffd'.repeat(7)), cut: 'slice' };
    const shown = { invalid: 7, span: { start: 60, end: 67 }, cutBy: 'line' };
    const next = { kind: 'bytes', start: 67, length: 7 };
    expect(await cutWindow(inputOf(content), window, fit)).toEqual({
      ...shown,
      parts: [[slice]],
      next,
      oversized: { no: 2, start: 2, bytes: 66 },
      totals: { bytes: 68, lines: 2 },
    });
    const { no: _, ...unnumbered } = slice;
    expect(await cutWindow(inputOf(content, false), window, fit)).toEqual({
      ...shown,
      parts: [[unnumbered]],
      next,
      oversized: { start: 60 },
      totals: { bytes: 68 },
    });
  });
});

describe('a line too long for lines, not for a window', () => {
  const narrow = plainFit({ ...limits, bytes: 32, line: 32 });
  const content = `a\n${'€'.repeat(16)}\nb\n`;
  const from = async (start: number): Promise<unknown> => {
    const page = await cutWindow(inputOf(content), { kind: 'bytes', start, length: 10 }, narrow);
    return [page.span, page.oversized];
  };

  test('is whole in a window that begins with it', async () => {
    expect(await from(2)).toEqual([{ start: 2, end: 51 }, undefined]);
  });

  test('is begun inside, between characters, where a window begins inside', async () => {
    const oversized = { no: 2, start: 2, bytes: 49 };
    expect(await from(5)).toEqual([{ start: 5, end: 14 }, oversized]);
    expect(await from(6)).toEqual([{ start: 5, end: 14 }, oversized]);
    expect(await from(7)).toEqual([{ start: 5, end: 17 }, oversized]);
    expect(await from(8)).toEqual([{ start: 8, end: 17 }, oversized]);
  });
});

test('a window in a legacy encoding begins where told', async () => {
  const bytes = Buffer.from('8abf'.repeat(100), 'hex');
  const encoding = encodingNamed('shift_jis', 'told', bytes) ?? utf8;
  const input = { source: memoryBytes(bytes), encoding, index: new LineIndex(encoding), counted: true };
  const pages = await follow(input, { kind: 'bytes', start: 100, length: 41 }, fit);
  expect(pages.map(({ span }) => span)).toEqual([
    { start: 100, end: 140 },
    { start: 140, end: 180 },
    { start: 180, end: 200 },
  ]);
  expect(pages.map(textOf).join('')).toBe('漢'.repeat(50));
});

test('a window reads little more than itself, wherever it is', async () => {
  const content = memoryBytes('some words\n'.repeat(100_000));
  let asked = 0;
  const source: ByteSource = {
    ...content,
    readInto(target, offset) {
      asked += target.length;
      return content.readInto(target, offset);
    },
  };
  const window = { kind: 'bytes', start: 550_000, length: 60 } as const;
  const page = await cutWindow({ ...inputOf('', false), source }, window, fit);
  expect(page.span).toEqual({ start: 550_000, end: 550_055 });
  // One byte at its start, as much before it as a whole line may have, the window with 4 KiB more, one byte after it.
  expect(asked).toBe(1 + (CAP + 256 + 2) + (60 + 4096) + 1);
});

test('following `next` from any start reaches the end', { tags: 'slow' }, async () => {
  const line = fc.oneof(
    { weight: 5, arbitrary: fc.string({ maxLength: 20 }) },
    { weight: 1, arbitrary: fc.integer({ min: 50, max: 300 }).map((length) => 'é'.repeat(length)) },
  );
  const text = fc.array(line, { maxLength: 30 }).map((lines) => lines.join('\n').toWellFormed());
  await fc.assert(
    fc.asyncProperty(text, fc.nat(400), fc.integer({ min: 1, max: 100 }), async (content, start, length) => {
      const bytes = Buffer.from(content);
      const pages = await follow(inputOf(content), { kind: 'bytes', start, length }, fit);
      const begin = pages[0]?.span?.start ?? bytes.length;
      expect(pages.map(textOf).join('')).toBe(bytes.subarray(begin).toString());
      for (const { span } of pages) expect((span?.end ?? 0) - (span?.start ?? 0)).toBeLessThanOrEqual(CAP);
    }),
    { numRuns: 500 },
  );
});
