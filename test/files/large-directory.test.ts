/** How many entries of directories all calls hold together. */

import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MAX_DIRECTORY_ENTRIES, withEntries } from '../../src/files/local.ts';
import type { FileSystemEntry, OpenedDirectory } from '../../src/types/access.ts';

const { signal } = new AbortController();

/** A directory of so many entries. */
function directoryOf(entries: number): OpenedDirectory {
  const entry = { name: 'a' } as FileSystemEntry;
  const list: OpenedDirectory['list'] = (most) =>
    Promise.resolve({
      entries: Array.from({ length: Math.min(most, entries) }, () => entry),
      more: entries > most,
    });
  return { list } as Partial<OpenedDirectory> as OpenedDirectory;
}

test.each([100, 5_000, 19_000, MAX_DIRECTORY_ENTRIES + 1])(
  '64 calls that list %d entries hold a bounded number',
  { tags: 'slow' },
  async (size) => {
    let [held, most] = [0, 0];
    const calls = Array.from({ length: 64 }, () =>
      withEntries(directoryOf(size), signal, async ({ entries, more }) => {
        expect(entries.length).toBe(Math.min(size, MAX_DIRECTORY_ENTRIES));
        expect(more).toBe(size > MAX_DIRECTORY_ENTRIES);
        held += entries.length;
        most = Math.max(most, held);
        await setImmediate();
        held -= entries.length;
        return 'used';
      }),
    );
    expect(await Promise.all(calls)).toStrictEqual(calls.map(() => 'used'));
    expect(most).toBeGreaterThanOrEqual(Math.min(size, MAX_DIRECTORY_ENTRIES));
    expect(most).toBeLessThanOrEqual(size <= 5_000 ? 64 * size : 2 * size);
  },
);

test.each([5_000, 5_001])('%d entries are listed with the given prefix or none', async (size) => {
  const prefixes: (string | undefined)[] = [];
  const { list } = directoryOf(size);
  const directory = {
    list: (...args: Parameters<typeof list>) => (prefixes.push(args[2]), list(...args)),
  } as Partial<OpenedDirectory> as OpenedDirectory;
  const use = (): Promise<void> => Promise.resolve();
  await withEntries(directory, signal, use);
  await withEntries(directory, signal, use, 'ab');
  expect(prefixes).toStrictEqual(size > 5_000 ? ['', '', 'ab', 'ab'] : ['', 'ab']);
});
