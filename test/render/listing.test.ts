/** The answers to find and ls: whole names, within the limits, with the next call below. */

import { expect, test } from 'vitest';
import { baseLimits } from '../../src/text/limits.ts';
import { type ListNotice, listWording, type ListWording } from '../../src/render/list-notices.ts';
import {
  entriesAnswer,
  gapNotices,
  ListBudget,
  type ListStyle,
  type ShownEntries,
} from '../../src/render/list-answers.ts';
import { callsOf } from '../../src/render/notices.ts';
import type { Answer } from '../../src/types/answer.ts';
import type { Limits } from '../../src/types/excerpt.ts';
import type { SymbolsRequest } from '../../src/types/request.ts';
import type { SearchGaps, ListResult } from '../../src/types/result.ts';
import { bytes, entriesOf, findRequest, listRequest, searchRequest } from '../support/lists.ts';

const style: ListStyle<ShownEntries> = {
  words: listWording,
  details: ({ shown, next }) => ({ shown, ...(next !== undefined && { next }) }),
};

test('the limit and the budget each name the next offset', () => {
  const limited = entriesAnswer(entriesOf(['a', 'b'], 2), { ...listRequest, limit: 2 }, baseLimits, style);
  expect(limited).toMatchObject({
    content: [{ text: 'a\nb\n[2 entries limit reached. Use offset=2 to continue, limit=4 for more]' }],
    details: { shown: 2, next: 2 },
  });
  const full = entriesAnswer(entriesOf(['aaaa', 'bbbb', 'cccc']), findRequest, bytes(9), style);
  expect(full).toMatchObject({
    content: [{ text: 'aaaa\nbbbb\n[9 B limit reached. Use offset=2 to continue]' }],
    details: { shown: 2, next: 2 },
  });
});

test('a name larger than the answer is shown in part', () => {
  const { content, details } = entriesAnswer(entriesOf(['é'.repeat(50), 'b']), listRequest, bytes(65), style);
  expect(content).toEqual([
    { type: 'text', text: `${'é'.repeat(32)}\n[65 B limit reached. Use offset=1 to continue]` },
  ]);
  expect(details).toMatchObject({ shown: 1, next: 1 });
});

test('an offset beyond the end, and what is not covered', () => {
  const gaps = {
    timedOut: true,
    denied: true,
    tooDeep: false,
    tooMany: false,
    containers: 0,
    rules: 0,
    broken: false,
  };
  const request = { ...findRequest, offset: 9 };
  const result = { kind: 'entries', entries: [], beyond: 3, gaps, hint: 'brace-range' } as const;
  const [block] = entriesAnswer(result, request, baseLimits, style).content;
  expect(block).toEqual({
    type: 'text',
    text:
      '[Ranges like {1..9} are read as plain text. Use [1-9] or {1,2}. ' +
      'The time limit was reached: more may follow. Narrow the path or the pattern. ' +
      'Some files or directories could not be read (permission denied). ' +
      'offset=9 is beyond the last of 3 results. Use offset=0 to begin again]',
  });
});

test('a budget takes all lines or none, then nothing more', () => {
  const budget = new ListBudget(bytes(10));
  expect([budget.take('1234'), budget.take('5678', '9'), budget.take('x')]).toEqual([true, false, false]);
  expect([budget.text, budget.full]).toEqual(['1234', 'bytes']);
  expect(new ListBudget({ ...bytes(1_000), tokens: 2 }).head('123456789')).toBe('12345678');
});

const noGaps = entriesOf([]).gaps;

/** The text of an answer about these entries. */
function textOf(answer: Answer): string | undefined {
  const [block] = answer.content;
  return block?.type === 'text' ? block.text : undefined;
}

test('all that a list of entries says of itself', () => {
  const all: ListStyle<ShownEntries> = { words: listWording, details: (shown) => ({ ...shown }) };
  const details = (result: ListResult, limits: Limits, offset = 0): unknown =>
    entriesAnswer(result, { ...findRequest, offset }, limits, all).details;
  const one = { shown: 2, limit: 1000, limitReached: false, text: 'a.ts\nb.ts' };
  const whole = { lines: 2, bytes: 9 };
  expect(details(entriesOf(['a.ts', 'b.ts']), baseLimits)).toEqual({
    ...one,
    whole,
    limits: baseLimits,
    notices: [],
  });
  const limit = 'Use offset=12 to continue, limit=4 for more, or refine pattern';
  expect(details(entriesOf(['a.ts', 'b.ts'], 12), baseLimits, 10)).toEqual({
    ...one,
    limitReached: true,
    whole,
    limits: baseLimits,
    next: 12,
    notices: [{ kind: 'list', text: `2 results limit reached. ${limit}` }],
  });
  const lines = { ...baseLimits, answerLines: 2 };
  expect(details(entriesOf(['a.ts', 'b.ts', 'c.ts']), lines)).toEqual({
    ...one,
    cutBy: 'lines',
    whole: { lines: 3, bytes: 14 },
    limits: lines,
    next: 2,
    notices: [{ kind: 'list', text: '2 line limit reached. Use offset=2 to continue' }],
  });
  expect(details(entriesOf([]), baseLimits)).toMatchObject({ shown: 0, whole: { lines: 0, bytes: 0 } });
});

test('counts stand behind their names, and marks belong to them', () => {
  const entries: ListResult['entries'] = [
    { path: 'a.ts', rank: 0, matches: 3 },
    { path: '[b c]', rank: 1, matches: 0 },
    { path: 'd', mark: '/', rank: 2, matches: 1 },
    { path: '.env', rank: 3, isPrivate: true, use: '.env' },
    { path: 'a\nb', rank: 4, use: 'file:///a%0Ab' },
  ];
  const request = { ...searchRequest, kind: 'count', counts: true, glob: 'src\\a' } as const;
  const answer = (more: Partial<ListResult>): Answer =>
    entriesAnswer({ ...entriesOf([]), entries, ...more }, request, baseLimits, style);
  expect(textOf(answer({}))).toBe('a.ts: 3\n"[b c]": 0\nd/: 1\n.env (private)\na\\nb (read file:///a%0Ab)');
  expect(textOf(answer({ next: 3 }))).toContain('3 files limit reached');
  expect(textOf(answer({ entries: [] }))).toBe('No matches found');
  expect(textOf(answer({ hint: 'backslash' }))).toContain('Use pattern src/a for names');
});

test('a search by words says so if nothing was found', () => {
  const request: SymbolsRequest = { kind: 'symbols', query: 'a', limit: 10, offset: 0 };
  expect(textOf(entriesAnswer(entriesOf([]), request, baseLimits, style))).toBe('No symbols found');
  expect(textOf(entriesAnswer(entriesOf([], 3), request, baseLimits, style))).toMatch(/^\[/);
  const more = { ...request, source: true, offset: 10 };
  expect(textOf(entriesAnswer(entriesOf(['a'], 20), more, baseLimits, style))).toMatch(
    /Use offset=20 for the symbols/,
  );
});

test.each<[Partial<SearchGaps>, ListNotice]>([
  [{ timedOut: true }, { kind: 'timed-out' }],
  [{ denied: true }, { kind: 'denied' }],
  [{ failed: true }, { kind: 'failed' }],
  [{ tooDeep: true }, { kind: 'too-deep' }],
  [{ tooMany: true }, { kind: 'too-many' }],
  [{ broken: true }, { kind: 'broken', code: 'LIMIT' }],
  [
    { broken: true, short: true },
    { kind: 'broken', code: 'BUSY' },
  ],
  [{ rules: 1 }, { kind: 'rules', count: 1 }],
  [{ large: 1 }, { kind: 'large', count: 1 }],
  [{ cut: 1 }, { kind: 'cut', count: 1 }],
  [{ changed: 1 }, { kind: 'changed', count: 1 }],
  [
    { unread: 1, full: true },
    { kind: 'unread', count: 1, names: [], full: true },
  ],
  [{ unread: 1 }, { kind: 'unread', count: 1, names: [] }],
  [
    { unread: 1, firstUnread: ['a'] },
    { kind: 'unread', count: 1, names: ['a'] },
  ],
  [
    { nested: 2, firstNested: ['a:b', 'a:c'] },
    { kind: 'nested', count: 2, names: ['a:b', 'a:c'], use: 'a:b' },
  ],
  [{ scanned: 1 }, { kind: 'scanned', count: 1 }],
])('%j is said, and nothing else', (gap, notice) => {
  expect(gapNotices({ gaps: { ...noGaps, ...gap } })).toEqual([notice]);
});

test('the other gaps of an answer, and what leads on', () => {
  const kinds = (result: Partial<ListResult>): unknown => {
    const words = Object.fromEntries(Object.keys(listWording).map((kind) => [kind, () => kind]));
    const kindsOnly = { words: words as unknown as ListWording, details: () => ({}) };
    return textOf(entriesAnswer({ ...entriesOf(['a']), ...result }, findRequest, baseLimits, kindsOnly));
  };
  const passed = [{ reason: 'ignored', count: 1 }] as const;
  expect(kinds({ unparsed: 1, unknown: 2, best: 'a:#b', passed })).toBe(
    'a\n[passed. unparsed. unknown. best]',
  );
});

test('details have the broken search, the hint and the call', () => {
  const details = (result: Partial<ListResult>): Record<string, unknown> =>
    entriesAnswer({ ...entriesOf(['a']), ...result }, { ...findRequest, pattern: 'src' }, baseLimits, style)
      .details;
  expect(details({ gaps: { ...noGaps, broken: true } })).toMatchObject({ incomplete: { code: 'LIMIT' } });
  const passed = [{ reason: 'ignored', count: 1, call: { path: 'dist' } }] as const;
  expect(details({ passed })).toMatchObject({ hint: { next: '{"path":"dist"}' } });
  expect(details({ hint: 'brace-range' })).not.toHaveProperty('hint');
  const { notices } = details({ best: 'a.ts:#b', next: 1 });
  expect(callsOf((notices as readonly object[])[0] as object)).toEqual(['a.ts:#b']);
  expect(details({})).toEqual({ shown: 1 });
});

test('what was left out is counted by its reason, unless more follows', () => {
  const counting = { ...style, details: ({ leftOut }: ShownEntries) => ({ leftOut }) };
  const passed = { private: { count: 3 }, link: { count: 0 } } as unknown as NonNullable<
    SearchGaps['passed']
  >;
  const result = { ...entriesOf(['a']), gaps: { ...noGaps, containers: 2, passed } };
  expect(entriesAnswer(result, findRequest, baseLimits, counting).details['leftOut']).toEqual({
    private: 3,
    container: 2,
  });
  const more = entriesAnswer({ ...result, next: 9 }, findRequest, baseLimits, counting);
  expect(more.details['leftOut']).toBeUndefined();
});

test('the gap of a style stands before its notices', () => {
  const gapped: ListStyle<ShownEntries> = { ...style, gap: '\n' };
  expect(textOf(entriesAnswer(entriesOf(['a'], 1), listRequest, baseLimits, gapped))).toMatch(
    /^a\n\n\[1 entry/,
  );
});

test('the token counter of the host decides, cut lines too', () => {
  const count = (text: string): number => text.length * 2;
  const limits = { ...bytes(1_000), tokens: 20 };
  const budget = new ListBudget(limits, count);
  expect([budget.take('12345'), budget.take('1234'), budget.full]).toEqual([true, true, undefined]);
  expect([budget.take(''), budget.full]).toEqual([false, 'tokens']);
  expect(new ListBudget(limits, count).head('x'.repeat(64))).toBe('x'.repeat(8));
  expect(new ListBudget(limits, () => 99).head('xyz')).toBe('x');
  expect(new ListBudget(bytes(3), () => 99_999).head('é€')).toBe('é');
});
