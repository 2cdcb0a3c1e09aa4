import { describe, expect, test } from 'vitest';
import { fc } from '../support/properties.ts';
import { memoryBytes } from '../../src/text/bytes.ts';
import type { Excerpt, Line } from '../../src/types/excerpt.ts';
import type { KeptEnd } from '../../src/types/request.ts';
import { foldedTo, OutputEnds, outputExcerpt } from '../../src/text/output.ts';
import { cutWindow } from '../../src/text/excerpt.ts';
import { follow, inputOf, plainFit, textOf, windowOf } from '../support/windows.ts';

const REMEMBERED = 1 << 16;

function endsOf(text: string | Uint8Array, chunk = 1_000, remembered = REMEMBERED): OutputEnds {
  const ends = new OutputEnds({ head: remembered, tail: remembered });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += chunk) ends.push(bytes.subarray(at, at + chunk));
  return ends;
}

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => `${from + i}\n`).join('');

describe('the tail', () => {
  test('what fits is shown whole, at the limits exactly', () => {
    const result = outputExcerpt(endsOf('aaaa\nbbbb\n'), 'tail', plainFit({ bytes: 10, lines: 2 }));
    expect(textOf(result)).toBe('aaaa\nbbbb\n');
    expect(result).not.toHaveProperty('cutBy');
    expect(result).not.toHaveProperty('next');
  });

  test('a last line longer than the buffer', () => {
    const ends = endsOf(`one\n${'x'.repeat(200_000)}\n`);
    const result = outputExcerpt(ends, 'tail', plainFit({ bytes: 50 }));
    expect(textOf(result)).toBe(`${'x'.repeat(49)}\n`);
    expect(result.oversized).toEqual({ no: 2, start: 4, bytes: 200_001 });
  });

  test('a long line that cannot fit is not measured whole', () => {
    const asked: number[] = [];
    const fit = plainFit({ bytes: 50 });
    const counting = { ...fit, cost: (line: Line) => (asked.push(line.text.length), fit.cost(line)) };
    outputExcerpt(endsOf(`one\n${'x'.repeat(60_000)}\n`), 'tail', counting);
    expect(Math.max(...asked)).toBeLessThan(100);
  });

  test('a folded run that does not fit is on the page before', () => {
    const runs = ['a', 'b'].map((letter) => `${letter.repeat(60)}\n`.repeat(3));
    const result = outputExcerpt(endsOf(runs.join('')), 'tail', plainFit({ bytes: 100 }), { folds: 'equal' });
    expect(textOf(result)).toBe(`${'b'.repeat(60)}\n`);
    expect(result).toMatchObject({ cutBy: 'bytes', next: { kind: 'tail', lines: 3, before: 183 } });
  });

  test('the last line of a folded run whose notice does not fit', () => {
    const fit = plainFit({ bytes: 130 });
    const cost = (line: Line): number => fit.cost(line) + (line.folded ? 100 : 0);
    const text = `${'a'.repeat(60)}\n`.repeat(3);
    const result = outputExcerpt(endsOf(text), 'tail', { ...fit, cost }, { folds: 'equal' });
    expect(textOf(result)).toBe(text.slice(0, 61));
    expect(result).toMatchObject({ cutBy: 'bytes', next: { kind: 'tail', lines: 2, before: 122 } });
  });

  test('nothing', () => {
    const result = outputExcerpt(endsOf(''), 'tail', plainFit());
    expect(result).toEqual({ parts: [[]], totals: { bytes: 0, lines: 0 }, invalid: 0 });
  });
});

describe('the head', () => {
  test('ends with its last whole line', () => {
    const result = outputExcerpt(endsOf('aaaa\nbbbb\ncccc\n'), 'head', plainFit({ bytes: 12 }));
    expect(textOf(result)).toBe('aaaa\nbbbb\n');
    expect(result).toMatchObject({ cutBy: 'bytes', next: { kind: 'lines', ranges: [{ from: 3 }] } });
  });

  test('a first line over the budget is cut between characters', () => {
    const result = outputExcerpt(endsOf(`${'é'.repeat(100)}\n`), 'head', plainFit({ bytes: 51 }));
    expect(textOf(result)).toBe('é'.repeat(25));
    expect(result).toMatchObject({ oversized: { no: 1, start: 0 }, next: { kind: 'bytes', start: 50 } });
  });

  test('by lines, of an output much longer than the buffer', () => {
    const result = outputExcerpt(endsOf(numbered(1, 50_000), 4_096), 'head', plainFit({ lines: 10 }));
    expect(textOf(result)).toBe(numbered(1, 10));
    expect(result).toMatchObject({ cutBy: 'lines', totals: { lines: 50_000 } });
  });
});

describe('both ends', () => {
  test('of one oversized line are its end', () => {
    const result = outputExcerpt(endsOf('x'.repeat(1_000)), 'ends', plainFit({ bytes: 100 }));
    expect(textOf(result)).toBe('x'.repeat(100));
    expect(result.next).toEqual({ kind: 'tail', lines: 1, before: 900 });
  });

  test('an oversized last line is read backwards to the head', () => {
    const ends = endsOf(`${numbered(1, 9)}${'x'.repeat(1_000)}`);
    const result = outputExcerpt(ends, 'ends', plainFit({ bytes: 100, lines: 10 }));
    expect(result.parts.map((lines) => lines.map(({ no, start }) => [no, start]))).toEqual([
      [
        [1, 0],
        [2, 2],
        [3, 4],
        [4, 6],
        [5, 8],
      ],
      [[10, 968]],
    ]);
    expect(result.next).toEqual({ kind: 'tail', lines: 5, before: 968 });
  });

  test('an output that fits is one part', () => {
    const result = outputExcerpt(endsOf(numbered(1, 6)), 'ends', plainFit({ lines: 7 }));
    expect(result.parts).toHaveLength(1);
    expect(textOf(result)).toBe(numbered(1, 6));
  });
});

describe('whole answers', () => {
  const line = (no: number, start: number, text: string, cut?: 'slice'): Line => ({
    no,
    start,
    end: start + Buffer.byteLength(text),
    text,
    role: 'asked',
    ...(cut && { cut }),
  });
  const TEXT = 'é\nb\nc\nd\nlast';
  const [one, two, three, four, five] = [
    line(1, 0, 'é\n'),
    line(2, 3, 'b\n'),
    line(3, 5, 'c\n'),
    line(4, 7, 'd\n'),
    line(5, 9, 'last'),
  ];
  const totals = { bytes: 13, lines: 5 };

  test('the tail', () => {
    expect(outputExcerpt(endsOf(TEXT), 'tail', plainFit({ lines: 2 }))).toEqual({
      parts: [[four, five]],
      totals,
      invalid: 0,
      span: { start: 7, end: 13 },
      unterminated: true,
      cutBy: 'lines',
      next: { kind: 'tail', lines: 3, before: 7 },
    });
    expect(outputExcerpt(endsOf(TEXT), 'tail', plainFit({ bytes: 7 }))).toMatchObject({
      parts: [[four, five]],
      cutBy: 'bytes',
    });
    const tokens = plainFit({ tokens: 6 }, { tokens: (text) => text.length });
    expect(outputExcerpt(endsOf(TEXT), 'tail', tokens)).toMatchObject({
      parts: [[four, five]],
      cutBy: 'tokens',
    });
  });

  test('the head', () => {
    expect(outputExcerpt(endsOf(TEXT), 'head', plainFit({ lines: 2 }))).toEqual({
      parts: [[one, two]],
      totals,
      invalid: 0,
      span: { start: 0, end: 5 },
      cutBy: 'lines',
      next: { kind: 'lines', ranges: [{ from: 3 }] },
    });
    expect(outputExcerpt(endsOf(TEXT), 'head', plainFit())).toEqual({
      parts: [[one, two, three, four, five]],
      totals,
      invalid: 0,
      span: { start: 0, end: 13 },
      unterminated: true,
    });
    expect(outputExcerpt(endsOf(''), 'head', plainFit())).toEqual({
      parts: [[]],
      totals: { bytes: 0, lines: 0 },
      invalid: 0,
    });
  });

  test('both ends', () => {
    expect(outputExcerpt(endsOf(TEXT), 'ends', plainFit({ lines: 3 }))).toEqual({
      parts: [[one, two], [five]],
      totals,
      invalid: 0,
      span: { start: 0, end: 13 },
      unterminated: true,
      cutBy: 'lines',
      next: { kind: 'tail', lines: 2, before: 9 },
    });
    const tokens = plainFit({ tokens: 7 }, { tokens: (text) => text.length });
    expect(outputExcerpt(endsOf('é\nb\nc\nd\n'), 'ends', tokens).parts).toEqual([[one, two], [four]]);
  });

  test('the head, filled to the last character', () => {
    const filled = (bytes: number, text = 'aaaa\néé\n'): Excerpt =>
      outputExcerpt(endsOf(text), 'head', plainFit({ bytes }), { snap: 'char' });
    const whole = line(1, 0, 'aaaa\n');
    expect(filled(8)).toEqual({
      parts: [[whole, line(2, 5, 'é', 'slice')]],
      totals: { bytes: 10, lines: 2 },
      invalid: 0,
      span: { start: 0, end: 7 },
      cutBy: 'line',
      next: { kind: 'bytes', start: 7 },
    });
    // No character fits any more.
    for (const bytes of [5, 6])
      expect(filled(bytes)).toEqual({
        parts: [[whole]],
        totals: { bytes: 10, lines: 2 },
        invalid: 0,
        span: { start: 0, end: 5 },
        cutBy: 'bytes',
        next: { kind: 'lines', ranges: [{ from: 2 }] },
      });
    // One is shown even so, if it is the first.
    expect(filled(1, 'éé\n')).toEqual({
      parts: [[line(1, 0, 'é', 'slice')]],
      totals: { bytes: 5, lines: 1 },
      invalid: 0,
      span: { start: 0, end: 2 },
      cutBy: 'line',
      next: { kind: 'bytes', start: 2 },
      oversized: { no: 1, start: 0 },
    });
    const lines = outputExcerpt(endsOf(TEXT), 'head', plainFit({ lines: 2 }), { snap: 'char' });
    expect([lines.parts, lines.cutBy]).toEqual([[[one, two]], 'lines']);
  });

  test('a head captured in part ends with a whole line', () => {
    const text = `aaaa\n${'b'.repeat(20)}\nc\n`;
    const cut = outputExcerpt(endsOf(text, 3, 10), 'head', plainFit());
    expect(cut).toEqual({
      parts: [[line(1, 0, 'aaaa\n')]],
      totals: { bytes: 28, lines: 3 },
      invalid: 0,
      span: { start: 0, end: 5 },
      cutBy: 'bytes',
      next: { kind: 'lines', ranges: [{ from: 2 }] },
    });
    // The captured bytes end with a line.
    const ended = outputExcerpt(endsOf(text, 3, 5), 'head', plainFit());
    expect(ended).toEqual(cut);
    const filled = outputExcerpt(endsOf(text, 3, 10), 'head', plainFit(), { snap: 'char' });
    expect([filled.parts, filled.cutBy, filled.next]).toEqual([
      [[line(1, 0, 'aaaa\n'), line(2, 5, 'bbbbb', 'slice')]],
      'line',
      { kind: 'bytes', start: 10 },
    ]);
  });

  test('a tail captured in part begins with a whole line', () => {
    const text = `a\n${'b'.repeat(20)}\ncccc\n`;
    expect(outputExcerpt(endsOf(text, 3, 10), 'tail', plainFit())).toEqual({
      parts: [[line(3, 23, 'cccc\n')]],
      totals: { bytes: 28, lines: 3 },
      invalid: 0,
      span: { start: 23, end: 28 },
      cutBy: 'bytes',
      next: { kind: 'tail', lines: 2, before: 23 },
    });
    // Of a last line that is not whole, what is captured is shown.
    expect(outputExcerpt(endsOf(`a\n${'b'.repeat(20)}`, 3, 10), 'tail', plainFit())).toEqual({
      parts: [[line(2, 12, 'b'.repeat(10), 'slice')]],
      totals: { bytes: 22, lines: 2 },
      invalid: 0,
      span: { start: 12, end: 22 },
      unterminated: true,
      cutBy: 'bytes',
      next: { kind: 'tail', lines: 2, before: 12 },
    });
  });

  test('a bar captured in part shows what was drawn last', () => {
    const bar = (end: string): unknown =>
      outputExcerpt(endsOf(`${'x'.repeat(20)}\r50%\r99%${end}`, 3, 10), 'tail', plainFit())
        .parts.flat()
        .map(({ start, text }) => [start, text]);
    expect(bar('')).toEqual([[21, '50%\r99%']]);
    expect(bar('\n')).toEqual([[21, '50%\r99%\n']]);
    // At its end a carriage return draws nothing.
    expect(bar('\r\n')).toEqual([[21, '50%\r99%\r\n']]);
    expect(bar('\r\n!\n')).toEqual([
      [25, '99%\r\n'],
      [30, '!\n'],
    ]);
  });

  test('invalid sequences are counted in the lines that are shown', () => {
    const bytes = Buffer.from('ff0a61ff0aff620aff0a', 'hex');
    const invalid = (keep: KeptEnd, lines: number): number =>
      outputExcerpt(endsOf(bytes), keep, plainFit({ lines })).invalid;
    expect([invalid('head', 2), invalid('tail', 3), invalid('ends', 2), invalid('tail', 9)]).toEqual([
      2, 3, 2, 4,
    ]);
  });

  test('a last line over the budget is cut between characters', () => {
    const text = `a\n${'€'.repeat(10)}x\n`;
    const slice = (bytes: number): unknown => {
      const { parts, oversized, next } = outputExcerpt(endsOf(text), 'tail', plainFit({ bytes }));
      return [parts.flat().map(({ no, start, text: shown }) => [no, start, shown]), oversized, next];
    };
    const oversized = { no: 2, start: 2, bytes: 32 };
    expect(slice(10)).toEqual([[[2, 26, '€€x\n']], oversized, { kind: 'tail', lines: 2, before: 26 }]);
    expect(slice(11)).toEqual([[[2, 23, '€€€x\n']], oversized, { kind: 'tail', lines: 2, before: 23 }]);
  });
});

describe('laws', () => {
  const line = fc.oneof(
    { weight: 4, arbitrary: fc.string({ maxLength: 30 }) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }) },
    { weight: 1, arbitrary: fc.integer({ min: 50, max: 900 }).map((length) => 'y'.repeat(length)) },
    { weight: 1, arbitrary: fc.constant('') },
  );
  const output = fc
    .tuple(fc.array(line, { maxLength: 40 }), line)
    .map(([lines, last]) => lines.map((text) => `${text.replaceAll('\n', '')}\n`).join('') + last)
    .map((text) => text.toWellFormed());
  const limits = fc.record({
    lines: fc.integer({ min: 1, max: 20 }),
    bytes: fc.integer({ min: 64, max: 600 }),
  });
  const keep = fc.constantFrom<KeptEnd>('head', 'tail', 'ends');
  const chunk = fc.integer({ min: 1, max: 300 });

  test('excerpts stay within the limits and have correct offsets', () =>
    fc.assert(
      fc.property(
        output,
        limits,
        keep,
        chunk,
        fc.constantFrom<'line' | 'char'>('line', 'char'),
        (text, limit, kept, size, snap) => {
          const fit = plainFit({ ...limit, line: limit.bytes });
          const result = outputExcerpt(endsOf(text, size), kept, fit, { snap });
          const lines = result.parts.flat();
          expect(lines.length).toBeLessThanOrEqual(limit.lines);
          expect(Buffer.byteLength(textOf(result))).toBeLessThanOrEqual(limit.bytes);
          const stored = Buffer.from(text);
          for (const shown of lines) {
            expect(shown.text).toBe(stored.subarray(shown.start, shown.end).toString());
            const before = stored.subarray(0, shown.start).toString();
            expect(shown.no).toBe(before.split('\n').length);
          }
          expect(result.next === undefined).toBe(textOf(result) === text);
        },
      ),
    ));

  test('following the next window yields every byte once', () =>
    fc.assert(
      fc.asyncProperty(output, limits, keep, chunk, async (text, limit, kept, size) => {
        const fit = plainFit({ ...limit, line: limit.bytes, windowMax: 400, window: 400 });
        const first = outputExcerpt(endsOf(text, size), kept, fit);
        const pages: Excerpt[] = first.next ? await follow(inputOf(text), windowOf(first.next), fit) : [];
        const seen = [first, ...pages].flatMap(({ parts }) => parts.flat()).sort((a, b) => a.start - b.start);
        expect(seen.map((shown) => shown.text).join('')).toBe(text);
      }),
    ));

  test('the tail is the tail window of the whole text', () =>
    fc.assert(
      fc.asyncProperty(output, limits, chunk, async (text, limit, size) => {
        // Elsewhere a line that leaves no room for a prefix is an oversized.
        fc.pre(text.split('\n').every((one) => Buffer.byteLength(one) < limit.bytes - 32));
        const fit = plainFit({ ...limit, line: limit.bytes });
        const found = outputExcerpt(endsOf(text, size), 'tail', fit);
        const window = { kind: 'tail' as const, lines: limit.lines };
        const expected = await cutWindow({ ...inputOf(text), source: memoryBytes(text) }, window, fit);
        expect(found.parts).toEqual(expected.parts);
        expect(found.totals).toEqual(expected.totals);
      }),
    ));
});

test('only folded lines are given the place of their lines', () => {
  const line = { no: 1, start: 0, end: 2, text: 'a\n', role: 'asked' } as const;
  const folded = { ...line, folded: { count: 3, url: 'artifact://0' } };
  const { parts } = foldedTo('artifact://7', { parts: [[line], [folded]], totals: {}, invalid: 0 });
  expect(parts).toEqual([[line], [{ ...line, folded: { count: 3, url: 'artifact://7' } }]]);
});
