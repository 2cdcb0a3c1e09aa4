/** Both ends of a text, and the facts about the whole of it. */

import { describe, expect, test } from 'vitest';
import { memoryBytes } from '../../src/text/bytes.ts';
import type { Excerpt, Line, Window, Limits } from '../../src/types/excerpt.ts';
import { cutAtWhole, cutWindow } from '../../src/text/excerpt.ts';
import { inputOf, plainFit } from '../support/windows.ts';

const lines = (count: number): string => Array.from({ length: count }, (_, i) => `${i + 1}\n`).join('');
const ends = (content: string, from: number, most: number, limits: Partial<Limits> = {}): Promise<Excerpt> =>
  cutWindow(inputOf(content), { kind: 'ends', from, most }, plainFit(limits));
/** The first and last number of each part. */
const numbers = ({ parts }: Excerpt): string =>
  parts.map((part) => `${part[0]?.no}-${part.at(-1)?.no}`).join(' ');

test.each([
  ['all that fits is one part', 10, 1, 10, '1-10'],
  ['one more is left out of the middle', 11, 1, 10, '1-5 7-11'],
  ['an odd number favours the head', 100, 1, 5, '1-3 99-100'],
  ['from a line on', 100, 50, 10, '50-54 96-100'],
  ['from a line on, all that fits', 100, 91, 10, '91-100'],
  ['one line is the first', 100, 1, 1, '1-1'],
])('%s', async (_, count, from, most, expected) => {
  expect(numbers(await ends(lines(count), from, most))).toBe(expected);
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

test('the next page has a last line over its half', async () => {
  const page = await ends(`a\nb\n${'x'.repeat(200)}`, 1, 4, { bytes: 64, line: 64 });
  expect(page.parts.map((part) => part.map(({ text }) => text))).toEqual([['a\n', 'b\n']]);
  expect(page.next).toEqual({ kind: 'lines', ranges: [{ from: 3 }] });
});

test('the next page continues inside a cut first line', async () => {
  const page = await ends(`${'x'.repeat(200)}\nb\n`, 1, 4, { bytes: 64, line: 64 });
  expect(page.parts.map((part) => part.map(({ no, start, end }) => [no, start, end]))).toEqual([
    [[1, 0, 32]],
    [[2, 201, 203]],
  ]);
  expect(page.next).toEqual({ kind: 'lines', ranges: [{ from: 1 }], inside: 32 });
});

const line = (no: number, start: number, text: string, more: Partial<Line> = {}): Line => ({
  no,
  start,
  end: start + Buffer.byteLength(text),
  text,
  role: 'asked',
  ...more,
});

describe('whole answers of both ends', () => {
  const text = 'é\nö\nü\ná\nó\nú\n';
  const totals = { bytes: 18, lines: 6 };

  test('all of a text that fits', async () => {
    expect(await ends(text, 5, 2)).toEqual({
      parts: [[line(5, 12, 'ó\n'), line(6, 15, 'ú\n')]],
      invalid: 0,
      span: { start: 12, end: 18 },
      totals,
    });
  });

  test('first and last lines, and the page after the first', async () => {
    expect(await ends(text, 2, 3)).toEqual({
      parts: [[line(2, 3, 'ö\n'), line(3, 6, 'ü\n')], [line(6, 15, 'ú\n')]],
      invalid: 0,
      cutBy: 'lines',
      next: { kind: 'lines', ranges: [{ from: 4 }] },
      totals,
    });
  });

  test('both ends of consecutive lines do not overlap', async () => {
    const shown = await ends(text, 1, 6, { bytes: 12 });
    expect(numbers(shown)).toBe('1-2 5-6');
    expect(shown.next).toEqual({ kind: 'lines', ranges: [{ from: 3 }] });
  });

  test('the end has as many lines as fit', async () => {
    const shown = await ends('é\nbbbb\ncccc\nd\ne\n', 1, 10, { bytes: 16 });
    expect(numbers(shown)).toBe('1-2 4-5');
  });

  test('the end is the last line alone, or nothing', async () => {
    const one = await ends('é\nö\nbbbb\n', 1, 10, { bytes: 10 });
    expect(one.parts).toEqual([[line(1, 0, 'é\n')], [line(3, 6, 'bbbb\n', { ascii: true })]]);
    const none = await ends(`é\nö\nü\n${'á'.repeat(8)}\n`, 1, 6, { bytes: 20 });
    expect([numbers(none), none.next]).toEqual(['1-3', { kind: 'lines', ranges: [{ from: 4 }] }]);
  });

  test('each end has half of the tokens', async () => {
    const fit = plainFit({ tokens: 7 }, { tokens: (some) => some.length });
    const shown = await cutWindow(inputOf(text), { kind: 'ends', from: 1, most: 6 }, fit);
    expect([numbers(shown), shown.cutBy]).toEqual(['1-2 5-6', 'tokens']);
  });

  test('invalid sequences are counted in both', async () => {
    const bytes = Buffer.from('ff0a620aff0aff0a', 'hex');
    const shown = await cutWindow(inputOf(bytes), { kind: 'ends', from: 1, most: 3 }, plainFit());
    expect([numbers(shown), shown.invalid]).toEqual(['1-2 4-4', 2]);
  });
});

describe('facts about the text', () => {
  const window: Window = { kind: 'lines', ranges: [{ from: 1, to: 1 }], context: false };
  const facts = async (content: string | Uint8Array, some?: Window): Promise<unknown> => {
    const { hasNul, unterminated } = await cutWindow(inputOf(content), some, plainFit());
    return { ...(hasNul && { hasNul }), ...(unterminated && { unterminated }) };
  };

  test('NUL in what is shown', async () => {
    expect(await facts('a\0b\n')).toEqual({ hasNul: true });
    expect(await facts('a\nb\0\n', window)).toEqual({});
    expect(await facts('a\nb\n\0\n')).toEqual({ hasNul: true });
    // Not in units of two bytes, where it is a character like others.
    expect(await facts(Buffer.from('\ufeffa\0b\n', 'utf16le'))).toEqual({});
  });

  test('an unterminated last line, if shown to its end', async () => {
    expect(await facts('a\nb')).toEqual({ unterminated: true });
    expect(await facts('a\nb\nc')).toEqual({ unterminated: true });
    expect(await facts('a\nb\n')).toEqual({});
    expect(await facts('a\nb', window)).toEqual({});
    expect(await facts('')).toEqual({});
    const cut = await cutWindow(inputOf('x'.repeat(300)), undefined, plainFit({ bytes: 100 }));
    expect('unterminated' in cut).toBe(false);
    const rest: Window = { kind: 'bytes', start: 250 };
    const slice = await cutWindow(inputOf('x'.repeat(300)), rest, plainFit({ bytes: 100, windowMax: 100 }));
    expect([slice.span, 'unterminated' in slice]).toEqual([{ start: 250, end: 300 }, false]);
  });

  test('a stream’s bytes are a total only with counted lines', async () => {
    const totalsOf = async (counted: boolean, streamed: boolean): Promise<unknown> => {
      const source = { ...memoryBytes('é\n'), ...(streamed && { streamed }) };
      return (await cutWindow({ ...inputOf('', counted), source }, undefined, plainFit())).totals;
    };
    expect(await totalsOf(true, true)).toEqual({ bytes: 3, lines: 1 });
    expect(await totalsOf(true, false)).toEqual({ bytes: 3, lines: 1 });
    expect(await totalsOf(false, false)).toEqual({ bytes: 3 });
    expect(await totalsOf(false, true)).toEqual({});
  });
});

describe('an excerpt that ends at a whole', () => {
  const startsBlock = (line: string): boolean => line.startsWith('#');
  const cut = (content: string, most: number): Promise<Excerpt> =>
    cutWindow(
      inputOf(content),
      { kind: 'lines', ranges: [{ from: 1, to: 9 }, { from: 11 }], context: false },
      plainFit({ lines: most }),
    );

  test('has no line behind the last place where it may end', async () => {
    const excerpt = await cut(`#a\n1\n#b\n2\n3\n${'4\n'.repeat(9)}`, 4);
    const whole = cutAtWhole(excerpt, startsBlock);
    expect(numbers(whole)).toBe('1-2');
    expect(whole.next).toEqual({ kind: 'lines', ranges: [{ from: 3, to: 9 }, { from: 11 }] });
    expect(whole.span).toEqual({ start: 0, end: 5 });
  });

  test('is told the line before, and stays where it may not end', async () => {
    const excerpt = await cut(`#a\n1\n2\n3\n${'4\n'.repeat(9)}`, 3);
    expect(cutAtWhole(excerpt, startsBlock)).toBe(excerpt);
    expect(numbers(cutAtWhole(excerpt, (_, previous) => previous === '1\n'))).toBe('1-2');
    const complete = await cut('#a\n#b\n', 9);
    expect(cutAtWhole(complete, startsBlock)).toBe(complete);
    const inside = { ...excerpt, next: { kind: 'lines', ranges: [{ from: 3 }], inside: 9 } } as const;
    expect(cutAtWhole(inside, () => true)).toBe(inside);
  });
});
