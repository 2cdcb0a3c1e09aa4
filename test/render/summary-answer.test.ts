import { expect, test } from 'vitest';
import { baseLimits } from '../../src/text/limits.ts';
import { displays } from '../../src/render/display.ts';
import { wording } from '../../src/render/notices.ts';
import { footer, summaryAnswer } from '../../src/render/read-notices.ts';
import { unicodeEncoding, utf8 } from '../../src/text/encoding.ts';
import type { SummaryResult } from '../../src/types/result.ts';
import { origin } from '../support/results.ts';

const result: SummaryResult = {
  ...origin,
  target: 'a.ts',
  kind: 'summary',
  summary: {
    parts: [
      { kind: 'line', from: 1, to: 1, text: 'class A {' },
      { kind: 'merged', from: 2, to: 8, text: '  run() { ... }' },
      { kind: 'line', from: 9, to: 9, text: '}' },
    ],
    elided: [{ from: 3, to: 7 }],
    elidedLines: 5,
  },
  totals: { lines: 9, bytes: 120 },
  invalid: false,
  encoding: utf8,
  display: displays.numbers,
  limits: baseLimits,
  notes: [],
};

const answer = (over: Partial<SummaryResult> = {}, prefix = '') =>
  summaryAnswer({ ...result, ...over }, prefix, { source: 'a.ts' }, wording);

test('parts, and below them the call for what was omitted', () => {
  const said = '5 lines elided; re-read needed ranges, e.g. a.ts:3..7, or all of it: a.ts:1..';
  expect(answer()).toEqual({
    content: [{ type: 'text', text: `1|class A {\n2-8|  run() { ... }\n9|}\n[${said}]` }],
    details: {
      source: 'a.ts',
      totals: { lines: 9, bytes: 120 },
      summary: { lines: 3, elidedSpans: [[3, 7]], elidedLines: 5 },
      notices: [{ kind: 'summary', text: said }],
    },
    isError: false,
  });
});

test('the resolved path and the snapshot stand above it', () => {
  const { content, details } = answer(
    { display: displays.hashline, snapshot: { tag: '0A1F', header: '¶a.ts#0A1F' } },
    '[resolved]\n',
  );
  expect(content).toEqual([
    expect.objectContaining({
      text: expect.stringMatching(/^\[resolved\]\n¶a\.ts#0A1F\n1:class A \{\n/) as string,
    }),
  ]);
  expect(details['snapshot']).toBe('0A1F');
});

test('encodings, invalid bytes, escapes and symbols precede the next call', () => {
  const parts = [{ kind: 'line', from: 1, to: 1, text: 'a\ufffd\x1b' } as const];
  const summary = { ...result.summary, parts, left: 3 };
  const { details } = answer({ summary, invalid: true, encoding: unicodeEncoding('utf-16le', 2) });
  expect((details['notices'] as readonly { kind: string }[]).map(({ kind }) => kind)).toEqual([
    'encoding',
    'invalid',
    'escaped',
    'summary',
  ]);
  expect(details).toMatchObject({ encoding: 'utf-16le', byteOrderMark: true, summary: { symbolsLeft: 3 } });
});

test('a notice names three ranges at most, within 1 KiB', () => {
  const elided = Array.from({ length: 500 }, (_, i) => ({ from: i * 10 + 1, to: i * 10 + 5 }));
  const bytesOf = (target: string): number => {
    const { details } = answer({ target, summary: { ...result.summary, elided } });
    const [notice] = details['notices'] as readonly { text: string }[];
    expect(notice?.text).toContain(`e.g. ${target}:1..5,11..15,21..25`);
    expect(notice?.text.includes('or all of it')).toBe(target === 'a.ts');
    return Buffer.byteLength(notice?.text ?? '');
  };
  expect(bytesOf('a.ts')).toBeLessThan(1024);
  expect(bytesOf(`${'d/'.repeat(340)}a.ts`)).toBeLessThan(1024);
});

test('each undecodable character counts as invalid, and nothing else', () => {
  const parts = [
    { kind: 'line', from: 1, to: 1, text: '\ufffda\ufffd' } as const,
    { kind: 'line', from: 2, to: 2, text: '\ufffd\x1b\x1b' } as const,
  ];
  const summary = { ...result.summary, parts };
  const texts = (over: Partial<SummaryResult>): string[] =>
    (answer({ summary, ...over }).details['notices'] as readonly { text: string }[]).map(
      (notice) => notice.text,
    );
  expect(texts({ invalid: true }).slice(0, -1)).toEqual([
    '3 invalid UTF-8 sequences shown as U+FFFD',
    '2 control or invisible characters shown as escapes; a.ts:raw has them as stored',
  ]);
  expect(texts({ invalid: false })).toHaveLength(2);
  const encoding = { ...unicodeEncoding('utf-8'), perhaps: 'gbk' };
  expect(texts({ invalid: true, encoding })[0]).toMatch(/; a\.ts:encoding=gbk decodes it otherwise$/);
});

test('a guess is stated, and notes precede the next call', () => {
  const encoding = { ...unicodeEncoding('utf-8'), name: 'gbk', known: 'guessed' } as const;
  const notes = [{ kind: 'said', text: 'a note' }] as const;
  const { details } = answer({ encoding, notes });
  expect(details).toMatchObject({ encoding: 'gbk', encodingGuessed: true });
  expect(details).not.toHaveProperty('byteOrderMark');
  expect((details['notices'] as readonly { kind: string }[]).map(({ kind }) => kind)).toEqual([
    'encoding',
    'said',
    'summary',
  ]);
  expect(answer().details).not.toHaveProperty('encoding');
});

test.each([
  [233, true],
  [234, false],
])('a footer with %d bytes of path names all: %s', (bytes, isNamed) => {
  const target = `${'é'.repeat(2)}${'x'.repeat(bytes - 4)}`;
  const notice = footer(target, { ...result.summary, namesCalls: true });
  expect(notice).toEqual({
    kind: 'summary',
    target,
    elidedLines: 5,
    use: `${target}:3..7`,
    ...(isNamed && { whole: `${target}:1..` }),
    namesCalls: true,
  });
});

test('the footer says how many symbols are left', () => {
  expect(footer('a.ts', { ...result.summary, left: 3 })).toEqual({
    kind: 'summary',
    target: 'a.ts',
    elidedLines: 5,
    use: 'a.ts:3..7',
    whole: 'a.ts:1..',
    left: 3,
  });
});
