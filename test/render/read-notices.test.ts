/** What is said below a text, in the order in which it stands there: the next call last. */

import { expect, test } from 'vitest';
import { raw } from '../../src/render/display.ts';
import { encodingNotices, readNotices, shownLines } from '../../src/render/read-notices.ts';
import { unicodeEncoding } from '../../src/text/encoding.ts';
import type { Notice } from '../../src/types/answer.ts';
import type { TextResult } from '../../src/types/result.ts';
import { excerptOf, linesOf, textResult } from '../support/results.ts';

test('a whole text within the limits has no notice', () => {
  expect(readNotices(textResult('a\nb\n'))).toEqual([]);
});

test('escapes in answers about directories name no raw call', () => {
  const excerpt = excerptOf('a.ts: a\x1bb 1\n');
  const [file, directory] = (['file', 'directory'] as const).map((kind) =>
    readNotices(textResult('', { excerpt, format: kind })).filter((notice) => notice.kind === 'escaped'),
  );
  expect(file).toEqual([{ kind: 'escaped', count: 1, use: 'f.txt:raw' }]);
  expect(directory).toEqual([{ kind: 'escaped', count: 1 }]);
});

test('all notices, in order', () => {
  const excerpt = excerptOf('a\x1b\n\ufffd\n', {
    totals: { bytes: 900, lines: 90 },
    cutBy: 'lines',
    next: { kind: 'lines', ranges: [{ from: 3 }] },
    invalid: 1,
  });
  const notes = [{ kind: 'said', text: 'a note of the source' }] as const;
  const result = textResult('', { excerpt, notes, encoding: unicodeEncoding('utf-16le', 2), changed: true });
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

test('a byte window counts in bytes and names its limit', () => {
  const excerpt = excerptOf('one\ntwo\n', {
    totals: { bytes: 1_000_000 },
    cutBy: 'window',
    next: { kind: 'bytes', start: 8, length: 64 << 10 },
  });
  const window = { kind: 'bytes', start: 0 } as const;
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

test('inside an oversized line only the bytes count', () => {
  const excerpt = excerptOf('x'.repeat(10), {
    parts: [[{ no: 1, start: 0, end: 10, text: 'x'.repeat(10), role: 'asked', cut: 'slice' }]],
    oversized: { no: 1, start: 0, bytes: 99 },
    cutBy: 'line',
    next: { kind: 'bytes', start: 10, length: 64 << 10 },
    unterminated: false,
  });
  expect(readNotices(textResult('', { excerpt }))).toMatchObject([
    { kind: 'cut', in: 'bytes', inside: { no: 1, bytes: 99 }, use: 'f.txt:@10+64K' },
  ]);
});

test('a window behind the end names what there is', () => {
  const excerpt = { parts: [], totals: { lines: 3, bytes: 9 }, invalid: 0, pastEnd: true };
  const lines = { window: { kind: 'lines', ranges: [{ from: 9 }], context: true }, typed: '9' } as const;
  expect(readNotices(textResult('', { excerpt, selection: lines }))).toEqual([
    { kind: 'past-end', target: 'f.txt', asked: 'Line 9', totals: { lines: 3 }, use: ['f.txt:3', 'f.txt:1'] },
  ]);
  const empty = { ...excerpt, totals: { lines: 0, bytes: 0 } };
  expect(readNotices(textResult('', { excerpt: empty, selection: lines }))).toEqual([
    { kind: 'empty', target: 'f.txt' },
  ]);
});

test('only a stored file is empty, unterminated or decoded', () => {
  const kinds = (kind: 'file' | 'archive'): string[] => [
    ...readNotices(textResult('', { format: kind })).map((notice) => notice.kind),
    ...readNotices(textResult('a', { format: kind })).map((notice) => notice.kind),
    ...encodingNotices({ format: kind, encoding: unicodeEncoding('utf-8', 3) }, 2, String).map(
      (notice) => notice.kind,
    ),
  ];
  expect(kinds('file')).toEqual(['empty', 'unterminated', 'encoding', 'invalid']);
  expect(kinds('archive')).toEqual(['invalid']);
});

test('shown lines are runs of asked lines, without context', () => {
  const [before, ...asked] = linesOf('a\nb\nc\n', 4);
  const parts = [[{ ...before, role: 'context' } as const, ...asked], linesOf('x\n', 7), linesOf('y\n', 20)];
  expect(shownLines(excerptOf('', { parts: parts as never }))).toEqual([
    [5, 7],
    [20, 20],
  ]);
});

const lines = (...ranges: { from: number; to?: number }[]) =>
  ({ kind: 'lines', ranges, context: false }) as const;
const typed = (window: TextResult['selection']['window'], as: string): TextResult['selection'] => ({
  ...(window && { window }),
  typed: as,
});
const notices = (text: string, more: Partial<TextResult>): Notice[] => readNotices(textResult(text, more));

test('a place says that lines follow it, while they do', () => {
  const selection = typed({ ...lines({ from: 1, to: 2 }), around: 2 }, '1..2');
  const of = (more: Parameters<typeof excerptOf>[1]): Notice[] =>
    notices('', { selection, excerpt: excerptOf('a\nb\n', { totals: { bytes: 9, lines: 5 }, ...more }) });
  expect(of({})).toEqual([{ kind: 'around', line: 2, use: 'f.txt:3..' }]);
  // Where the last line is shown, nothing follows.
  expect(of({ totals: { bytes: 4, lines: 2 } })).toEqual([]);
  expect(of({ lastLine: 2 })).toEqual([{ kind: 'short', target: 'f.txt', last: 2 }]);
  const next = { kind: 'lines', ranges: [{ from: 3 }] } as const;
  expect(of({ next, cutBy: 'lines' }).map(({ kind }) => kind)).toEqual(['cut']);
  // A text of which no line is shown.
  expect(of({ parts: [] })).toEqual([{ kind: 'empty', target: 'f.txt' }]);
  // Lines that were asked for as such.
  const plainly = typed(lines({ from: 1, to: 2 }), '1..2');
  const excerpt = excerptOf('a\nb\n', { totals: { bytes: 9, lines: 5 } });
  expect(notices('', { selection: plainly, excerpt })).toEqual([]);
});

test('ranges and places beyond the end are named', () => {
  const excerpt = excerptOf('a\nb\n', { lastLine: 2 });
  const ranges = typed(lines({ from: 1, to: 2 }, { from: 3, to: 4 }, { from: 9 }), '1-2,3-4,9-');
  expect(notices('', { selection: ranges, excerpt })).toEqual([
    { kind: 'short', target: 'f.txt', last: 2, missing: [{ from: 3, to: 4 }, { from: 9 }] },
  ]);
  const place = typed({ ...lines({ from: 1, to: 43 }), around: 3 }, '1..43');
  expect(notices('', { selection: place, excerpt })).toEqual([
    { kind: 'short', target: 'f.txt', last: 2, missing: [{ from: 3, to: 3 }] },
  ]);
  const within = typed({ ...lines({ from: 1, to: 43 }), around: 2 }, '1..43');
  expect(notices('', { selection: within, excerpt })).toEqual([{ kind: 'short', target: 'f.txt', last: 2 }]);
  const tail = typed({ kind: 'tail', lines: 9 }, '-9');
  expect(notices('', { selection: tail, excerpt })).toEqual([]);
});

test('a cut part says that its lines are its own', () => {
  const next = { kind: 'lines', ranges: [{ from: 2 }] } as const;
  const cut = excerptOf('a\n', { totals: { bytes: 4, lines: 2 }, cutBy: 'lines', next });
  const part = { name: 'page 3' } as NonNullable<TextResult['part']>;
  expect(notices('', { excerpt: cut, part })[0]).toEqual({
    kind: 'said',
    text: 'Lines and totals are those of page 3',
  });
  expect(notices('', { excerpt: cut }).map(({ kind }) => kind)).toEqual(['cut']);
  expect(notices('a\n', { part })).toEqual([]);
});

test('calls for raw text or another encoding keep the lines', () => {
  const use = (selection: TextResult['selection']): unknown =>
    notices('\x1b\n', { selection }).map((notice) => ('use' in notice ? notice.use : notice.kind));
  expect(use({})).toEqual(['f.txt:raw']);
  expect(use({ typed: '1-2' })).toEqual(['f.txt:1-2:raw']);
  expect(use({ typed: '1-2:raw', mode: 'raw' })).toEqual(['f.txt:1-2:raw']);
  // Lines of an outline are none of the text.
  expect(use({ typed: 'outline:1-2', mode: 'outline' })).toEqual(['f.txt:raw']);
  const encoding = { ...unicodeEncoding('utf-8'), perhaps: 'windows-1252' };
  const excerpt = excerptOf('\ufffd\n', { invalid: 1 });
  expect(notices('', { encoding, excerpt, selection: { typed: '1-2' } })).toEqual([
    { kind: 'invalid', count: 1, encoding: 'UTF-8', use: 'f.txt:encoding=windows-1252:1-2' },
  ]);
});

test('how an encoding is known decides its notices', () => {
  const said = (known: 'declared' | 'told' | 'guessed' | undefined, bom = 0): Notice[] =>
    encodingNotices(
      { format: 'file', encoding: { ...unicodeEncoding('utf-16be', bom), ...(known && { known }) } },
      0,
      (name) => `f:encoding=${name}`,
    );
  const stored = { kind: 'encoding', encoding: 'UTF-16BE', mark: false };
  expect(said(undefined)).toEqual([stored]);
  expect(said(undefined, 2)).toEqual([{ ...stored, mark: true }]);
  expect(said('told', 2)).toEqual([]);
  expect(said('declared')).toEqual([{ kind: 'encoding', encoding: 'UTF-16BE', declared: true }, stored]);
  expect(said('guessed')).toEqual([
    { kind: 'encoding', encoding: 'UTF-16BE', guessed: true, use: 'f:encoding=utf-8' },
    stored,
  ]);
  const named = { name: 'koi8-r', bom: 0, unit: 1, scanner: unicodeEncoding('utf-8').scanner } as const;
  expect(encodingNotices({ format: 'file', encoding: named }, 3, String)).toEqual([
    { kind: 'invalid', count: 3, encoding: 'koi8-r' },
  ]);
  const names = (['utf-8', 'utf-16le', 'utf-32le', 'utf-32be'] as const).map(
    (name) => encodingNotices({ format: 'archive', encoding: unicodeEncoding(name) }, 1, String)[0],
  );
  expect(names).toMatchObject(
    ['UTF-8', 'UTF-16LE', 'UTF-32LE', 'UTF-32BE'].map((encoding) => ({ encoding })),
  );
});

test('a tail is read on backwards, in lines', () => {
  const next = { kind: 'tail', lines: 3, before: 40 } as const;
  const selection = typed({ kind: 'tail', lines: 4 }, '-4');
  const excerpt = excerptOf('a\n', { totals: { bytes: 42, lines: 9 }, cutBy: 'bytes', next });
  expect(notices('', { selection, excerpt })).toMatchObject([
    { kind: 'cut', in: 'lines', backwards: true, use: 'f.txt:-3@40' },
  ]);
  const oversized = { start: 0, no: 9 };
  expect(notices('', { selection, excerpt: { ...excerpt, oversized } })).toMatchObject([
    { in: 'lines', inside: oversized },
  ]);
  // Without a line that was counted it is bytes.
  const uncounted = linesOf('a\n').map(({ start, end, text, role }) => ({ start, end, text, role }));
  expect(notices('', { selection, excerpt: { ...excerpt, parts: [uncounted] } })).toMatchObject([
    { in: 'bytes', lines: [] },
  ]);
});

test('a text is empty if none is shown or left', () => {
  const nothing = { parts: [[]], totals: {}, invalid: 0 };
  expect(notices('', { excerpt: nothing })).toEqual([{ kind: 'empty', target: 'f.txt' }]);
  expect(notices('', { excerpt: { ...nothing, oversized: { start: 0 } } })).toEqual([]);
  const next = { kind: 'lines', ranges: [{ from: 1 }] } as const;
  expect(notices('', { excerpt: { ...nothing, next } })).toEqual([]);
});

test('what is beyond the end is named as typed', () => {
  const excerpt = { parts: [], totals: { lines: 3, bytes: 9 }, invalid: 0, pastEnd: true };
  const asked = (selection: TextResult['selection'], more: Partial<TextResult> = {}): unknown =>
    (notices('', { excerpt, selection, ...more }).at(-1) as { asked?: string } | undefined)?.asked;
  expect(asked(typed(lines({ from: 10 }), '0010'))).toBe('Line 0010');
  expect(asked(typed(lines({ from: 10 }), '9..'))).toBe('Line 10');
  expect(asked(typed(lines({ from: 10 }), 'x'))).toBe('Line 10');
  expect(asked({ window: lines({ from: 10 }) })).toBe('Line 10');
  expect(asked(typed(lines({ from: 7 }), '9'.repeat(30)))).toBe(`Line ${'9'.repeat(30)}`);
  expect(asked(typed(lines({ from: 7 }), '9'.repeat(31)))).toBe('Line 7');
  expect(asked(typed({ ...lines({ from: 60, to: 110 }), around: 70 }, '60..110'))).toBe('Line 70');
  expect(asked(typed({ kind: 'bytes', start: 12 }, '@12+5'))).toBe('Byte 12');
  expect(asked(typed({ kind: 'bytes', start: 12 }, '12'))).toBe('Byte 12');
  const huge = '9'.repeat(20);
  expect(asked(typed({ kind: 'bytes', start: Number.MAX_SAFE_INTEGER }, `@${huge}`))).toBe(`Byte ${huge}`);
  expect(asked(typed({ kind: 'tail', lines: 5 }, '-5'))).toBe('Line 5');
});

test('a byte past its line is not beyond the text', () => {
  const selection = typed({ ...lines({ from: 3 }), inside: 12 }, '3@12..');
  const past = { parts: [], totals: { bytes: 9, lines: 3 }, invalid: 0, pastEnd: true, lastLine: 3 };
  expect(notices('', { excerpt: past, selection })).toEqual([
    { kind: 'past-end', target: 'f.txt', asked: 'Byte 12', line: 3, totals: { bytes: 9 }, use: ['f.txt:3'] },
  ]);
  const shorter = { ...past, lastLine: 2, totals: { bytes: 9, lines: 2 } };
  expect(notices('', { excerpt: shorter, selection })).toMatchObject([
    { asked: 'Line 3', totals: { lines: 2 }, use: ['f.txt:2', 'f.txt:1'] },
  ]);
});

test('a tail before the first byte is no empty text', () => {
  const nothing = { parts: [[]], totals: { bytes: 9 }, invalid: 0 };
  const before = (byte: number, excerpt: TextResult['excerpt'] = nothing, bom = 0): unknown =>
    notices('', {
      excerpt,
      selection: typed({ kind: 'tail', lines: 2, before: byte }, `-2@${byte}`),
      encoding: unicodeEncoding('utf-8', bom),
    }).find(({ kind }) => kind === 'said' || kind === 'empty');
  const text = 'No line of f.txt is before byte 0. Use f.txt:1 for the start';
  expect(before(0)).toEqual({ kind: 'said', text, use: 'f.txt:1' });
  expect(before(3, nothing, 3)).toMatchObject({ text: text.replace('0', '3') });
  const empty = { kind: 'empty', target: 'f.txt' };
  expect(before(0, { ...nothing, totals: { bytes: 0 } })).toEqual(empty);
  expect(before(0, { ...nothing, totals: { lines: 0 } })).toEqual(empty);
  expect(before(3, { ...nothing, totals: { bytes: 3 } }, 3)).toEqual(empty);
  expect(before(5, { ...nothing, totals: {} })).toEqual(empty);
});

test('beyond an uncounted end the calls are for last lines', () => {
  const excerpt = { parts: [], totals: { bytes: 9 }, invalid: 0, pastEnd: true };
  const selection = typed(lines({ from: 10 }), '10');
  const more = { kind: 'said', text: 'More', use: 'app.db?offset=9' } as const;
  expect(notices('', { excerpt, selection, more })).toEqual([
    {
      kind: 'past-end',
      target: 'f.txt',
      asked: 'Line 10',
      continued: 'app.db?offset=9',
      totals: { bytes: 9 },
      use: ['f.txt:-20', 'f.txt:1'],
    },
  ]);
  expect(notices('', { excerpt: { ...excerpt, totals: {} }, selection })).toMatchObject([{ totals: {} }]);
  const one = { ...excerpt, totals: { lines: 1, bytes: 9 } };
  expect(notices('', { excerpt: one, selection })).toMatchObject([
    { use: ['f.txt:1'], totals: { lines: 1 } },
  ]);
  const changed = notices('', { excerpt: one, selection, changed: true });
  expect(changed.map(({ kind }) => kind)).toEqual(['changed', 'past-end']);
});

test('the next page waits for the end of this one', () => {
  const more = { kind: 'said', text: 'More' } as const;
  const totals = { bytes: 4, lines: 2 };
  const kinds = (excerpt: TextResult['excerpt']): string[] =>
    notices('', { excerpt, more }).map(({ kind }) => kind);
  expect(kinds(excerptOf('a\n', { totals }))).toEqual([]);
  expect(kinds(excerptOf('a\nb\n', { totals }))).toEqual(['said']);
  expect(kinds(excerptOf('a\n', { totals: {} }))).toEqual(['said']);
  expect(kinds({ parts: [linesOf('a\n')], totals, invalid: 0 })).toEqual([]);
});
