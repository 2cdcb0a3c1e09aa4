/** The habits that cost most, each with the call that would have been cheaper. */

import { expect, test } from 'vitest';
import type { CallEvent } from '../../src/types/telemetry.ts';
import { call, figuresOf, map, page } from '../support/telemetry.ts';

const example = (bytes: number, path?: string, source = 'src/a.ts') => ({
  source,
  bytes,
  tokens: bytes / 4,
  dialect: 'oriel',
  ...(path !== undefined && { instead: path, path }),
});

const habits = (...events: readonly CallEvent[]) => figuresOf(...events).habits.list();

test('a text read whole of which a part was enough', () => {
  expect(habits(page(1, 1_000), page(40, 80))).toEqual([
    {
      name: 'whole',
      times: 1,
      bytes: 100_000,
      tokens: 25_000,
      examples: [example(100_000, 'src/a.ts:40..80')],
    },
  ]);
});

test('the same where it was read whole page by page', () => {
  const found = habits(page(1, 500, { cutBy: 'bytes' }), page(501, 1_000), page(40, 80));
  expect(found.map(({ name }) => name)).toEqual(['whole']);
  expect(found[0]?.examples[0]).toMatchObject({ bytes: 100_000, instead: 'src/a.ts:40..80' });
});

test('a small text is read whole with good reason', () => {
  const small = { totalLines: 50, totalBytes: 5_000 };
  expect(habits(page(1, 50, small), page(10, 12, small)).map(({ name }) => name)).toEqual(['again']);
});

test('ranges asked again: the call for only the new part', () => {
  expect(habits(page(1, 100), page(51, 150), page(20, 30))).toEqual([
    {
      name: 'again',
      times: 2,
      bytes: 6_100,
      tokens: 1_525,
      examples: [example(5_000, 'src/a.ts:101..150'), example(1_100)],
    },
  ]);
});

test('repeated reads of a text are one example, the dearest', () => {
  const [again] = habits(page(1, 100), page(1, 50), page(1, 100), page(1, 80), page(1, 100));
  expect(again).toMatchObject({ name: 'again', times: 4, bytes: 33_000, examples: [example(10_000)] });
  expect(again?.examples).toHaveLength(1);
});

test('new parts are one call, never the call already made', () => {
  const insteadIn = (dialect: string) =>
    habits(page(40, 60, {}, { dialect }), page(1, 100, {}, { dialect }))[0]?.examples[0]?.instead;
  expect(insteadIn('oriel')).toBe('src/a.ts:1..39,61..100');
  // These have no call for two ranges, and that for both of them is the one that was made.
  for (const dialect of ['pi', 'zdx', 'coder', 'zed']) expect(insteadIn(dialect)).toBeUndefined();
});

test('one or two lines shown again are not a habit', () => {
  expect(habits(page(1, 103), page(103, 200))).toEqual([]);
});

test('unfollowed maps: in a directory one call shows the symbols', () => {
  const followed = page(1, 10, { source: 'src/a.ts' });
  expect(habits(map('src/a.ts'), map('src/b.ts', 4_000), followed)).toEqual([
    { name: 'map', times: 1, bytes: 4_000, tokens: 1_000, examples: [example(4_000, undefined, 'src/b.ts')] },
  ]);
  expect(habits(map('src/b.ts', 4_000), map('src/c.ts', 2_000))).toMatchObject([
    {
      name: 'map',
      times: 2,
      tokens: 1_500,
      examples: [example(4_000, 'src:outline', 'src/b.ts'), example(2_000, 'src:outline', 'src/c.ts')],
    },
  ]);
});

test('a changed file is read again with good reason', () => {
  const v2 = { version: 'v2' };
  expect(habits(page(1, 1_000), page(1, 1_000, v2))).toEqual([]);
  // Only what was answered of this version would have been spared.
  expect(habits(page(1, 1_000), page(1, 1_000, v2), page(40, 80, v2))[0]).toMatchObject({
    name: 'whole',
    bytes: 100_000,
  });
});

test('habits are weighed by the tokens of their answers', () => {
  const dear = { source: 'dear', version: 'd' };
  const found = habits(
    page(1, 100),
    page(1, 100),
    map('dear', 9_000),
    { ...map('src/x.ts', 5_000), tokens: 50_000 },
    page(1, 1, dear),
  );
  expect(found.map(({ name, tokens }) => [name, tokens])).toEqual([
    ['map', 50_000],
    ['again', 2_500],
  ]);
});

test('calls are written as the dialect has them', () => {
  const insteadIn = (dialect: string) =>
    habits(page(1, 1_000), page(40, 80, {}, { dialect }))[0]?.examples[0]?.instead;
  expect(insteadIn('pi')).toBe('src/a.ts offset=40 limit=41');
  expect(insteadIn('zdx')).toBe('src/a.ts offset=40 limit=41');
  expect(insteadIn('coder')).toBeUndefined();
  const elsewhere = habits(
    page(1, 1_000, { source: '/w/a.ts' }),
    page(40, 80, { source: '/w/a.ts' }, { dialect: 'coder' }),
  );
  expect(elsewhere[0]?.examples[0]?.instead).toBe('/w/a.ts offset=40 limit=41');
  expect(insteadIn('zed')).toBe('src/a.ts start_line=40 end_line=80');
  expect(insteadIn('unknown')).toBeUndefined();
});

test('failed calls do not count as habits', () => {
  expect(
    habits(call({ error: 'NOT_FOUND', reads: [{ source: 'x' }] }), call({ error: 'NOT_FOUND' })),
  ).toEqual([]);
});

test('whoever reads below a directory has followed its map', () => {
  const directory = (source: string) => {
    const [read] = map(source).reads ?? [];
    return call({ bytes: 4_000, reads: [{ ...read!, what: 'directory' }] });
  };
  for (const source of ['src', 'src/deep', '.'])
    expect(habits(directory(source), page(1, 10, { source: 'src/deep/a.ts' }))).toEqual([]);
  expect(habits(directory('src/dee'), page(1, 10, { source: 'src/deep/a.ts' }))).toMatchObject([
    { name: 'map', examples: [{ source: 'src/dee' }] },
  ]);
  // The map of a file below is a step on the way; that of the directory, which was shown, is no advice.
  const [habit] = habits(directory('src'), map('src/a.ts'), map('src/b.ts'));
  expect(habit?.examples.map(({ source, instead }) => [source, instead])).toEqual([
    ['src/a.ts', undefined],
    ['src/b.ts', undefined],
  ]);
  const figures = figuresOf(directory('src'), page(1, 10, { source: 'src/deep/a.ts' }));
  expect(figures.files.get('src')?.mapFollowed).toBe(true);
});
