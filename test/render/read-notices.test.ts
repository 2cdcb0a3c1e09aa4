/** What is said below a text, in the order in which it stands there: the next call last. */

import { expect, test } from 'vitest';
import { displays, raw } from '../../src/render/display.ts';
import { encodingNotices, readNotices, shownLines } from '../../src/render/read-notices.ts';
import { encodingOf } from '../../src/text/encoding.ts';
import { excerptOf, linesOf, textResult } from '../support/results.ts';

test('a whole text within the limits needs no words', () => {
  expect(readNotices(textResult('a\nb\n'))).toEqual([]);
});

test('everything there is to say, in order', () => {
  const excerpt = excerptOf('a\x1b\n\ufffd\n', {
    totals: { bytes: 900, lines: 90 },
    cutBy: 'lines',
    next: { by: 'lines', ranges: [{ from: 3 }] },
    invalid: 1,
  });
  const notes = [{ kind: 'said', text: 'a note of the source' }] as const;
  const result = textResult('', { excerpt, notes, encoding: encodingOf('utf-16le', 2), changed: true });
  expect(readNotices(result).map(({ kind }) => kind)).toEqual([
    'encoding',
    'invalid',
    'escaped',
    'said',
    'changed',
    'cut',
  ]);
  expect(readNotices(result).at(-1)).toMatchObject({ lines: [[1, 2]], in: 'lines', use: 'f.txt:3..' });
  // Verbatim text is followed only by what changes the next step.
  expect(readNotices({ ...result, display: raw, selection: { mode: 'raw', typed: 'raw' } })).toMatchObject([
    { kind: 'said' },
    { kind: 'changed' },
    { kind: 'cut', use: 'f.txt:3..:raw' },
  ]);
});

test('a byte window speaks in bytes and of its own limit', () => {
  const excerpt = excerptOf('one\ntwo\n', {
    totals: { bytes: 1_000_000 },
    cutBy: 'window',
    next: { by: 'bytes', start: 8, length: 64 << 10 },
  });
  const window = { by: 'bytes', start: 0 } as const;
  const [notice] = readNotices(textResult('', { excerpt, selection: { window, typed: '@0' } }));
  expect(notice).toMatchObject({
    kind: 'cut',
    in: 'bytes',
    bytes: [0, 8],
    by: 'window',
    use: 'f.txt:@8+64K',
  });
  expect(notice).toMatchObject({ limits: { bytes: 256 << 10 } });
});

test('inside an oversized line the bytes count, whatever was asked for', () => {
  const excerpt = excerptOf('x'.repeat(10), {
    parts: [[{ no: 1, start: 0, end: 10, text: 'x'.repeat(10), role: 'asked', cut: 'slice' }]],
    oversized: { no: 1, start: 0, bytes: 99 },
    cutBy: 'line',
    next: { by: 'bytes', start: 10, length: 64 << 10 },
    unterminated: false,
  });
  expect(readNotices(textResult('', { excerpt }))).toMatchObject([
    { kind: 'cut', in: 'bytes', inside: { no: 1, bytes: 99 }, use: 'f.txt:@10+64K' },
  ]);
});

test('a range that reaches beyond the end is told where that is', () => {
  const selection = {
    window: { by: 'lines', ranges: [{ from: 1, to: 9 }], context: false },
    typed: '1..9',
  } as const;
  const excerpt = excerptOf('a\nb\n', { lastLine: 2 });
  expect(readNotices(textResult('', { selection, excerpt }))).toEqual([
    { kind: 'short', target: 'f.txt', last: 2 },
  ]);
});

test('a window that lies behind the end names what there is', () => {
  const excerpt = { parts: [], totals: { lines: 3, bytes: 9 }, invalid: 0, pastEnd: true };
  const lines = { window: { by: 'lines', ranges: [{ from: 9 }], context: true }, typed: '9' } as const;
  expect(readNotices(textResult('', { excerpt, selection: lines }))).toEqual([
    { kind: 'past-end', target: 'f.txt', asked: 'Line 9', totals: { lines: 3 }, use: ['f.txt:3', 'f.txt:1'] },
  ]);
  const huge = { ...lines, typed: '99999999999999999999' };
  expect(readNotices(textResult('', { excerpt, selection: huge }))).toMatchObject([
    { asked: 'Line 99999999999999999999' },
  ]);
  const bytes = { window: { by: 'bytes', start: 99 }, typed: '@99' } as const;
  expect(readNotices(textResult('', { excerpt, selection: bytes }))).toMatchObject([
    { asked: 'Byte 99', totals: { bytes: 9 } },
  ]);
  const empty = { ...excerpt, totals: { lines: 0, bytes: 0 } };
  expect(readNotices(textResult('', { excerpt: empty, selection: lines }))).toEqual([
    { kind: 'empty', target: 'f.txt' },
  ]);
});

test('only a file that is stored is empty, unterminated or decoded', () => {
  const kinds = (kind: 'file' | 'archive'): string[] => [
    ...readNotices(textResult('', { kind })).map((notice) => notice.kind),
    ...readNotices(textResult('a', { kind })).map((notice) => notice.kind),
    ...encodingNotices({ kind, encoding: encodingOf('utf-8', 3) }, 2, String).map((notice) => notice.kind),
  ];
  expect(kinds('file')).toEqual(['empty', 'unterminated', 'encoding', 'invalid']);
  expect(kinds('archive')).toEqual(['invalid']);
});

test('the next page of a table comes only once this one was shown to its end', () => {
  const more = { kind: 'said', text: 'More rows. Use app.db:users?offset=20' } as const;
  expect(readNotices(textResult('a\n', { more, display: displays.plain }))).toEqual([more]);
  const excerpt = excerptOf('a\n', {
    totals: { bytes: 4, lines: 2 },
    cutBy: 'lines',
    next: { by: 'lines', ranges: [{ from: 2 }] },
  });
  expect(readNotices(textResult('', { excerpt, more })).map(({ kind }) => kind)).toEqual(['cut']);
});

test('shown lines are runs of those that were asked for, without their context', () => {
  const [before, ...asked] = linesOf('a\nb\nc\n', 4);
  const parts = [[{ ...before, role: 'context' } as const, ...asked], linesOf('x\n', 7), linesOf('y\n', 20)];
  expect(shownLines(excerptOf('', { parts: parts as never }))).toEqual([
    [5, 7],
    [20, 20],
  ]);
});
