/** Windows from the end, and the pages before them. */

import { expect, test, vi } from 'vitest';
import type { Excerpt, Line, Limits } from '../../src/types/excerpt.ts';
import { cutWindow } from '../../src/text/excerpt.ts';
import { inputOf, plainFit, streamOf } from '../support/windows.ts';

interface Asked {
  readonly lines: number;
  readonly before?: number;
  readonly counted?: boolean;
  readonly limits?: Partial<Limits>;
}

const tail = (content: string | Uint8Array, { lines, before, counted, limits }: Asked): Promise<Excerpt> =>
  cutWindow(
    inputOf(content, counted),
    { kind: 'tail', lines, ...(before !== undefined && { before }) },
    plainFit(limits),
  );

const line = (no: number | undefined, start: number, text: string, cut?: 'slice'): Line => ({
  ...(no !== undefined && { no }),
  start,
  end: start + Buffer.byteLength(text),
  text,
  role: 'asked',
  ...(cut && { cut }),
});

const TEXT = 'one\ntwo\nthree\n';
const totals = { bytes: 14, lines: 3 };

test('the last lines, without a next page if all fit', async () => {
  expect(await tail(TEXT, { lines: 2 })).toEqual({
    parts: [[line(2, 4, 'two\n'), line(3, 8, 'three\n')]],
    invalid: 0,
    span: { start: 4, end: 14 },
    totals,
  });
});

test('more lines than there are', async () => {
  expect(await tail(TEXT, { lines: 9 })).toEqual({
    parts: [[line(1, 0, 'one\n'), line(2, 4, 'two\n'), line(3, 8, 'three\n')]],
    invalid: 0,
    span: { start: 0, end: 14 },
    totals,
  });
});

test('lines before a byte; past the end is the end', async () => {
  expect(await tail(TEXT, { lines: 1, before: 8 })).toEqual({
    parts: [[line(2, 4, 'two\n')]],
    invalid: 0,
    span: { start: 4, end: 8 },
    totals,
  });
  expect(await tail(TEXT, { lines: 1, before: 99 })).toEqual(await tail(TEXT, { lines: 1 }));
});

test('nothing is before the first byte', async () => {
  const nothing = { parts: [[]], invalid: 0 };
  expect(await tail(TEXT, { lines: 1, before: 0 })).toEqual({
    ...nothing,
    span: { start: 0, end: 0 },
    totals,
  });
  expect(await tail('\ufeffone\n', { lines: 1, before: 3 })).toEqual({
    ...nothing,
    span: { start: 3, end: 3 },
    totals: { bytes: 7, lines: 1 },
  });
  expect(await tail('', { lines: 1 })).toEqual({
    ...nothing,
    span: { start: 0, end: 0 },
    totals: { bytes: 0, lines: 0 },
  });
  const input = inputOf(TEXT);
  const readInto = vi.spyOn(input.source, 'readInto');
  await cutWindow(input, { kind: 'tail', lines: 1, before: 0 }, plainFit());
  expect(readInto.mock.calls.map(([, offset]) => offset)).toEqual([0]);
});

test('lines have no numbers if they are not counted', async () => {
  expect(await tail(TEXT, { lines: 2, counted: false })).toEqual({
    parts: [[line(undefined, 4, 'two\n'), line(undefined, 8, 'three\n')]],
    invalid: 0,
    span: { start: 4, end: 14 },
    totals: { bytes: 14 },
  });
  expect(await tail(TEXT, { lines: 2, counted: false, limits: { lines: 1 } })).toEqual({
    parts: [[line(undefined, 8, 'three\n')]],
    invalid: 0,
    span: { start: 8, end: 14 },
    cutBy: 'lines',
    next: { kind: 'tail', lines: 1, before: 8 },
    totals: { bytes: 14 },
  });
});

test.each<[string, Partial<Limits>, string]>([
  ['lines', { lines: 1 }, 'lines'],
  ['bytes', { bytes: 9 }, 'bytes'],
  ['tokens', { tokens: 2 }, 'tokens'],
])('a limit of %s leaves lines for the next page', async (_, limits, cutBy) => {
  expect(await tail(TEXT, { lines: 3, limits })).toEqual({
    parts: [[line(3, 8, 'three\n')]],
    invalid: 0,
    span: { start: 8, end: 14 },
    cutBy,
    next: { kind: 'tail', lines: 2, before: 8 },
    totals,
  });
});

const LONG = `a\n${'x'.repeat(30)}\nb\n`;

test('an oversized line is not shown with whole lines', async () => {
  const shown = { parts: [[line(3, 33, 'b\n')]], invalid: 0, span: { start: 33, end: 35 } };
  const next = { kind: 'tail', lines: 2, before: 33 };
  const sums = { totals: { bytes: 35, lines: 3 } };
  expect(await tail(LONG, { lines: 3, limits: { bytes: 10 } })).toEqual({
    ...shown,
    cutBy: 'bytes',
    next,
    ...sums,
  });
  expect(await tail(LONG, { lines: 3, limits: { bytes: 10, lines: 2 } })).toMatchObject({ cutBy: 'bytes' });
  expect(await tail(LONG, { lines: 3, limits: { bytes: 10, lines: 1 } })).toEqual({
    ...shown,
    cutBy: 'lines',
    next,
    ...sums,
  });
});

test('an oversized line is paged backwards until its start', async () => {
  expect(await tail(LONG, { lines: 2, before: 33, limits: { bytes: 10 } })).toEqual({
    parts: [[line(2, 23, `${'x'.repeat(9)}\n`, 'slice')]],
    invalid: 0,
    span: { start: 23, end: 33 },
    cutBy: 'line',
    next: { kind: 'tail', lines: 2, before: 23 },
    oversized: { start: 23, no: 2 },
    totals: { bytes: 35, lines: 3 },
  });
  expect(await tail(LONG, { lines: 2, before: 23, counted: false, limits: { bytes: 10 } })).toEqual({
    parts: [[line(undefined, 13, 'x'.repeat(10), 'slice')]],
    invalid: 0,
    span: { start: 13, end: 23 },
    cutBy: 'line',
    next: { kind: 'tail', lines: 2, before: 13 },
    oversized: { start: 13 },
    totals: { bytes: 35 },
  });
  // What is left of it fits.
  expect(await tail(LONG, { lines: 2, before: 3, limits: { bytes: 10 } })).toEqual({
    parts: [[line(1, 0, 'a\n'), line(2, 2, 'x')]],
    invalid: 0,
    span: { start: 0, end: 3 },
    cutEnd: { at: 3, rest: { kind: 'bytes', start: 3 } },
    totals: { bytes: 35, lines: 3 },
  });
});

test('a slice from the start has no page before it', async () => {
  // The shortest slice is a few characters, whatever a host's counter says of them.
  const fit = plainFit({ tokens: 3 }, { tokens: (text) => text.length });
  expect(await cutWindow(inputOf('abcdef'), { kind: 'tail', lines: 1 }, fit)).toEqual({
    parts: [[line(1, 0, 'abcdef', 'slice')]],
    invalid: 0,
    span: { start: 0, end: 6 },
    oversized: { start: 0, no: 1 },
    totals: { bytes: 6, lines: 1 },
  });
});

test('invalid sequences are counted in the lines that are shown', async () => {
  const bytes = Buffer.from('ff0aff61ff0a62ff0a', 'hex');
  const { invalid, parts } = await tail(bytes, { lines: 3, limits: { lines: 2 } });
  expect([parts.flat().map(({ text }) => text), invalid]).toEqual([['\ufffda\ufffd\n', 'b\ufffd\n'], 3]);
});

test('a stream is first read to its end, in steps', async () => {
  const source = streamOf(Buffer.concat([Buffer.alloc(9 << 20, 'x'), Buffer.from('\nlast\n')]));
  const input = { ...inputOf('', false), source };
  expect(await cutWindow(input, { kind: 'tail', lines: 1 }, plainFit())).toEqual({
    parts: [[line(undefined, (9 << 20) + 1, 'last\n')]],
    invalid: 0,
    span: { start: (9 << 20) + 1, end: (9 << 20) + 6 },
    totals: {},
  });
  // Then the last block of it.
  expect(source.reads.map(([offset]) => offset)).toEqual([0, 4 << 20, 8 << 20, 12 << 20, 9_420_806]);
});
