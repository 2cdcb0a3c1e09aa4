import { expect, test } from 'vitest';
import { fitMatches } from '../../src/render/matches.ts';
import { listWording, sayTogether } from '../../src/render/list-notices.ts';
import { bytes, matchesOf, searchRequest } from '../support/lists.ts';

test('the limit is inclusive and counts what is shown, prefixes and line breaks too', () => {
  const line = 'file.ts:1: xx\n'.length;
  expect(fitMatches(matchesOf(3, 'xx'), searchRequest, bytes(3 * line - 1))).toMatchObject({ shown: 3 });
  expect(fitMatches(matchesOf(3, 'xx'), searchRequest, bytes(3 * line - 2))).toMatchObject({
    text: 'file.ts:1: xx\nfile.ts:2: xx',
    shown: 2,
    cutBy: 'bytes',
    next: 2,
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

test('a first match that does not fit is shown in part, without its context, so that every answer leads on', () => {
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
    unnamed: 123_456,
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

test('what the answer does not cover is said before what follows it', () => {
  const gaps = {
    timedOut: true,
    denied: true,
    tooDeep: true,
    tooMany: false,
    unnamed: 2,
    containers: 0,
    rules: 0,
    broken: false,
  };
  const { notices } = fitMatches(
    { ...matchesOf(1, 'x', 1), gaps },
    { ...searchRequest, limit: 1 },
    bytes(100),
  );
  expect(notices.map(({ kind }) => kind)).toEqual(['timed-out', 'denied', 'too-deep', 'unnamed', 'limit']);
});
