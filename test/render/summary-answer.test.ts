import { expect, test } from 'vitest';
import { baseLimits } from '../../src/limits.ts';
import { displays } from '../../src/render/display.ts';
import { wording } from '../../src/render/notices.ts';
import { summaryAnswer } from '../../src/render/summary-answer.ts';
import { encodingOf, utf8 } from '../../src/text/encoding.ts';
import type { SummaryResult } from '../../src/types/result.ts';
import { origin } from '../support/results.ts';

const result: SummaryResult = {
  ...origin,
  target: 'a.ts',
  is: 'summary',
  summary: {
    parts: [
      { is: 'line', from: 1, to: 1, text: 'class A {' },
      { is: 'merged', from: 2, to: 8, text: '  run() { ... }' },
      { is: 'line', from: 9, to: 9, text: '}' },
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

test('parts, and below them what was left out with the call that shows it', () => {
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

test('what the path resolved to and the snapshot stand above it', () => {
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

test('encodings, invalid sequences, escapes and symbols without room are said before the next call', () => {
  const parts = [{ is: 'line', from: 1, to: 1, text: 'a\ufffd\x1b' } as const];
  const summary = { ...result.summary, parts, left: 3 };
  const { details } = answer({ summary, invalid: true, encoding: encodingOf('utf-16le', 2) });
  expect((details['notices'] as { kind: string }[]).map(({ kind }) => kind)).toEqual([
    'encoding',
    'invalid',
    'escaped',
    'summary',
  ]);
  expect(details).toMatchObject({ encoding: 'utf-16le', byteOrderMark: true, summary: { symbolsLeft: 3 } });
});

test('a notice names at most three ranges, and the whole text where there is room', () => {
  const elided = Array.from({ length: 500 }, (_, i) => ({ from: i * 10 + 1, to: i * 10 + 5 }));
  const bytesOf = (target: string): number => {
    const { details } = answer({ target, summary: { ...result.summary, elided } });
    const [notice] = details['notices'] as { text: string }[];
    expect(notice?.text).toContain(`e.g. ${target}:1..5,11..15,21..25`);
    expect(notice?.text.includes('or all of it')).toBe(target === 'a.ts');
    return Buffer.byteLength(notice?.text ?? '');
  };
  expect(bytesOf('a.ts')).toBeLessThan(1024);
  expect(bytesOf(`${'d/'.repeat(340)}a.ts`)).toBeLessThan(1024);
});
