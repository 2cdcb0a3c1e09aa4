/** A map of unchanged code is on disk for the next process, which needs no tags for it. */

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StoredReplies } from '../../../src/search/code/code-below.ts';
import type { LocalCache } from '../../../src/types/session.ts';
import { run } from '../../support/cli.ts';

const cwd = mkdtempSync(join(tmpdir(), 'oriel-stored-'));
afterAll(() => rmSync(cwd, { recursive: true }));
const cache = join(cwd, 'cache');
const derived = join(cache, 'oriel/derived');
const stored = (): string[] => readdirSync(derived).toSorted();
const ask = (path: string): string => {
  const { out, err, code } = run(['read', path], {
    cwd,
    env: { ...process.env, XDG_CACHE_HOME: cache },
  });
  expect([code, err]).toEqual([0, '']);
  return out;
};

function write(path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

beforeAll(async () => {
  for (let no = 0; no < 220; no += 1)
    write(`src/f${no}.ts`, `export function run${no}(): void {\n  return;\n}\n`);
  write('few/one.ts', 'export function one(): void {\n  return;\n}\n');
  // What was written in this tick of the clock is not stored: its next version might look the same.
  await sleep(50);
});

test('without tags on disk the map is equal, parsing nothing', { tags: 'slow' }, () => {
  ask('src:outline?bytes=64K');
  const tags = stored();
  const map = ask('src:outline');
  expect(map).toContain('[220 files of src, the most important first, with 220 symbols.');
  const maps = stored().filter((name) => !tags.includes(name));
  expect(maps).toHaveLength(1);
  for (const name of tags) rmSync(join(derived, name));
  expect(ask('src:outline')).toBe(map);
  expect(stored()).toEqual(maps);
});

test('each question has its own map, changed files another', { tags: 'slow' }, async () => {
  const map = ask('src:outline');
  expect(ask('src:outline?bytes=1K')).not.toBe(map);
  expect(ask('src:outline?q=run7')).not.toBe(map);
  write('src/f7.ts', 'export function walk7(): void {\n  return;\n}\n');
  await sleep(50);
  const changed = ask('src:outline?bytes=32K');
  expect(changed).toContain('walk7 1-3');
  expect(ask('src:outline?bytes=32K')).toBe(changed);
});

test('a few files have no map on disk', { tags: 'slow' }, () => {
  ask('few:#one');
  const before = stored();
  ask('few:outline');
  expect(stored()).toEqual(before);
});

describe('what is stored', () => {
  const keys = Array.from({ length: 3 }, (_, i) => `k${i}`).join('\n');
  const job = { kind: 'sync', base: '/b/', home: '/b/', top: 'b', paths: 'x\0y\0z', keys } as const;
  const question = { kind: 'map', bytes: 100, lines: 10, from: 0, query: '' } as const;
  const none = { missing: 0, whole: 1, parts: 1, slow: 0, fresh: 0 };
  const answer = {
    reply: { kind: 'map', map: { text: 'x\n', named: 1, files: 3, symbols: 0 } },
    unknown: none,
  } as const;
  const cacheOf = (): { puts: number; files: LocalCache } => {
    const values = new Map<string, Buffer>();
    const files = {
      get: (key: string) => Promise.resolve(values.get(key)),
      put(key: string, parts: readonly Uint8Array[]) {
        made.puts += 1;
        values.set(key, Buffer.concat(parts));
        return Promise.resolve();
      },
    } as unknown as LocalCache;
    const made = { puts: 0, files };
    return made;
  };

  test('a reply, once for each cache', async () => {
    for (const cache of [cacheOf(), cacheOf()]) {
      for (let i = 0; i < 3; i += 1) new StoredReplies(job, cache, 3).put(question, answer);
      expect(cache.puts).toBe(1);
      expect(await new StoredReplies(job, cache, 3).get(question)).toEqual(answer);
    }
  });

  test.each([
    ['other keys', { ...job, keys: `${keys}x` }, question],
    ['other paths', { ...job, paths: 'x\0y\0w' }, question],
    ['another directory', { ...job, base: '/c/' }, question],
    ['another question', job, { ...question, query: 'x' }],
  ] as const)('%s: no reply', async (_, otherJob, otherQuestion) => {
    const cache = cacheOf();
    new StoredReplies(job, cache, 3).put(question, answer);
    expect(await new StoredReplies(otherJob, cache, 3).get(otherQuestion)).toBeUndefined();
  });

  test.each(['missing', 'slow', 'fresh'])('not if files are %s', (which) => {
    const cache = cacheOf();
    new StoredReplies(job, cache, 3).put(question, { ...answer, unknown: { ...none, [which]: 1 } });
    expect(cache.puts).toBe(0);
  });

  test('not of fewer files, nor replies to other questions', () => {
    const cache = cacheOf();
    new StoredReplies(job, cache, 4).put(question, answer);
    new StoredReplies(job, cache, 3).put({ kind: 'words', query: 'x', from: 0, most: 1 }, answer);
    expect(cache.puts).toBe(0);
  });
});
