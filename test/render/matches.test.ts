import { expect, test } from 'vitest';
import { fitMatches, matchesAnswer } from '../../src/render/list-answers.ts';
import { listWording, sayTogether } from '../../src/render/list-notices.ts';
import type { MatchedFile, SearchResult } from '../../src/types/result.ts';
import { bytes, matchesOf, searchRequest } from '../support/lists.ts';

test('the limit is inclusive and counts prefixes and line breaks', () => {
  const line = 'file.ts:1: xx\n'.length;
  expect(fitMatches(matchesOf(3, 'xx'), searchRequest, bytes(3 * line - 1))).toMatchObject({ shown: 3 });
  expect(fitMatches(matchesOf(3, 'xx'), searchRequest, bytes(3 * line - 2))).toMatchObject({
    text: 'file.ts:1: xx\nfile.ts:2: xx',
    shown: 2,
    cutBy: 'bytes',
    next: 2,
  });
});

test('context after the last fitting match is no match', () => {
  const lines = [
    { no: 1, rank: 0, text: 'x' },
    { no: 2, text: 'context' },
    { no: 3, rank: 1, text: 'x'.repeat(50) },
  ];
  const result = { ...matchesOf(2, 'x'), files: [{ path: 'file.ts', lines }] };
  expect(fitMatches(result, { ...searchRequest, after: 1 }, bytes(60))).toMatchObject({
    text: 'file.ts:1: x\nfile.ts-2- context',
    shown: 1,
    next: 1,
    notices: [{ kind: 'budget', next: 1, shown: 1, found: 2 }],
  });
});

test('escapes count as they are shown', () => {
  const text = '\x1b'.repeat(10);
  expect(fitMatches(matchesOf(2, text), searchRequest, bytes(100))).toMatchObject({
    text: `file.ts:1: ${'\\x1b'.repeat(10)}`,
    shown: 1,
    next: 1,
  });
});

test('tokens are a limit as well', () => {
  const limits = { ...bytes(10_000), tokens: 32 };
  const { shown, cutBy } = fitMatches(matchesOf(9, 'x'.repeat(40)), searchRequest, limits);
  expect([shown, cutBy]).toEqual([2, 'tokens']);
});

test('a first match that does not fit is shown partly', () => {
  const result = matchesOf(2, 'é'.repeat(100));
  const lines = [
    { no: 1, text: 'context' },
    ...(result.files[0]?.lines ?? []).map((line) => ({ ...line, no: line.no + 1 })),
  ];
  const request = { ...searchRequest, context: 1 };
  expect(fitMatches({ ...result, files: [{ path: 'file.ts', lines }] }, request, bytes(64))).toMatchObject({
    text: `file.ts:2: ${'é'.repeat(26)}`,
    shown: 1,
    next: 1,
    clipped: true,
  });
});

test('all notices together stay below 1 KiB, whatever the names', () => {
  const gaps = {
    timedOut: true,
    denied: true,
    tooDeep: true,
    tooMany: true,
    containers: 123_456,
    rules: 0,
    broken: false,
  };
  for (const path of ['日'.repeat(99), '日'.repeat(1000), '\n'.repeat(90)]) {
    const lines = [{ no: 1_000_000, rank: 999_998, text: 'x', clipped: 'end' as const }];
    const result = {
      ...matchesOf(1, 'x', 999_999),
      files: [{ path, lines }],
      gaps,
      hint: 'brace-range' as const,
    };
    const request = { ...searchRequest, offset: 999_998, limit: 1 };
    const { notices } = fitMatches(result, request, bytes(100_000));
    expect(Buffer.byteLength(sayTogether(notices, listWording))).toBeLessThan(1020);
  }
});

const found = (files: readonly MatchedFile[], more: Partial<SearchResult> = {}): SearchResult => ({
  ...matchesOf(0, ''),
  files,
  found: files.flatMap(({ lines }) => lines.filter(({ rank }) => rank !== undefined)).length,
  ...more,
});

test('all that a list of matches says of itself', () => {
  expect(fitMatches(matchesOf(2, 'xx'), searchRequest, bytes(1_000))).toEqual({
    text: 'file.ts:1: xx\nfile.ts:2: xx',
    shown: 2,
    limit: 100,
    limitReached: false,
    whole: { lines: 2, bytes: 27 },
    limits: bytes(1_000),
    clipped: false,
    notices: [],
  });
  expect(fitMatches(matchesOf(2, 'xx', 2), searchRequest, bytes(1_000))).toEqual({
    text: 'file.ts:1: xx\nfile.ts:2: xx',
    shown: 2,
    limit: 100,
    limitReached: true,
    whole: { lines: 2, bytes: 27 },
    limits: bytes(1_000),
    clipped: false,
    next: 2,
    notices: [{ kind: 'limit', of: 'matches', limit: 2, next: 2 }],
  });
  expect(fitMatches(matchesOf(3, 'xx', 3), searchRequest, bytes(27))).toEqual({
    text: 'file.ts:1: xx\nfile.ts:2: xx',
    shown: 2,
    limit: 100,
    limitReached: false,
    cutBy: 'bytes',
    whole: { lines: 3, bytes: 41 },
    limits: bytes(27),
    clipped: false,
    next: 2,
    notices: [
      { kind: 'budget', of: 'matches', by: 'bytes', budget: 27, next: 2, shown: 2, found: 3, more: true },
    ],
  });
});

test('lines cut by the limit count as answer lines', () => {
  const limits = { ...bytes(1_000), answerLines: 2 };
  expect(fitMatches(matchesOf(3, 'x'), searchRequest, limits).notices).toEqual([
    { kind: 'budget', of: 'matches', by: 'lines', budget: 2, next: 2, shown: 2, found: 3, more: false },
  ]);
});

test('separate context stands apart, anchors above files, symbols above matches', () => {
  const within = { name: 'run', from: 9, to: 20 };
  const files = [
    {
      path: 'a.ts',
      lines: [
        { no: 7, text: 'six' },
        { no: 8, text: 'seven' },
        { no: 9, text: 'run' },
        { no: 10, rank: 0, text: 'x', within },
        { no: 11, rank: 1, text: 'x', within },
        { no: 30, rank: 2, text: 'x', within: { name: 'run', from: 30, to: 30 } },
        { no: 31, text: 'y' },
        { no: 32, rank: 3, text: 'x' },
        { no: 33, rank: 4, text: 'x', within: { name: 'end', from: 33, to: 40 } },
      ],
    },
    { path: 'b.ts', anchor: '¶b.ts#12', lines: [{ no: 1, rank: 5, text: 'x' }] },
  ];
  const lines = [
    'a.ts-7- six',
    'a.ts-8- seven',
    'in run [L9-20]',
    'a.ts-9- run',
    'a.ts:10: x',
    'a.ts:11: x',
    'in run [L30]',
    'a.ts:30: x',
    'a.ts-31- y',
    'a.ts:32: x',
    'in end [L33-40]',
    'a.ts:33: x',
    '¶b.ts#12',
    '1:x',
  ];
  const text = fitMatches(found(files), searchRequest, bytes(10_000)).text;
  expect(text.split('\n')).toEqual(lines);
  for (const around of [{ before: 1 }, { after: 1 }])
    expect(fitMatches(found(files), { ...searchRequest, ...around }, bytes(10_000)).text.split('\n')).toEqual(
      [...lines.slice(0, 6), '--', ...lines.slice(6, 12), '--', ...lines.slice(12)],
    );
});

test('cut lines are marked at their ends and once below', () => {
  const sides = ['start', 'end', 'both', undefined] as const;
  const lines = sides.map((clipped, rank) => ({
    no: rank + 1,
    rank,
    text: 'x',
    ...(clipped && { clipped }),
  }));
  const { text, notices, clipped } = fitMatches(
    found([{ path: 'a.ts', lines }]),
    searchRequest,
    bytes(10_000),
  );
  expect(text.split('\n')).toEqual([
    'a.ts:1: [truncated] ...x',
    'a.ts:2: x... [truncated]',
    'a.ts:3: [truncated] ...x... [truncated]',
    'a.ts:4: x',
  ]);
  expect(clipped).toBe(true);
  expect(notices).toEqual([{ kind: 'clipped', characters: 500, use: 'a.ts:1..1' }]);
});

test.each([
  ['x'.repeat(300), true],
  ['x'.repeat(301), false],
  ['a\n', false],
])('a notice names a path that can be retyped: %j', (path, isNamed) => {
  const lines = [{ no: 1, rank: 0, text: 'x', clipped: 'end' as const }];
  const [notice] = fitMatches(found([{ path, lines }]), searchRequest, bytes(10_000)).notices;
  expect(notice && 'use' in notice && notice.use !== undefined).toBe(isNamed);
});

test('guessed encodings of shown files are told', () => {
  const files = ['a.ts', 'b.ts', 'c.ts'].map((path, rank) => ({
    path,
    lines: [{ no: 1, rank, text: 'x' }],
    ...(path !== 'a.ts' && { guessed: 'gbk' }),
  }));
  const of = (limit: number, more: Partial<SearchResult> = {}) =>
    fitMatches(found(files, more), searchRequest, bytes(limit)).notices;
  expect(of(1_000)).toEqual([{ kind: 'guessed', count: 2, path: 'b.ts', encoding: 'gbk' }]);
  expect(of(22).map((notice) => notice.kind)).toEqual(['guessed', 'budget']);
  expect(of(22)[0]).toMatchObject({ count: 1 });
  expect(of(12).map((notice) => notice.kind)).toEqual(['budget']);
  expect(of(1_000, { next: 3 }).map((notice) => notice.kind)).toEqual(['guessed', 'limit']);
});

test('an offset beyond the last match differs from no matches', () => {
  const style = { words: listWording, details: () => ({}) };
  const request = { ...searchRequest, offset: 9 };
  const textOf = (result: SearchResult): unknown =>
    matchesAnswer(result, request, bytes(1_000), style).content[0];
  expect(textOf(found([], { beyond: 3 }))).toEqual({
    type: 'text',
    text: '[offset=9 is beyond the last of 3 matches. Use offset=0 to begin again]',
  });
  expect(textOf(found([]))).toEqual({ type: 'text', text: 'No matches found' });
  expect(textOf(matchesOf(1, 'x'))).toEqual({ type: 'text', text: 'file.ts:1: x' });
});

test('the name of a symbol has at most 200 characters', () => {
  const within = { name: `\n${'x'.repeat(300)}`, from: 1, to: 2 };
  const { text } = fitMatches(
    found([{ path: 'a.ts', lines: [{ no: 1, rank: 0, text: 'x', within }] }]),
    searchRequest,
    bytes(1_000),
  );
  expect(text.split('\n')[0]).toBe(`in \\n${'x'.repeat(198)} [L1-2]`);
});
