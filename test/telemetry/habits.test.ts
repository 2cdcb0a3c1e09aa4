/** The habits that cost most, each with the call that would have been cheaper. */

import { expect, test } from 'vitest';
import type { CallEvent } from '../../src/types/telemetry.ts';
import { call, figuresOf, map, page } from '../support/telemetry.ts';

const habits = (...events: readonly CallEvent[]) => figuresOf(...events).habits.list();

test('a text read whole of which then a part is read: the part would have been enough', () => {
  expect(habits(page(1, 1_000), page(40, 80))).toEqual([
    {
      name: 'whole',
      times: 1,
      bytes: 100_000,
      examples: [{ source: 'src/a.ts', bytes: 100_000, instead: 'src/a.ts:40..80' }],
    },
  ]);
});

test('the same where it was read whole page by page', () => {
  const found = habits(page(1, 500, { cutBy: 'bytes' }), page(501, 1_000), page(40, 80));
  expect(found.map(({ name }) => name)).toEqual(['whole', 'pages']);
  expect(found[0]?.examples[0]).toMatchObject({ bytes: 100_000, instead: 'src/a.ts:40..80' });
});

test('a small text is read whole with good reason', () => {
  const small = { totalLines: 50, totalBytes: 5_000 };
  expect(habits(page(1, 50, small), page(10, 12, small)).map(({ name }) => name)).toEqual(['again']);
});

test('ranges asked again: the call for what was new, and none where nothing was', () => {
  expect(habits(page(1, 100), page(51, 150), page(20, 30))).toEqual([
    {
      name: 'again',
      times: 2,
      bytes: 6_100,
      examples: [
        { source: 'src/a.ts', bytes: 5_000, instead: 'src/a.ts:101..150' },
        { source: 'src/a.ts', bytes: 1_100 },
      ],
    },
    {
      name: 'pages',
      times: 1,
      bytes: 400,
      examples: [{ source: 'src/a.ts', bytes: 400, instead: 'src/a.ts:@0+256K' }],
    },
  ]);
});

test('maps that nothing followed', () => {
  expect(habits(map('src/a.ts'), map('src/b.ts', 4_000), page(1, 10, { source: 'src/a.ts' }))).toEqual([
    {
      name: 'map',
      times: 1,
      bytes: 4_000,
      examples: [{ source: 'src/b.ts', bytes: 4_000, instead: 'src:outline' }],
    },
  ]);
});

test('calls are written as the dialect has them', () => {
  const insteadIn = (dialect: string) =>
    habits(page(1, 1_000), page(40, 80, {}, { dialect }))[0]?.examples[0]?.instead;
  expect(insteadIn('pi')).toBe('src/a.ts offset=40 limit=41');
  expect(insteadIn('zdx')).toBe('src/a.ts offset=40 limit=41');
  expect(insteadIn('coder')).toBe('src/a.ts offset=40 limit=41');
  expect(insteadIn('zed')).toBe('src/a.ts start_line=40 end_line=80');
  expect(insteadIn('unknown')).toBeUndefined();
});

test('a failure is no habit', () => {
  expect(
    habits(call({ error: 'NOT_FOUND', reads: [{ source: 'x' }] }), call({ error: 'NOT_FOUND' })),
  ).toEqual([]);
});
