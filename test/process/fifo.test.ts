/** The pool of pipes: real FIFOs, of which each descriptor is counted. */

import type * as fs from 'node:fs';
import { fstatSync, mkdtempSync, readdirSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { closeBoth, closeSparePipes, takePipes } from '../../src/process/fifo.ts';
import { arePipesInUse, leavePipes } from '../../src/files/descriptors.ts';
import type { start } from '../../src/process/start.ts';

const counted = vi.hoisted(() => ({
  open: new Set<number>(),
  /** How many more descriptors there are. */
  left: Infinity,
  /** Calls of `mkfifo`. */
  made: [] as (readonly string[])[],
  finished: 0,
  /** Whether no process can be started. */
  noProcess: false,
  unlinkFails: false,
}));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  return {
    ...real,
    openSync(path: string, flags: number) {
      if ((counted.left -= 1) < 0) throw Object.assign(new Error('EMFILE'), { code: 'EMFILE' });
      const fd = real.openSync(path, flags);
      counted.open.add(fd);
      return fd;
    },
    closeSync(fd: number) {
      if (!counted.open.delete(fd)) throw new Error(`${fd} was closed twice`);
      real.closeSync(fd);
    },
    rmSync(path: string, options: object) {
      if (counted.unlinkFails) throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' });
      real.rmSync(path, options);
    },
  };
});

vi.mock('../../src/process/start.ts', async (original) => {
  const real = await original<{ start: typeof start }>();
  return {
    start(...call: Parameters<typeof start>) {
      counted.made.push([call[0], ...call[1]]);
      if (counted.noProcess) throw Object.assign(new Error('spawn EAGAIN'), { code: 'EAGAIN' });
      return real.start(...call).once('close', () => (counted.finished += 1));
    },
  };
});

// With inherited descriptors `start` would open one, too.
vi.mock('../../src/process/inherited.ts', () => ({ inheritedDescriptors: () => [] }));

let directory: string;

beforeEach(() => {
  counted.open.clear();
  directory = mkdtempSync(join(tmpdir(), 'oriel-'));
  Object.assign(counted, { left: Infinity, made: [], finished: 0, noProcess: false, unlinkFails: false });
});

afterEach(async () => {
  vi.useRealTimers();
  leavePipes(directory);
  closeSparePipes();
  // Pipes may still be made in the background.
  if (!counted.noProcess) await expect.poll(() => counted.finished).toBe(counted.made.length);
  rmSync(directory, { recursive: true });
  expect(counted.open.size).toBe(0);
});

const take = async (count: number) => (await takePipes(directory, count)) ?? [];
const descriptors = (): number => counted.open.size;

test('what is written to one end is read at the other, and the name is gone', async () => {
  const [one, two] = await take(2);
  if (!one || !two) throw new Error('there is no mkfifo');
  expect(readdirSync(directory)).toEqual([]);
  for (const [ends, text] of [
    [one, 'first'],
    [two, 'second'],
  ] as const) {
    writeSync(ends.writeEnd, text);
    const read = Buffer.alloc(10);
    expect(read.toString('utf8', 0, readSync(ends.readEnd, read))).toBe(text);
    // Reading does not block.
    expect(() => readSync(ends.readEnd, read)).toThrow('EAGAIN');
    // No other user may open it while it has a name.
    expect([fstatSync(ends.readEnd).isFIFO(), fstatSync(ends.readEnd).mode & 0o777]).toEqual([true, 0o600]);
    closeBoth(ends);
  }
});

describe('the pool', () => {
  test('six are made at once, and further ones beside the command after which two are left', async () => {
    const taken = [...(await take(1)), ...(await take(2))];
    expect([counted.made.length, descriptors()]).toEqual([1, 12]);
    taken.push(...(await take(1)));
    expect(counted.made.length).toBe(2);
    // Two were left; four of the new ones are kept.
    await expect.poll(descriptors).toBe(2 * (4 + 6));
    expect(counted.made.map(([program, ...args]) => [program, ...args.slice(0, 2), args.length])).toEqual(
      [1, 2].map(() => ['mkfifo', '-m', '600', 8]),
    );
    expect(new Set(counted.made.flat()).size).toBe(3 + 12);
    expect(readdirSync(directory)).toEqual([]);
    taken.forEach(closeBoth);
  });

  test('is filled by one process, however many commands start', async () => {
    const taken = await take(3);
    const more = await Promise.all([take(1), take(1), take(1)]);
    // The first of the three found three; two were left, so they are made. The others did not wait.
    expect(counted.made.length).toBe(2);
    await expect.poll(descriptors).toBe(2 * (6 + 6));
    [...taken, ...more.flat()].forEach(closeBoth);
  });

  test('commands that find none make their own, and what is too much is closed', async () => {
    const taken = (await Promise.all([take(2), take(2), take(2)])).flat();
    expect([taken.length, counted.made.length]).toEqual([6, 3]);
    expect(new Set(taken.flatMap(({ readEnd, writeEnd }) => [readEnd, writeEnd])).size).toBe(12);
    expect(descriptors()).toBe(2 * (6 + 6));
    taken.forEach(closeBoth);
  });

  test('is closed after half a minute without a command', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const taken = await take(1);
    vi.advanceTimersByTime(29_999);
    taken.push(...(await take(1)));
    vi.advanceTimersByTime(29_999);
    expect(descriptors()).toBe(12);
    vi.advanceTimersByTime(1);
    expect(descriptors()).toBe(4);
    taken.forEach(closeBoth);
  });

  test('that timer does not keep this process alive', async () => {
    const unref = vi.spyOn(Object.getPrototypeOf(setTimeout(() => undefined)), 'unref');
    (await take(1)).forEach(closeBoth);
    expect(unref).toHaveBeenCalledOnce();
    unref.mockRestore();
  });

  test('is closed with the last session that used it', async () => {
    const other = mkdtempSync(join(tmpdir(), 'oriel-'));
    const taken = [...(await take(1)), ...((await takePipes(other, 1)) ?? [])];
    leavePipes(other);
    expect([descriptors(), arePipesInUse()]).toEqual([12, true]);
    // One that has left already changes nothing.
    leavePipes(other);
    expect(descriptors()).toBe(12);
    leavePipes(directory);
    expect([descriptors(), arePipesInUse()]).toEqual([4, false]);
    rmSync(other, { recursive: true });
    taken.forEach(closeBoth);
  });

  test('is closed if the last session ends while it is filled', async () => {
    const taken = await take(4);
    leavePipes(directory);
    expect(descriptors()).toBe(8);
    await expect.poll(() => counted.finished).toBe(2);
    expect(descriptors()).toBe(8);
    expect(readdirSync(directory)).toEqual([]);
    taken.forEach(closeBoth);
  });
});

describe('there are none', () => {
  test('if more are wanted than one process makes', async () => {
    expect(await takePipes(directory, 7)).toBeUndefined();
    expect(descriptors()).toBe(0);
  });

  test('without mkfifo', async () => {
    vi.stubEnv('PATH', directory);
    expect(await takePipes(directory, 1)).toBeUndefined();
    vi.unstubAllEnvs();
    expect(counted.made.length).toBe(1);
  });

  test('if no process can be started', async () => {
    counted.noProcess = true;
    expect(await takePipes(directory, 1)).toBeUndefined();
  });

  test.each([
    [0, 0],
    [1, 0],
    [2, 0],
    [3, 0],
    // Two pipes: enough.
    [4, 4],
    [5, 4],
  ])('with %d descriptors, of which %d are then in use', async (left, used) => {
    counted.left = left;
    const taken = await takePipes(directory, 2);
    expect([taken?.length ?? 0, descriptors()]).toEqual([used / 2, used]);
    await expect.poll(() => counted.finished).toBe(counted.made.length);
    expect([descriptors(), readdirSync(directory)]).toEqual([used, []]);
    taken?.forEach(closeBoth);
  });
});

test('a name that cannot be removed does no harm', async () => {
  counted.unlinkFails = true;
  const taken = await take(1);
  expect(taken.length).toBe(1);
  expect(readdirSync(directory)).toHaveLength(6);
  counted.unlinkFails = false;
  taken.forEach(closeBoth);
});
