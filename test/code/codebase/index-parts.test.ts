/** The parts in which tags are kept on disk: what is written again, and what a process reads back. */

import { expect, test } from 'vitest';
import { readPartNames, IndexParts } from '../../../src/code/codebase/stored-index.ts';
import { type TagEntry, TagStore } from '../../../src/code/codebase/tag-store.ts';
import { packTags } from '../../../src/code/tags.ts';

const home = '/home/';

/** A cache on disk, and processes that use it. */
function disk() {
  const files = new Map<string, Uint8Array>();
  let list: Uint8Array | undefined;
  return {
    files,
    start() {
      const store = new TagStore();
      const parts = new IndexParts(store, home);
      for (const name of readPartNames(list ?? new Uint8Array()).toReversed()) {
        const kept = files.get(name);
        if (kept) parts.load(name, kept);
      }
      const put = (paths: readonly string[], version: number, slow?: TagEntry['slow']): void =>
        store.put(
          {
            entries: paths.map((path) => ({ path, key: `${path} ${version}`, ...(slow && { slow }) })),
            tags: packTags(paths.map((path) => `8\t1\t1\t1\t0\t${path}${version}\t\t\t\x1c\x1c`)),
          },
          home,
        );
      return {
        put,
        keep: () => {
          parts.compact();
          for (let part = parts.next(); part; part = parts.next()) files.set(part.name, part.bytes);
          list = parts.list;
        },
        slowOf: (path: string) => store.get(home + path)?.slow,
        has: (path: string) => store.get(home + path) !== undefined,
        names: () => readPartNames(list ?? new Uint8Array()).length,
        /** The version of a file whose tags are known, by its key and by its symbol. */
        versionOf: (path: string) => {
          const [symbol = ''] =
            store
              .fileOf(home + path)
              ?.tags()
              .split('\x1c') ?? [];
          const key = store.get(home + path)?.key.split(' ')[1];
          return key !== undefined && symbol.split('\t')[5] === path + key ? Number(key) : undefined;
        },
      };
    },
  };
}

const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, no) => `${prefix}${no}`);

test('entries are written once, and the newest version is read', () => {
  const cache = disk();
  const first = cache.start();
  first.put(named('a', 40), 1);
  first.keep();
  const [one] = [...cache.files];
  first.put(named('b', 40), 1);
  first.put(['a3'], 2);
  first.keep();
  first.keep();
  expect(cache.files.size).toBe(2);
  expect(cache.files.get(one?.[0] ?? '')).toBe(one?.[1]);
  const second = cache.start();
  expect(['a2', 'a3', 'b7', 'c'].map(second.versionOf)).toEqual([1, 2, 1, undefined]);
  second.put(['a3'], 3);
  second.keep();
  expect(['a2', 'a3', 'b7'].map(cache.start().versionOf)).toEqual([1, 3, 1]);
});

test('a missing or damaged part loses only what it held', () => {
  const cache = disk();
  const process = cache.start();
  for (const name of ['a', 'b', 'c']) {
    process.put(named(name, 20), 1);
    process.keep();
  }
  const [a = '', b = ''] = cache.files.keys();
  cache.files.delete(a);
  cache.files.set(b, (cache.files.get(b) as Uint8Array).subarray(0, 50));
  const next = cache.start();
  expect(['a1', 'b1', 'c1'].map(next.versionOf)).toEqual([undefined, undefined, 1]);
});

test('later processes know only files that no parser can finish', () => {
  const cache = disk();
  const process = cache.start();
  process.put(named('a', 40), 1);
  process.put(['deep'], 1, 'always');
  process.put(['late'], 1, 'here');
  process.keep();
  expect(['deep', 'late', 'a1'].map(process.slowOf)).toEqual(['always', 'here', undefined]);
  const later = cache.start();
  expect(['deep', 'a1'].map(later.slowOf)).toEqual(['always', undefined]);
  expect(['deep', 'late', 'a1'].map(later.has)).toEqual([true, false, true]);
});
