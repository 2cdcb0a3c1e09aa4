/** Windows by line numbers. */

import { describe, expect, test } from 'vitest';
import type { Excerpt, Line, Range, Limits } from '../../src/types/excerpt.ts';
import { cutWindow } from '../../src/text/excerpt.ts';
import type { AnswerFit } from '../../src/text/limits.ts';
import { inputOf, plainFit, streamOf, textOf, windowOf } from '../support/windows.ts';

test('a first line over the token limit is shown alone', async () => {
  // The shortest slice is a few characters, whatever a host's counter says of them.
  const fit = plainFit({ tokens: 32 }, { tokens: (text) => 5 * text.length });
  const input = inputOf('abcdefg\n\n\n');
  const first = await cutWindow(input, undefined, fit);
  expect([textOf(first), first.cutBy, first.next]).toEqual([
    'abcdefg\n',
    'tokens',
    { kind: 'lines', ranges: [{ from: 2 }] },
  ]);
  const second = await cutWindow(input, first.next && windowOf(first.next), fit);
  expect([textOf(second), second.next]).toEqual(['\n\n', undefined]);
});

test('a slice over the token limit has no context', async () => {
  const fit = plainFit({ tokens: 32 }, { tokens: (text) => 5 * text.length });
  const window = { kind: 'lines', ranges: [{ from: 2, to: 3 }], context: true } as const;
  const { parts, oversized } = await cutWindow(inputOf('\nabcdefghij\n\n'), window, fit);
  expect(parts.flat().map(({ no, text }) => [no, text])).toEqual([[2, 'abcdefgh']]);
  expect(oversized).toEqual({ no: 2, start: 1, bytes: 11 });
});

test('context is within the limit of tokens', async () => {
  const fit = plainFit({ tokens: 32 }, { tokens: (text) => 4 * text.length });
  const window = { kind: 'lines', ranges: [{ from: 2, to: 2 }], context: true } as const;
  const { parts } = await cutWindow(inputOf('a\nb\nc\ndd\ne\n'), window, fit);
  // 8 tokens, 8, 8; then 12 are too many.
  expect(parts.flat().map(({ no, role }) => [no, role])).toEqual([
    [1, 'context'],
    [2, 'asked'],
    [3, 'context'],
  ]);
});

interface Asked {
  readonly context?: boolean;
  readonly inside?: number;
  readonly counted?: boolean;
  readonly limits?: Partial<Limits>;
  readonly over?: Partial<AnswerFit>;
}

const show = (
  content: string | Uint8Array,
  ranges: readonly Range[],
  asked: Asked = {},
): Promise<Excerpt> => {
  const { context = false, inside, counted, limits, over } = asked;
  const window = { kind: 'lines', ranges, context, ...(inside !== undefined && { inside }) } as const;
  return cutWindow(inputOf(content, counted), window, plainFit(limits, over));
};

const line = (no: number, start: number, text: string, more: Partial<Line> = {}): Line => ({
  no,
  start,
  end: start + Buffer.byteLength(text),
  text,
  role: 'asked',
  ...more,
});

/** Lines of two characters and three bytes each. */
const TEXT = 'é\nö\nü\ná\nó\nú\n';
const totals = { bytes: 18, lines: 6 };
const [one, two, three, four, five, six] = Array.from(TEXT.split('\n').slice(0, -1), (letter, i) =>
  line(i + 1, 3 * i, `${letter}\n`),
) as [Line, Line, Line, Line, Line, Line];
const asContext = (shown: Line): Line => ({ ...shown, role: 'context' });

describe('whole answers', () => {
  test('one range', async () => {
    expect(await show(TEXT, [{ from: 2, to: 3 }])).toEqual({
      parts: [[two, three]],
      invalid: 0,
      span: { start: 3, end: 9 },
      totals,
    });
  });

  test('a range ending behind the text names its last line', async () => {
    expect(await show(TEXT, [{ from: 6, to: 9 }])).toEqual({
      parts: [[six]],
      invalid: 0,
      span: { start: 15, end: 18 },
      lastLine: 6,
      totals,
    });
    const { lastLine } = await show(TEXT, [{ from: 3, to: 9 }]);
    expect(lastLine).toBe(6);
    expect(await show(TEXT, [{ from: 6 }])).toEqual({
      parts: [[six]],
      invalid: 0,
      span: { start: 15, end: 18 },
      totals,
    });
  });

  test('ranges behind the text', async () => {
    const past = { invalid: 0, lastLine: 6, totals };
    expect(await show(TEXT, [{ from: 7 }])).toEqual({ ...past, parts: [], pastEnd: true });
    expect(await show(TEXT, [{ from: 1, to: 1 }, { from: 8 }, { from: 9 }])).toEqual({
      ...past,
      parts: [[one]],
      span: { start: 0, end: 3 },
    });
  });

  test('the end of a stream is found by reading', async () => {
    // The lines are counted in pieces of 256 KiB, and nothing follows the first one.
    const source = streamOf(Buffer.alloc(256 << 10, 'abc\n'));
    const ranges = [
      { from: 1, to: 1 },
      { from: 65_537, to: 65_540 },
    ];
    const window = { kind: 'lines', ranges, context: false } as const;
    const page = await cutWindow({ ...inputOf(''), source }, window, plainFit());
    expect([textOf(page), page.lastLine, page.totals.lines]).toEqual(['abc\n', 65_536, 65_536]);
  });

  test('lines without a count have numbers, but no totals', async () => {
    expect(await show(TEXT, [{ from: 2, to: 2 }], { counted: false })).toEqual({
      parts: [[two]],
      invalid: 0,
      span: { start: 3, end: 6 },
      totals: { bytes: 18 },
    });
  });

  test('ranges share one budget, the rest is the next page', async () => {
    const ranges = [{ from: 1, to: 2 }, { from: 4, to: 5 }, { from: 6 }];
    const shown = { invalid: 0, totals };
    expect(await show(TEXT, ranges, { limits: { lines: 3 } })).toEqual({
      ...shown,
      parts: [[one, two], [four]],
      span: { start: 0, end: 12 },
      cutBy: 'lines',
      next: { kind: 'lines', ranges: [{ from: 5, to: 5 }, { from: 6 }] },
    });
    // Of five rows the gap is one.
    expect(await show(TEXT, ranges, { limits: { answerLines: 5 } })).toEqual({
      ...shown,
      parts: [
        [one, two],
        [four, five],
      ],
      span: { start: 0, end: 15 },
      cutBy: 'lines',
      next: { kind: 'lines', ranges: [{ from: 6 }] },
    });
    expect(await show(TEXT, ranges, { limits: { bytes: 8 } })).toEqual({
      ...shown,
      parts: [[one, two]],
      span: { start: 0, end: 6 },
      cutBy: 'bytes',
      next: { kind: 'lines', ranges: [{ from: 4, to: 5 }, { from: 6 }] },
    });
  });

  test('invalid sequences are counted in the lines that are shown', async () => {
    const { parts, invalid } = await show(Buffer.from('ff610aff62ff0aff0a', 'hex'), [{ from: 1, to: 2 }]);
    expect([parts.flat().map(({ text }) => text), invalid]).toEqual([['\ufffda\n', '\ufffdb\ufffd\n'], 3]);
  });

  test('a window that may not be cut is refused', async () => {
    const over = { overflow: 'refuse' } as const;
    const refused = { parts: [], invalid: 0 };
    expect(await show(TEXT, [{ from: 1 }], { over, limits: { lines: 2 } })).toEqual({
      ...refused,
      refusedBy: 'lines',
      totals,
    });
    expect(await show(TEXT, [{ from: 1, to: 2 }], { over, limits: { lines: 2 } })).toEqual({
      parts: [[one, two]],
      invalid: 0,
      span: { start: 0, end: 6 },
      totals,
    });
    expect(await show(`a\n${'é'.repeat(9)}\n`, [{ from: 2 }], { over, limits: { bytes: 8 } })).toEqual({
      ...refused,
      refusedBy: 'line',
      oversized: { no: 2, start: 2, bytes: 19 },
      totals: { bytes: 21, lines: 2 },
    });
  });
});

describe('an oversized line', () => {
  const content = `a\n${'é'.repeat(9)}\nb\n`;
  const limits = { bytes: 8 };
  const oversized = { no: 2, start: 2, bytes: 19 };
  const sums = { totals: { bytes: 23, lines: 3 } };
  const head = {
    parts: [[line(2, 2, 'éééé', { cut: 'slice' })]],
    invalid: 0,
    span: { start: 2, end: 10 },
    cutBy: 'line',
    oversized,
    ...sums,
  };

  test('as first line is sliced, then read on by bytes', async () => {
    expect(await show(content, [{ from: 2 }], { limits })).toEqual({
      ...head,
      next: { kind: 'bytes', start: 10, length: 65_536 },
    });
  });

  test('in bounded or several ranges is read on by lines', async () => {
    const next = { kind: 'lines', ranges: [{ from: 2, to: 2 }], inside: 10 };
    expect(await show(content, [{ from: 2, to: 2 }], { limits })).toEqual({ ...head, next });
    const ranges = [{ from: 2 }, { from: 3 }];
    expect(await show(content, ranges, { limits })).toEqual({ ...head, next: { ...next, ranges } });
    const over = { nextIsLarger: true };
    expect(await show(content, [{ from: 2 }], { limits, over })).toEqual({
      ...head,
      next: { ...next, ranges: [{ from: 2 }] },
    });
  });

  test('is left for the next page unless it is first', async () => {
    const first = {
      parts: [[line(1, 0, 'a\n', { ascii: true })]],
      invalid: 0,
      span: { start: 0, end: 2 },
      next: { kind: 'lines', ranges: [{ from: 2 }] },
      ...sums,
    };
    expect(await show(content, [{ from: 1 }], { limits })).toEqual({ ...first, cutBy: 'bytes' });
    expect(await show(content, [{ from: 1 }], { limits: { bytes: 8, lines: 1 } })).toEqual({
      ...first,
      cutBy: 'lines',
    });
    expect(await show(content, [{ from: 1 }], { limits: { bytes: 8, lines: 2 } })).toEqual({
      ...first,
      cutBy: 'bytes',
    });
    const ranges = [{ from: 1, to: 1 }, { from: 2 }];
    expect(await show(content, ranges, { limits })).toEqual({ ...first, cutBy: 'bytes' });
  });

  test('has no known length if its end was not searched', async () => {
    const long = `a\n${'é'.repeat(500)}\nb\n`;
    const { oversized: counted } = await show(long, [{ from: 2 }], { limits });
    expect(counted).toEqual({ no: 2, start: 2, bytes: 1001 });
    const { oversized: uncounted } = await show(long, [{ from: 2 }], { limits, counted: false });
    expect(uncounted).toEqual({ no: 2, start: 2 });
    // Of a line that is held whole the end is known anyway.
    const { oversized: held } = await show(content, [{ from: 2 }], { limits, counted: false });
    expect(held).toEqual(oversized);
  });

  test('ends the answer, named, if it may not be sliced', async () => {
    const over = { longLine: { kind: 'stop' } } as const;
    expect(await show(content, [{ from: 2 }], { limits, over })).toEqual({
      parts: [],
      invalid: 0,
      cutBy: 'bytes',
      oversized,
      ...sums,
    });
  });

  test('invalid sequences are counted in the slice', async () => {
    const bytes = Buffer.from(`a\xffa\xffaaaaaa\xff\n`, 'latin1');
    const { invalid } = await show(bytes, [{ from: 1 }], { limits });
    expect(invalid).toBe(2);
  });
});

describe('a page that begins inside a line', () => {
  const content = `a\n${'€'.repeat(5)}\nb\n`;

  test('shows the rest as a part, then whole lines', async () => {
    expect(await show(content, [{ from: 2, to: 3 }], { inside: 8 })).toEqual({
      parts: [[line(2, 8, '€€€\n', { cut: 'slice' }), line(3, 18, 'b\n')]],
      invalid: 0,
      span: { start: 8, end: 20 },
      totals: { bytes: 20, lines: 3 },
    });
  });

  test('begins between two characters', async () => {
    for (const [inside, start] of [
      [7, 5],
      [9, 8],
      [10, 8],
      [11, 11],
    ] as const) {
      const { span } = await show(content, [{ from: 2, to: 2 }], { inside });
      expect([inside, span]).toEqual([inside, { start, end: 18 }]);
    }
  });

  test('begins between two units', async () => {
    const stored = Buffer.from('\ufeffabcdefg\nb\n', 'utf16le');
    for (const inside of [6, 7]) {
      const { span } = await show(stored, [{ from: 1, to: 1 }], { inside });
      expect([inside, span]).toEqual([inside, { start: 6, end: 18 }]);
    }
  });

  test('begins with the line if the byte is outside', async () => {
    for (const inside of [0, 2, 18, 99]) {
      const { span } = await show(content, [{ from: 2, to: 2 }], { inside });
      expect([inside, span]).toEqual([inside, { start: 2, end: 18 }]);
    }
  });

  test('only the first range does', async () => {
    const ranges = [
      { from: 2, to: 2 },
      { from: 2, to: 2 },
    ];
    const { parts } = await show(content, ranges, { inside: 8 });
    expect(parts.flat().map(({ start, cut }) => [start, cut])).toEqual([
      [8, 'slice'],
      [2, undefined],
    ]);
  });

  test('an oversized rest has the facts of the whole line', async () => {
    const long = `a\n${'€'.repeat(20)}\nb\n`;
    const limits = { bytes: 9 };
    const page = {
      parts: [[line(2, 8, '€€€', { cut: 'slice' })]],
      invalid: 0,
      span: { start: 8, end: 17 },
      cutBy: 'line',
      oversized: { no: 2, start: 2, bytes: 61 },
      next: { kind: 'bytes', start: 17, length: 65_536 },
    };
    const sums = { totals: { bytes: 65, lines: 3 } };
    expect(await show(long, [{ from: 2 }], { inside: 8, limits })).toEqual({ ...page, ...sums });
    const uncounted = await show(long, [{ from: 2 }], { inside: 8, limits, counted: false });
    expect(uncounted).toEqual({ ...page, totals: { bytes: 65 } });
  });
});

describe('context', () => {
  const context = true;
  const shown = async (ranges: readonly Range[], asked: Asked = {}): Promise<readonly (readonly Line[])[]> =>
    (await show(TEXT, ranges, { context, ...asked })).parts;

  test('is one line before a range and three after it', async () => {
    expect(await shown([{ from: 2, to: 2 }])).toEqual([
      [asContext(one), two, asContext(three), asContext(four), asContext(five)],
    ]);
    expect(await shown([{ from: 5, to: 5 }])).toEqual([[asContext(four), five, asContext(six)]]);
    expect(await shown([{ from: 1 }])).toEqual([[one, two, three, four, five, six]]);
    expect(await shown([{ from: 5 }])).toEqual([[asContext(four), five, six]]);
  });

  test('is not part of the window', async () => {
    const { span, totals: sums } = await show(TEXT, [{ from: 3, to: 3 }], { context });
    expect([span, sums]).toEqual([{ start: 6, end: 9 }, totals]);
  });

  test('is not shown twice, nor what is asked for', async () => {
    expect(
      await shown([
        { from: 1, to: 1 },
        { from: 4, to: 4 },
      ]),
    ).toEqual([
      [one, asContext(two), asContext(three)],
      [four, asContext(five), asContext(six)],
    ]);
    expect(
      await shown([
        { from: 1, to: 2 },
        { from: 3, to: 3 },
      ]),
    ).toEqual([
      [one, two],
      [three, asContext(four), asContext(five), asContext(six)],
    ]);
  });

  test('does not follow lines that were cut', async () => {
    const ranges = [
      { from: 1, to: 1 },
      { from: 4, to: 6 },
    ];
    expect(await shown(ranges, { limits: { lines: 2 } })).toEqual([
      [one, asContext(two), asContext(three)],
      [four],
    ]);
    expect(await shown([{ from: 2, to: 4 }], { limits: { lines: 1 } })).toEqual([[asContext(one), two]]);
    expect(
      await shown(
        [
          { from: 1, to: 1 },
          { from: 6, to: 6 },
        ],
        { limits: { lines: 1 } },
      ),
    ).toEqual([[one]]);
  });

  test('is within the budget', async () => {
    expect(await shown([{ from: 2, to: 2 }], { limits: { bytes: 8 } })).toEqual([[asContext(one), two]]);
    expect(await shown([{ from: 2, to: 2 }], { limits: { answerLines: 3 } })).toEqual([
      [asContext(one), two, asContext(three)],
    ]);
    expect(await shown([{ from: 2, to: 2 }], { limits: { lines: 1 } })).toEqual([
      [asContext(one), two, asContext(three), asContext(four), asContext(five)],
    ]);
  });

  test('ends at an oversized line', async () => {
    const around = `${'é'.repeat(20)}\nb\nc\n${'é'.repeat(500)}\nd\n`;
    const { parts } = await show(around, [{ from: 2, to: 2 }], { context, limits: { bytes: 16 } });
    expect(parts.flat().map(({ no, role }) => [no, role])).toEqual([
      [2, 'asked'],
      [3, 'context'],
    ]);
  });
});

describe('clipped lines', () => {
  const over = { longLine: { kind: 'clip', at: 3, unit: 'char' } } as const;

  test('are shown with their ends, the next page follows', async () => {
    const page = await show('ab\nabcdef\nabcd\nab\n', [{ from: 1 }], { over, limits: { lines: 3 } });
    expect(page).toEqual({
      parts: [
        [
          line(1, 0, 'ab\n', { ascii: true }),
          line(2, 3, 'abc\n', { cut: 'clip', end: 10 }),
          line(3, 10, 'abc\n', { cut: 'clip', end: 15 }),
        ],
      ],
      invalid: 0,
      span: { start: 0, end: 15 },
      cutBy: 'lines',
      next: { kind: 'lines', ranges: [{ from: 4 }] },
      totals: { bytes: 18, lines: 4 },
    });
  });

  test('a line without room is left for the next page', async () => {
    const page = await show('ab\nabcdef\n', [{ from: 1 }], { over, limits: { bytes: 6 } });
    expect([textOf(page), page.cutBy, page.next]).toEqual([
      'ab\n',
      'bytes',
      { kind: 'lines', ranges: [{ from: 2 }] },
    ]);
    const plain = await show('ab\nab\n', [{ from: 1 }], { over, limits: { bytes: 5 } });
    expect([textOf(plain), plain.cutBy, plain.next]).toEqual([
      'ab\n',
      'bytes',
      { kind: 'lines', ranges: [{ from: 2 }] },
    ]);
  });

  test('a first line is shortened to fit unless overflow refuses', async () => {
    const limits = { bytes: 9 };
    const long = { longLine: { kind: 'clip', at: 40, unit: 'char' } } as const;
    const page = await show(`${'x'.repeat(50)}\n`, [{ from: 1 }], { over: long, limits });
    // 40, 20, 10, 5.
    expect([textOf(page), page.cutBy]).toEqual(['xxxxx\n', undefined]);
    const refuse = { ...long, overflow: 'refuse' } as const;
    const refused = await show(`${'x'.repeat(50)}\n`, [{ from: 1 }], { over: refuse, limits });
    expect([refused.parts, refused.refusedBy]).toEqual([[], 'bytes']);
  });

  test('invalid sequences are counted in whole lines, long or short', async () => {
    const bytes = Buffer.from('ff0a61620a61ff62ff0a6162ff0a', 'hex');
    const { invalid } = await show(bytes, [{ from: 1 }], { over });
    expect(invalid).toBe(2);
  });
});
