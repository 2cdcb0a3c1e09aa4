/** Whole answers to reads, as every face hands them on. */

import { expect, test } from 'vitest';
import { baseLimits } from '../../src/text/limits.ts';
import { displays } from '../../src/render/display.ts';
import { wording } from '../../src/render/notices.ts';
import { fileUrl, readAnswer, textFacts, writtenPath } from '../../src/render/answers.ts';
import { unicodeEncoding } from '../../src/text/encoding.ts';
import { OrielError } from '../../src/errors.ts';
import type { PartResult, ReadResult } from '../../src/types/result.ts';
import { excerptOf, linesOf, origin, textResult } from '../support/results.ts';

const answer = (result: ReadResult) => readAnswer(result, wording);
const { tokens: _, answerLines: __, ...limits } = baseLimits;
const facts = { source: 'f.txt', resolvedPath: '/home/me/f.txt', kind: 'file' };

test('text', () => {
  expect(answer(textResult('a\nb\n'))).toEqual({
    content: [{ type: 'text', text: '1|a\n2|b\n' }],
    details: { ...facts, totals: { bytes: 4, lines: 2 }, limits },
    isError: false,
  });
});

test('a cut text: notice and details name one next call', () => {
  const excerpt = excerptOf('a\nb\n', {
    totals: { bytes: 90, lines: 45 },
    cutBy: 'lines',
    next: { kind: 'lines', ranges: [{ from: 3 }] },
  });
  const notice = { kind: 'cut', text: 'Showing lines 1-2 of 45. Use f.txt:3.. to continue' };
  expect(answer(textResult('', { excerpt }))).toEqual({
    content: [{ type: 'text', text: `1|a\n2|b\n[${notice.text}]` }],
    details: {
      ...facts,
      totals: { bytes: 90, lines: 45 },
      limits,
      truncation: { by: 'lines', shown: { lines: [[1, 2]], bytes: [0, 4] }, next: 'f.txt:3..' },
      notices: [notice],
    },
    isError: false,
  });
});

test('the next page of a table is in the details too', () => {
  const more = { kind: 'said', text: 'More rows', use: 'a.db:t?offset=20' } as const;
  expect(answer(textResult('a\n', { more })).details).toMatchObject({
    truncation: { by: 'page', next: 'a.db:t?offset=20' },
  });
});

test('a window behind the end succeeds with an error code', () => {
  const excerpt = { parts: [], totals: { lines: 1, bytes: 2 }, invalid: 0, pastEnd: true };
  const selection = { window: { kind: 'lines', ranges: [{ from: 9 }], context: true }, typed: '9' } as const;
  const { content, details, isError } = answer(textResult('', { excerpt, selection }));
  const message = 'Line 9 is beyond the end of f.txt (1 line). Use f.txt:1 for the end';
  expect(content).toEqual([{ type: 'text', text: `[${message}]` }]);
  expect([isError, details['error']]).toEqual([false, { code: 'OUT_OF_RANGE', message, next: 'f.txt:1' }]);
});

test('suffix match, snapshot, parts with a gap, images of notebooks', () => {
  const result = textResult('', {
    excerpt: excerptOf('', {
      parts: [linesOf('a\n'), linesOf('z\n', 9, 80)],
      totals: { bytes: 82, lines: 9 },
    }),
    display: displays.hashline,
    snapshot: { tag: '0A1F', header: '¶f.txt#0A1F' },
    suffix: { from: 'f.txt', to: 'src/f.txt' },
    images: [{ mimeType: 'image/png', data: Buffer.from('png') }],
  });
  const { content, details } = answer(result);
  expect(content).toEqual([
    {
      type: 'text',
      text: "[Path 'f.txt' not found; resolved to 'src/f.txt' via suffix match]\n¶f.txt#0A1F\n1:a\n…\n9:z\n",
    },
    { type: 'image', mimeType: 'image/png', data: 'cG5n' },
  ]);
  expect(details).toMatchObject({ snapshot: '0A1F', suffixResolution: { from: 'f.txt', to: 'src/f.txt' } });
});

// A gap would be taken for a part of it.
test('verbatim text shows no gap between its parts', () => {
  const parts = [linesOf('a\n'), linesOf('z\n', 9)];
  const excerpt = excerptOf('', { parts, totals: { lines: 9 } });
  const raw = { ...displays.plain };
  expect(answer(textResult('', { excerpt, display: raw })).content).toEqual([
    { type: 'text', text: 'a\nz\n' },
  ]);
});

test('a binary file is described and never shown as text', () => {
  const said = (type: string): string => {
    const binary = {
      ...origin,
      kind: 'binary',
      type,
      bytes: 3072,
      isNearlyText: false,
      changed: false,
      selection: { typed: '5-9' },
    } as const;
    const [block] = answer(binary).content;
    return block?.type === 'text' ? block.text : '';
  };
  expect(said('image/x-icon')).toBe(
    '[f.txt is binary (image/x-icon, 3 KiB). Use a shell to look at it: file f.txt, or xxd f.txt | head -100]',
  );
  const document = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
  expect(said(document)).toBe(`[f.txt is binary (${document}, 3 KiB). Use f.txt:/ to list what it holds]`);
});

test('a note stands alone', () => {
  const note = { kind: 'said', text: 'secret.txt is encrypted', use: 'a.zip' } as const;
  expect(answer({ ...origin, kind: 'note', resource: { kind: 'note', format: 'archive', note } })).toEqual({
    content: [{ type: 'text', text: '[secret.txt is encrypted]' }],
    details: { ...facts, notices: [{ kind: 'said', text: 'secret.txt is encrypted' }] },
    isError: false,
  });
});

test('an image is its facts and, where possible, itself', () => {
  const resource = { kind: 'image', format: 'image', text: 'PNG, 2 × 1 pixels' } as const;
  const shown = { mimeType: 'image/png', data: Buffer.from('png') };
  const text = { type: 'text', text: 'PNG, 2 × 1 pixels' };
  expect(answer({ ...origin, kind: 'image', resource }).content).toEqual([text]);
  const notes = [{ kind: 'said', text: 'Scaled down' }] as const;
  expect(answer({ ...origin, kind: 'image', resource: { ...resource, image: shown, notes } })).toMatchObject({
    content: [
      { ...text, text: `${text.text}\n[Scaled down]` },
      { type: 'image', mimeType: 'image/png', data: 'cG5n' },
    ],
    isError: false,
  });
});

test('the facts of a text name decoding and actual limits', () => {
  const result = textResult('a', {
    encoding: unicodeEncoding('utf-16be', 2),
    selection: { mode: 'raw', window: { kind: 'tail', lines: 2 } },
    facts: { rows: 3 },
    excerpt: excerptOf('a', { invalid: 4 }),
  });
  expect(textFacts(result)).toEqual({
    ...facts,
    meta: { rows: 3 },
    window: { kind: 'tail', lines: 2 },
    mode: 'raw',
    totals: { bytes: 1, lines: 1 },
    encoding: 'utf-16be',
    byteOrderMark: true,
    invalid: 4,
    limits,
  });
});

const part = (typed: string, result: PartResult['result']): PartResult => ({ typed, result });
const several = (...parts: PartResult[]): ReadResult => ({ ...origin, kind: 'several', parts });

test('several paths: failures and paths without room are parts too', () => {
  const failed = new OrielError('NOT_FOUND', 'x does not exist');
  const full = 'not shown: the answer is full. Use b\\t to read it';
  const { content, details, isError } = answer(
    several(part('x', failed), part('b\t', { full: 'lines' }), part('c', { full: 'lines' })),
  );
  expect(isError).toBe(false);
  expect(content).toEqual([
    {
      type: 'text',
      text: `==> x <==\nx does not exist\n==> b\\t <==\n[${full}]\n==> c <==\n[${full.replace('b\\t', 'c')}]`,
    },
  ]);
  expect(details).toMatchObject({
    parts: [
      { error: { code: 'NOT_FOUND', message: 'x does not exist' } },
      { source: 'b\t', notices: [{ kind: 'said', text: full }], truncation: { by: 'lines', next: 'b\t' } },
      { source: 'c', truncation: { by: 'lines', next: 'c' } },
    ],
    notices: [{ text: full }, { text: full.replace('b\\t', 'c') }],
    truncation: { by: 'lines', next: 'b\t', others: ['c'] },
  });
});

test('several paths: a cut one leads on, images come last', () => {
  const excerpt = excerptOf('a\n', {
    totals: { bytes: 90, lines: 45 },
    cutBy: 'lines',
    next: { kind: 'lines', ranges: [{ from: 2 }] },
  });
  const image = { mimeType: 'image/png', data: Buffer.from('png') };
  const picture: ReadResult = {
    ...origin,
    kind: 'image',
    resource: { kind: 'image', format: 'image', text: 'PNG', image },
  };
  const { content, details } = answer(
    several(part('p', picture), part('f.txt', textResult('', { excerpt }))),
  );
  expect(content).toEqual([
    {
      type: 'text',
      text: '==> p <==\nPNG\n==> f.txt <==\n1|a\n[Showing line 1 of 45. Use f.txt:2.. to continue]',
    },
    { type: 'image', mimeType: 'image/png', data: 'cG5n' },
  ]);
  expect(details['truncation']).toEqual({
    by: 'lines',
    shown: { lines: [[1, 1]], bytes: [0, 2] },
    next: 'f.txt:2..',
  });
});

test('entries that were left out lead on as well', () => {
  const truncation = (leftOut: readonly string[]): unknown =>
    answer(textResult('a\n', { leftOut })).details['truncation'];
  const shown = { lines: [[1, 1]], bytes: [0, 2] };
  expect(truncation([])).toBeUndefined();
  expect(truncation(['d/'])).toEqual({ by: 'entries', next: 'd/', shown });
  expect(truncation(['d/', 'e/'])).toEqual({ by: 'entries', next: 'd/', others: ['e/'], shown });
  const cut = { cutBy: 'lines', next: { kind: 'lines', ranges: [{ from: 2 }] } } as const;
  const page = textResult('', { excerpt: excerptOf('a\n', cut), leftOut: ['d/', 'e/'] });
  expect(answer(page).details['truncation']).toEqual({
    by: 'lines',
    next: 'f.txt:2..',
    others: ['d/', 'e/'],
    shown,
  });
});

test('a binary file that is nearly text can be read as text', () => {
  const binary = { ...origin, kind: 'binary', type: 'NUL bytes', isNearlyText: true, changed: true } as const;
  expect(answer({ ...binary, selection: {} }).content).toEqual([
    {
      type: 'text',
      text:
        '[f.txt is binary (NUL bytes). Use f.txt:raw to read it as text]\n' +
        '[f.txt changed while it was being read: lines may be from two versions. Call again]',
    },
  ]);
});

test('a page without lines is cut, but shows none', () => {
  const excerpt = { parts: [], totals: { lines: 0 }, invalid: 0 };
  const more = { kind: 'said', text: 'More rows', use: 'a.db:t?offset=20' } as const;
  expect(answer(textResult('', { excerpt, more })).details['truncation']).toEqual({
    by: 'page',
    next: 'a.db:t?offset=20',
    shown: {},
  });
});

test('a guessed encoding is one of the facts', () => {
  const encoding = { ...unicodeEncoding('utf-16le', 0), known: 'guessed' } as const;
  expect(textFacts(textResult('a', { encoding }))).toMatchObject({
    encoding: 'utf-16le',
    encodingGuessed: true,
  });
  expect(textFacts(textResult('a'))).not.toHaveProperty('encodingGuessed');
});

test('the URL of a path names it, whatever bytes it has', () => {
  expect(fileUrl('/a b/é.ts')).toBe('file:///a%20b/%C3%A9.ts');
  const broken = `/a b/=x:1/${String.fromCharCode(0xdcff)}`;
  expect(fileUrl(broken)).toBe('file:///a%20b/=x:1/%FF');
  expect([writtenPath('/a b'), writtenPath(broken)]).toEqual(['/a b', fileUrl(broken)]);
});
