import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { LocalSnapshots } from '../../src/session/snapshots.ts';
import { textOf, workspace } from '../support/workspace.ts';

const digest = (start: string, rest: string): string =>
  start + createHash('sha256').update(rest).digest('hex').slice(start.length);

async function lineOf(
  snapshots: Pick<LocalSnapshots, 'lines'>,
  path: string,
  tag: string,
  no: number,
): Promise<string | undefined> {
  return (await snapshots.lines(path, tag, no, no)).get(no);
}

test('equal contents have equal tags, different ones never do', () => {
  const snapshots = new LocalSnapshots();
  expect(snapshots.tag('f', digest('beef', '1'))).toBe('BEEF');
  expect(snapshots.tag('f', digest('beef', '2'))).toMatch(/^BEEF[0-9A-F]{12}$/);
  expect(snapshots.tag('f', digest('beef', '1'))).toBe('BEEF');
  expect(snapshots.tag('g', digest('beef', '3'))).toBe('BEEF');
});

test('thirty paths are remembered, the least recent are evicted', async () => {
  const snapshots = new LocalSnapshots();
  const tags = Array.from({ length: 30 }, (_, i) => snapshots.tag(`f${i}`, digest('0001', String(i))));
  for (const [i, tag] of tags.entries()) snapshots.see(`f${i}`, tag, [[1, `line of ${i}`]]);
  snapshots.see('f0', '0001', [[2, 'another']]);
  snapshots.see('f30', snapshots.tag('f30', digest('0001', 'x')), [[1, 'line of 30']]);
  expect(await lineOf(snapshots, 'f0', '0001', 1)).toBe('line of 0');
  expect(await lineOf(snapshots, 'f1', '0001', 1)).toBeUndefined();
});

test('a stale anchor recovers the line that was shown', async () => {
  const { W, write, read, oriel } = workspace();
  const options = { display: 'hashline' as const, session: oriel.session };
  write('f', 'one\ntwo\nthree\n');
  const before = await read('f:2..3', options);
  const tag = before.details['snapshot'] as string;
  expect(textOf(before)).toBe(`¶f#${tag}\n2:two\n3:three\n`);
  write('f', 'zero\none\ntwo\n');
  const after = await read('f', options);
  expect(after.details['snapshot']).not.toBe(tag);
  const { snapshots } = oriel.session;
  expect(await lineOf(snapshots, `${W}/f`, tag, 2)).toBe('two\n');
  expect(await lineOf(snapshots, `${W}/f`, tag, 1)).toBeUndefined();
  const shown = await snapshots.lines(`${W}/f`, after.details['snapshot'] as string, 1, 9);
  expect([...shown.keys()]).toEqual([1, 2, 3]);
});

test('a touched file keeps its tag, raw text has none', async () => {
  const { write, read, oriel } = workspace();
  const options = { display: 'hashline' as const, session: oriel.session };
  write('f', 'same\n');
  const first = await read('f', options);
  write('f', 'same\n');
  expect((await read('f', options)).details['snapshot']).toBe(first.details['snapshot']);
  expect(textOf(await read('f:raw', options))).toBe('same\n');
  expect(textOf(await read('.', options))).toBe('f  5 B  now\n');
});

/** A digest for each number; every 65,536th begins with the same four digits. */
const numbered = (i: number): string =>
  digest((i & 0xffff).toString(16).padStart(4, '0'), (i >> 16).toString(16));

// After any number of versions of its path.
test('a tag is never reused for other content', { tags: 'slow' }, () => {
  const snapshots = new LocalSnapshots();
  const contents = new Map<string, string>();
  for (let i = 0; i < 70_000; i += 1) {
    const tag = snapshots.tag('f', numbered(i));
    expect(contents.get(tag)).toBeUndefined();
    contents.set(tag, numbered(i));
  }
  // The first ones are forgotten by now: they get new tags, never those of others.
  const again = snapshots.tag('f', numbered(3));
  expect(contents.get(again) ?? numbered(3)).toBe(numbered(3));
  expect(snapshots.tag('f', numbered(69_999))).toBe([...contents.keys()].at(-1));
});

test('a tag is not reused after its path was evicted', () => {
  const snapshots = new LocalSnapshots();
  const first = snapshots.tag('f', digest('beef', '1'));
  for (let i = 0; i < 21_000; i += 1) snapshots.tag(`other ${i}`, digest('beef', '1'));
  const later = ['2', '3', '1'].map((rest) => snapshots.tag('f', digest('beef', rest)));
  expect(new Set([first, ...later]).size).toBe(4);
  expect(later).toEqual(['2', '3', '1'].map((rest) => snapshots.tag('f', digest('beef', rest))));
});

test('a version older than the last eight keeps its tag', async () => {
  const snapshots = new LocalSnapshots();
  const tags = Array.from({ length: 12 }, (_, i) => snapshots.tag('f', digest('0001', String(i))));
  expect(snapshots.tag('f', digest('0001', '0'))).toBe('0001');
  expect(new Set(tags).size).toBe(12);
  for (const tag of tags) snapshots.see('f', tag, [[1, tag]]);
  const lines = await Promise.all(tags.map((tag) => lineOf(snapshots, 'f', tag, 1)));
  expect(lines).toEqual([...Array.from({ length: 4 }), ...tags.slice(4)]);
});

test('lines are recovered by their range, in order', async () => {
  const snapshots = new LocalSnapshots();
  for (const no of [4, 2, 1, 3, 5]) snapshots.see('f', 'F', [[no, `line ${no}`]]);
  expect([...(await snapshots.lines('f', 'F', 2, 4)).keys()]).toEqual([2, 3, 4]);
});

test('of a thousand versions of a path the oldest is forgotten', () => {
  const snapshots = new LocalSnapshots();
  const tags = Array.from({ length: 1_001 }, (_, i) =>
    snapshots.tag('f', i.toString(16).padStart(64, '0').split('').toReversed().join('')),
  );
  expect([tags[1], snapshots.tag('f', `1${'0'.repeat(63)}`), snapshots.tag('f', '0'.repeat(64))]).toEqual([
    '1000',
    '1000',
    '0'.repeat(16),
  ]);
});

test('the first 20,000 lines of a version are remembered', async () => {
  const snapshots = new LocalSnapshots();
  snapshots.see(
    'f',
    'F',
    Array.from({ length: 20_001 }, (_, i) => [i + 1, ''] as const),
  );
  expect([...(await snapshots.lines('f', 'F', 19_999, 20_001)).keys()]).toEqual([19_999, 20_000]);
});

test('a line that is shown again takes no more room', async () => {
  const snapshots = new LocalSnapshots();
  snapshots.see('f', 'F', [[1, 'line']]);
  for (let i = 0; i < 20; i += 1) snapshots.see('g', 'G', [[1, 'x'.repeat(1 << 20)]]);
  expect(await lineOf(snapshots, 'f', 'F', 1)).toBe('line');
});

test('the remembered lines are bounded in bytes', async () => {
  const snapshots = new LocalSnapshots();
  const wide = 'x'.repeat(1 << 20);
  for (let i = 0; i < 20; i += 1) {
    const tag = snapshots.tag(`f${i}`, digest('0001', ''));
    snapshots.see(`f${i}`, tag, [[1, wide]]);
  }
  expect(await lineOf(snapshots, 'f19', '0001', 1)).toBe(wide);
  expect(await lineOf(snapshots, 'f0', '0001', 1)).toBeUndefined();
});
