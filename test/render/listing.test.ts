/** The answers to find and ls: whole names, within the limits, with the next call below. */

import { expect, test } from 'vitest';
import { baseLimits } from '../../src/limits.ts';
import { listWording } from '../../src/render/list-notices.ts';
import {
  foundAnswer,
  listAnswer,
  ListBudget,
  type ListStyle,
  type ShownEntries,
} from '../../src/render/listing.ts';
import { bytes, entriesOf, findRequest, listRequest } from '../support/lists.ts';

const style: ListStyle<ShownEntries> = {
  words: listWording,
  details: ({ shown, next }) => ({ shown, ...(next !== undefined && { next }) }),
};

test('one path per line', () => {
  expect(foundAnswer(entriesOf(['a.ts', 'b.ts']), findRequest, baseLimits, style)).toEqual({
    content: [{ type: 'text', text: 'a.ts\nb.ts' }],
    details: { shown: 2 },
    isError: false,
  });
});

test('nothing is said in words', () => {
  expect(foundAnswer(entriesOf([]), findRequest, baseLimits, style).content).toEqual([
    { type: 'text', text: 'No files found matching pattern' },
  ]);
  expect(listAnswer(entriesOf([]), listRequest, baseLimits, style).content).toEqual([
    { type: 'text', text: '(empty directory)' },
  ]);
});

test('the caller’s limit and the budget each name the next offset', () => {
  const limited = listAnswer(entriesOf(['a', 'b'], 2), { ...listRequest, limit: 2 }, baseLimits, style);
  expect(limited).toMatchObject({
    content: [{ text: 'a\nb\n[2 entries limit reached. Use offset=2 to continue, limit=4 for more]' }],
    details: { shown: 2, next: 2 },
  });
  const full = foundAnswer(entriesOf(['aaaa', 'bbbb', 'cccc']), findRequest, bytes(9), style);
  expect(full).toMatchObject({
    content: [{ text: 'aaaa\nbbbb\n[9 B limit reached. Use offset=2 to continue]' }],
    details: { shown: 2, next: 2 },
  });
});

test('a name that is larger than the answer is shown in part, so that every answer leads on', () => {
  const { content, details } = listAnswer(entriesOf(['é'.repeat(50), 'b']), listRequest, bytes(65), style);
  expect(content).toEqual([
    { type: 'text', text: `${'é'.repeat(32)}\n[65 B limit reached. Use offset=1 to continue]` },
  ]);
  expect(details).toMatchObject({ shown: 1, next: 1 });
});

test('an offset beyond the end, and what an answer does not cover', () => {
  const gaps = {
    timedOut: true,
    denied: true,
    tooDeep: false,
    tooMany: false,
    unnamed: 1,
    containers: 0,
    rules: 0,
    broken: false,
  };
  const request = { ...findRequest, offset: 9 };
  const result = { is: 'entries', entries: [], beyond: 3, gaps, hint: 'directory' } as const;
  const [block] = foundAnswer(result, { ...request, pattern: 'src' }, baseLimits, style).content;
  expect(block).toEqual({
    type: 'text',
    text:
      '[src is a directory. Use src/** for the files below it. ' +
      'The time limit was reached: more may follow. Narrow the path or the pattern. ' +
      'Some files or directories could not be read (permission denied). ' +
      '1 file left out whose name is not UTF-8. ' +
      'offset=9 is beyond the last of 3 results. Use offset=0 to begin again]',
  });
});

test('a budget takes all of some lines or none, and after a refusal nothing any more', () => {
  const budget = new ListBudget(bytes(10));
  expect([budget.take('1234'), budget.take('5678', '9'), budget.take('x')]).toEqual([true, false, false]);
  expect([budget.text, budget.full]).toEqual(['1234', 'bytes']);
  expect(new ListBudget({ ...bytes(1_000), tokens: 2 }).head('123456789')).toBe('12345678');
});
