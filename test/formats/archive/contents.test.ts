/** How the members of an archive are listed and found, in memory: each law with one case. */

import { describe, expect, onTestFinished, test } from 'vitest';
import { archiveLimits } from '../../../src/formats/archive/limits.ts';
import { queues } from '../../../src/queues/queue-table.ts';
import { memoryBytes } from '../../../src/text/bytes.ts';
import { type ArchiveContents, readContents } from '../../../src/formats/archive/members.ts';
import { endingIn, locate, nearMembers } from '../../../src/formats/archive/select.ts';
import { listArchiveDirectory } from '../../../src/formats/archive/render.ts';
import { PlainTar } from '../../../src/formats/archive/tar.ts';
import { tar, type TarEntry } from '../../support/tar.ts';

const signal = new AbortController().signal;

async function contentsOf(entries: readonly TarEntry[], cut?: number): Promise<ArchiveContents> {
  return readContents(new PlainTar(memoryBytes(tar(entries).subarray(0, cut))), signal);
}

const listed = async (contents: ArchiveContents, directory = ''): Promise<string[]> =>
  (await listArchiveDirectory(contents, directory)).toString().split('\n').slice(0, -1);

/** `PATH`, `PATH+SELECTOR`, `PATH<LINK`; undefined if nothing is found. */
function foundBy(contents: ArchiveContents, rest: string): string | undefined {
  const located = locate(contents, rest);
  if (!located) return undefined;
  const { found, tail } = located;
  const via = found.kind === 'member' && found.via !== undefined ? `<${found.via}` : '';
  return `${found.kind} ${found.path}${via}${tail === '' ? '' : ` + ${tail}`}`;
}

const MEMBERS: readonly TarEntry[] = [
  { name: 'src/b.ts', content: 'x'.repeat(2_000) },
  { name: 'src/a.ts', content: 'a' },
  { name: './src/deep/c.ts', content: 'c' },
  { name: 'void/', flag: '5' },
  { name: 'raw', content: 'named like a selector' },
  { name: 'src/a.ts:1-2', content: 'named like a member and a selector' },
  { name: 'link', flag: '2', link: 'src/a.ts' },
  { name: 'hard', flag: '1', link: 'src/b.ts' },
  { name: 'pipe', flag: '6' },
  { name: 'away', flag: '2', link: '/etc/passwd' },
  { name: 'round', flag: '2', link: 'round' },
];

describe('a listing', () => {
  test('has the sorted children with sizes, kinds and targets', async () => {
    const contents = await contentsOf(MEMBERS);
    expect(await listed(contents)).toEqual([
      'away -> /etc/passwd',
      'hard -> src/b.ts (hard link)',
      'link -> src/a.ts',
      'pipe (fifo)',
      'raw (21 B)',
      'round -> round',
      'src/',
      'void/',
    ]);
    expect(await listed(contents, 'src/')).toEqual([
      'a.ts (1 B)',
      'a.ts:1-2 (34 B)',
      'b.ts (2 KiB)',
      'deep/',
    ]);
    expect(await listed(contents, 'void/')).toEqual(['(empty directory)']);
  });

  test('numbers what has no usable path, in the archive’s order', async () => {
    const contents = await contentsOf([
      { name: 'a.txt', content: 'old' },
      { name: '../out.txt', content: 'outside' },
      { name: 'a.txt', content: 'newer' },
      { name: '.', content: '' },
    ]);
    expect(await listed(contents)).toEqual([
      '(no name) (read as %~4)',
      '../out.txt (7 B, refused: leads out of the archive)',
      'a.txt (5 B)',
      'a.txt (3 B, another of this name, read as %~1)',
    ]);
    expect([foundBy(contents, 'a.txt'), contents.byPath.get('a.txt')]).toEqual(['member a.txt', 2]);
    expect(locate(contents, '%~1')?.found).toMatchObject({ kind: 'member', at: 0 });
    expect(() => locate(contents, '%~2')).toThrow('leads out of the archive');
    expect(foundBy(contents, '%~5')).toBeUndefined();
  });

  test('of nothing says so', async () => {
    expect(await listed(await contentsOf([{ name: './', flag: '5' }]))).toEqual(['(empty archive)']);
  });
});

describe('a member', () => {
  test.each([
    ['', 'directory '],
    ['src', 'directory src/'],
    ['src/', 'directory src/'],
    ['void', 'directory void/'],
    ['src/a.ts', 'member src/a.ts'],
    ['/src//./a.ts', 'member src/a.ts'],
    ['src/a.ts:5-9', 'member src/a.ts + 5-9'],
    ['src/a.ts:5-9:raw', 'member src/a.ts + 5-9:raw'],
    ['src/a.ts:1-2', 'member src/a.ts:1-2'],
    ['src/a.ts:1-2:3', 'member src/a.ts:1-2 + 3'],
    ['raw', 'member raw'],
    ['5-9', 'directory  + 5-9'],
    ['link', 'member src/a.ts<link'],
    ['hard:-2', 'member src/b.ts<hard + -2'],
    ['away', 'link away'],
    ['nope', undefined],
    ['src/nope.ts:5', undefined],
  ])('%j is found as %s', async (rest, found) => {
    expect(foundBy(await contentsOf(MEMBERS), rest)).toBe(found);
  });

  test('above the archive is refused, and link loops end', async () => {
    const contents = await contentsOf(MEMBERS);
    expect(() => locate(contents, '../x')).toThrow('leads out of the archive with "..".');
    expect(() => locate(contents, 'a'.repeat(70_000))).toThrow('The path inside the archive has more than');
    expect(() => locate(contents, 'round')).toThrow('round leads into a loop of links inside the archive.');
  });

  test('that is missing is answered with those that are meant', async () => {
    const contents = await contentsOf(MEMBERS);
    expect(await endingIn(contents, 'a.ts:5-9')).toEqual(['src/a.ts:5-9']);
    expect(await endingIn(contents, 'deep/c.ts')).toEqual(['src/deep/c.ts']);
    expect(await endingIn(contents, 'ts')).toEqual([]);
    expect(await nearMembers(contents, 'src/deep/d.ts:7')).toEqual(['src/deep/c.ts:7']);
    expect(await nearMembers(contents, 'entirely-different')).toEqual([]);
  });
});

describe('damage', () => {
  test('hides what follows, and is kept with earlier members', async () => {
    const whole = tar(MEMBERS);
    const contents = await contentsOf(MEMBERS, 512 + 2_048 + 512 + 100);
    expect([...contents.byPath.keys()][0]).toBe('src/b.ts');
    expect(contents.members.length).toBeLessThan(MEMBERS.length);
    expect(contents.damage).toMatchObject({ code: 'CORRUPT' });
    expect((await readContents(new PlainTar(memoryBytes(whole)), signal)).damage).toBeUndefined();
  });

  test('in the first member is the answer', async () => {
    await expect(contentsOf([{ name: 'a', content: 'x', badChecksum: true }])).rejects.toMatchObject({
      code: 'CORRUPT',
    });
  });
});

test('a list of many members gives its place in the queue back', async () => {
  const { manyEntries } = archiveLimits;
  onTestFinished(() => void Object.assign(archiveLimits, { manyEntries }));
  Object.assign(archiveLimits, { manyEntries: 1 });
  await contentsOf(Array.from({ length: 3_000 }, (_, i) => ({ name: `${i}${'x'.repeat(90)}` })));
  expect(queues.indexes.stats.running).toBe(0);
});
