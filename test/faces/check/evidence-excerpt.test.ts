/** The parts of calls and answers that reports show. */

import { expect, test } from 'vitest';
import { excerptEvidence, shortenArguments } from '../../../src/faces/check/outcome.ts';

test('a short text is whole, escaped and on one line', () => {
  expect(excerptEvidence('a\u001b[2J\n\tb\u202e')).toBe(String.raw`a\x1b[2J\n\tb\u202e`);
});

test('a long text shows 300 characters around the place', () => {
  const text = `${'a'.repeat(1_000)}HIT${'b'.repeat(1_000)}`;
  expect(excerptEvidence(text)).toBe(`${'a'.repeat(300)}…`);
  expect(excerptEvidence(text, 1_000)).toBe(`…${'a'.repeat(100)}HIT${'b'.repeat(197)}…`);
  expect(excerptEvidence(text, 2_002)).toBe(`…${'b'.repeat(101)}`);
  // Not found: the begin.
  expect(excerptEvidence(text, -1)).toBe(`${'a'.repeat(300)}…`);
});

test('long texts in arguments are cut, other values are kept', () => {
  const input = { path: 'a/'.repeat(50_000), offset: 3, more: ['x'] };
  expect(shortenArguments({ tool: 'read', arguments: input })).toEqual({
    tool: 'read',
    arguments: { path: `${'a/'.repeat(150)}…`, offset: 3, more: ['x'] },
  });
});
