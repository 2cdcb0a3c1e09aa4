/** Where a directory that a client names really is, also if it does not exist. */

import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { lookUpRealPlace } from '../../src/files/place.ts';
import { temporaryFolder } from '../support/commands.ts';

/** Lookups of these paths wait until they are released. */
const held = new Map<string, Promise<void>>();
const looked: string[] = [];

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    realpath: async (path: string) => {
      looked.push(path);
      await held.get(path);
      return real.realpath(path);
    },
  };
});

test('a directory, a link to it, and what does not exist below them', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'a'));
  symlinkSync('a', join(folder, 'link'));
  const places = await Promise.all(
    ['', 'a', 'link', 'a/x/y', 'link/x'].map((at) => lookUpRealPlace(join(folder, at))),
  );
  expect(places).toEqual([folder, `${folder}/a`, `${folder}/a`, `${folder}/a/x/y`, `${folder}/a/x`]);
  expect([await lookUpRealPlace('/'), await lookUpRealPlace('/nowhere/at/all')]).toEqual([
    '/',
    '/nowhere/at/all',
  ]);
});

test('the number of lookups does not depend on what is there', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  looked.length = 0;
  await lookUpRealPlace(join(folder, 'a/b'));
  const there = looked.length;
  looked.length = 0;
  await lookUpRealPlace(join(folder, 'x/y'));
  expect(looked).toHaveLength(there);
  expect(looked.at(0)).toBe(join(folder, 'x/y'));
  expect(looked.at(-1)).toBe('/');
});

test('of a very deep path only 64 directories are looked up', async () => {
  const deep = `/nowhere${'/a'.repeat(100)}`;
  looked.length = 0;
  expect(await lookUpRealPlace(deep)).toEqual(deep);
  expect(looked).toHaveLength(64);
});

test('calls for the same path share one lookup, which may end too late', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const folder = temporaryFolder();
  let release = (): void => undefined;
  held.set(folder, new Promise((resolve) => (release = resolve)));
  looked.length = 0;
  const calls = [lookUpRealPlace(folder), lookUpRealPlace(folder)].map((call) =>
    call.catch((error: Error) => error),
  );
  await vi.advanceTimersByTimeAsync(1_999);
  const third = lookUpRealPlace(folder);
  await vi.advanceTimersByTimeAsync(1);
  for (const error of await Promise.all(calls))
    expect(error).toMatchObject({
      code: 'TIMEOUT',
      message: 'A root that the client declares could not be looked up in time. Make the same call again.',
    });
  expect(looked.filter((path) => path === folder)).toHaveLength(1);
  release();
  held.clear();
  expect(await third).toEqual(folder);
  // The next call looks again.
  await lookUpRealPlace(folder);
  expect(looked.filter((path) => path === folder)).toHaveLength(2);
});
