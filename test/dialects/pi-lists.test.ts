/** The sentences of the pi dialect below lists, character for character. */

import { expect, test } from 'vitest';
import { entriesStyle, matchesStyle } from '../../src/dialects/pi.ts';
import { seedStyle } from '../../src/dialects/pi-read.ts';
import { entriesAnswer, matchesAnswer } from '../../src/render/list-answers.ts';
import type { Answer } from '../../src/types/answer.ts';
import { bytes, entriesOf, findRequest, listRequest, matchesOf, searchRequest } from '../support/lists.ts';

const limits = bytes(30_000);
const matches = matchesStyle(seedStyle);
const results = entriesStyle(seedStyle, 'resultLimitReached');
const entries = entriesStyle(seedStyle, 'entryLimitReached');

function noticeOf({ content }: Answer): string | undefined {
  return content[0]?.type === 'text' ? content[0].text.split('\n').at(-1) : undefined;
}

test('grep: byte limit', () => {
  // 600 bytes a line: 50 of them fit into 30,000.
  const text = 'x'.repeat(600 - 'file.ts:10: '.length - 1);
  const answer = matchesAnswer(matchesOf(100, text, 100), searchRequest, limits, matches);
  expect(noticeOf(answer)).toBe('[30KB limit reached (50 of 100+ matches shown)]');
  expect(answer.details).toMatchObject({
    truncation: { truncated: true, truncatedBy: 'bytes', outputLines: 50 },
  });
  expect(answer.details).toEqual(expect.not.objectContaining({ matchLimitReached: expect.anything() }));
  const { files, ...rest } = matchesOf(100, text, 100);
  const kept = files.map((file) => ({ ...file, lines: file.lines.slice(0, 61) }));
  const some = matchesAnswer({ ...rest, files: kept }, searchRequest, limits, matches);
  expect(some.details['truncation']).toMatchObject({ outputLines: 50, totalLines: 100 });
  const fewer = matchesAnswer(matchesOf(80, text), searchRequest, limits, matches);
  expect(noticeOf(fewer)).toBe('[30KB limit reached (50 of 80 matches shown)]');
});

test('several notices share one bracket', () => {
  const { files, ...rest } = matchesOf(1, 'long', 1);
  const lines = (files[0]?.lines ?? []).map((line) => ({ ...line, clipped: 'end' as const }));
  const request = { ...searchRequest, limit: 1 };
  const answer = matchesAnswer({ ...rest, files: [{ path: 'file.ts', lines }] }, request, limits, matches);
  expect(noticeOf(answer)).toBe(
    '[1 matches limit reached. Use limit=2 for more, or refine pattern. Some lines truncated to 500 chars. Use read tool to see full lines]',
  );
});

test('ls: entry limit and byte limit', () => {
  const names = Array.from({ length: 500 }, (_, i) => `file${i}`);
  const full = entriesAnswer(entriesOf(names, 500), listRequest, limits, entries);
  expect(noticeOf(full)).toBe('[500 entries limit reached. Use limit=1000 for more]');
  expect(full.details).toMatchObject({ entryLimitReached: 500 });
  const cut = entriesAnswer(
    entriesOf(names.map((name) => 'n'.repeat(100) + name)),
    listRequest,
    limits,
    entries,
  );
  expect(noticeOf(cut)).toBe('[30KB limit reached]');
});

test('nothing', () => {
  const text = (answer: Answer): unknown => answer.content[0];
  expect(text(matchesAnswer({ ...matchesOf(0, ''), files: [] }, searchRequest, limits, matches))).toEqual({
    type: 'text',
    text: 'No matches found',
  });
  expect(text(entriesAnswer(entriesOf([]), findRequest, limits, results))).toEqual({
    type: 'text',
    text: 'No files found matching pattern',
  });
  expect(text(entriesAnswer(entriesOf([]), listRequest, limits, entries))).toEqual({
    type: 'text',
    text: '(empty directory)',
  });
});
