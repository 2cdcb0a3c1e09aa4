import { expect, test } from 'vitest';
import { place } from '../support/dialect.ts';

/** Source: `TruncationResult` of pi, its `content` aside, which is the answer. */
const FIELDS = (
  'firstLineExceedsLimit lastLinePartial maxBytes maxLines outputBytes outputLines totalBytes ' +
  'totalLines truncated truncatedBy'
).split(' ');

test.each([
  ['read', { path: 'long' }],
  ['bash', { command: 'seq 9000' }],
  ['grep', { pattern: 'x', limit: 3000 }],
  ['find', { pattern: '*', limit: 5000 }],
  ['ls', { path: 'd', limit: 5000 }],
])('%s: a cut is told with every field of TruncationResult', async (tool, input) => {
  const { write, call } = place('pi', { limits: { bytes: 2_000 } });
  write('long', `${'x'.repeat(50)}\n`.repeat(200));
  for (let i = 0; i < 150; i += 1) write(`d/${'name'.repeat(5)}-${i}`, '');
  const { details } = await call(tool, input);
  expect(Object.keys(details['truncation'] as object).toSorted()).toEqual(FIELDS);
  expect(details['truncation']).toMatchObject({ truncated: true, maxBytes: 2_000 });
});

test('one size is one size in bash and in read', async () => {
  const { write, call } = place('pi');
  write('f', 'x'.repeat(30_001));
  expect((await call('read', { path: 'f' })).text).toContain('Line 1 is 31KB, exceeds 30KB limit');
  expect((await call('bash', { command: 'cat f' })).text).toContain('last 30KB of line 1 (line is 31KB)');
});
