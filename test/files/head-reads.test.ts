/** When the start of a file is read on the main thread, and when in a thread: by time, by turn and by its stats. */

import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { readLocalHead } from '../../src/files/file.ts';
import { temporaryFolder } from '../support/commands.ts';

const host = vi.hoisted(() => ({
  isLocal: true,
  /** How often the mount of a file was looked up. */
  asked: 0,
  now: 1_000,
  /** Bytes that a read on the main thread returns at most. */
  most: Number.POSITIVE_INFINITY,
}));

vi.mock('../../src/files/mounts.ts', () => ({
  isLocalPath: () => true,
  isOnLocalMount: () => {
    host.asked += 1;
    return host.isLocal;
  },
}));

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const readSync = (fd: number, target: Buffer, at: number, length: number, from: number): number =>
    real.readSync(fd, target, at, Math.min(length, host.most), from);
  return { ...real, readSync };
});

beforeEach(async () => {
  Object.assign(host, { isLocal: true, asked: 0, most: Number.POSITIVE_INFINITY });
  // What earlier tests have read is too old, and their turn of the event loop is over.
  host.now += 10_000;
  vi.spyOn(performance, 'now').mockImplementation(() => host.now);
  await nextTurn();
});
afterEach(() => void vi.restoreAllMocks());

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

interface Head {
  readonly stats: fs.BigIntStats;
  /** How it was read, and what. */
  read(length?: number, change?: Partial<fs.BigIntStats>): Promise<['main' | 'thread', string]>;
}

let count = 0;

/** A new file with this text, open. */
function file(text = 'the head of a file'): Head {
  const path = join(temporaryFolder(), `f${(count += 1)}`);
  fs.writeFileSync(path, text);
  const fd = fs.openSync(path, 'r');
  onTestFinished(() => fs.closeSync(fd));
  const stats = fs.fstatSync(fd, { bigint: true });
  return {
    stats,
    async read(length = 4, change = {}) {
      const target = Buffer.alloc(length);
      const got = readLocalHead(fd, Object.assign(Object.create(stats), change) as fs.BigIntStats, target);
      const filled = await got;
      return [typeof got === 'number' ? 'main' : 'thread', target.toString('utf8', 0, filled)];
    },
  };
}

test('a file that was just read is read on the main thread, with one look at its mount', async () => {
  const { read } = file();
  expect([await read(), await read(), await read(8)]).toStrictEqual([
    ['thread', 'the '],
    ['main', 'the '],
    ['main', 'the head'],
  ]);
  expect(host.asked).toBe(1);
});

test('all bytes are read, also if each read returns a few', async () => {
  const { read } = file();
  await read(8);
  host.most = 3;
  expect([await read(8), await read(100)]).toStrictEqual([
    ['main', 'the head'],
    ['main', 'the head of a file'],
  ]);
});

test('a second after its last read a file is read in a thread again', async () => {
  const { read } = file();
  await read();
  host.now += 1_000;
  await nextTurn();
  expect((await read())[0]).toBe('main');
  host.now += 1_000;
  await nextTurn();
  expect((await read())[0]).toBe('main');
  host.now += 1_001;
  await nextTurn();
  expect([(await read())[0], (await read())[0]]).toStrictEqual(['thread', 'main']);
});

test('a file that is not local is always read in a thread, and its mount is looked up once', async () => {
  host.isLocal = false;
  const { read } = file();
  for (let i = 0; i < 4; i += 1) expect((await read())[0]).toBe('thread');
  expect(host.asked).toBe(1);
  // Each read counts as one of a moment ago.
  for (let i = 0; i < 3; i += 1) {
    host.now += 900;
    await nextTurn();
    await read();
  }
  expect(host.asked).toBe(1);
});

test('a file that has fewer bytes than were asked for is not remembered', async () => {
  const { read } = file('abc');
  expect([await read(4), await read(4), await read(3), await read(3)]).toStrictEqual([
    ['thread', 'abc'],
    ['thread', 'abc'],
    ['thread', 'abc'],
    ['main', 'abc'],
  ]);
});

test.each<[string, Partial<fs.BigIntStats>]>([
  ['device', { dev: 1n }],
  ['size', { size: 7n }],
  ['time of modification', { mtimeNs: 7n }],
  ['time of change', { ctimeNs: 7n }],
])('a file with another %s is another file', async (_, change) => {
  const { read } = file();
  await read();
  expect([(await read(4, change))[0], (await read(4, change))[0]]).toStrictEqual(['thread', 'main']);
});

test('in one turn of the event loop heads are read on the main thread for ten milliseconds', async () => {
  const { read } = file();
  await read();
  await nextTurn();
  // These run in one turn.
  const how: Promise<readonly [string, string]>[] = [];
  for (const ms of [0, 10, 0, 1, 0]) {
    host.now += ms;
    how.push(read());
  }
  expect((await Promise.all(how)).map(([where]) => where)).toStrictEqual([
    'main',
    'main',
    'main',
    'thread',
    'thread',
  ]);
  await nextTurn();
  expect((await read())[0]).toBe('main');
});

test('at most 256 files are remembered; then the list starts again', async () => {
  const { read } = file();
  await read();
  let others = 0;
  while ((await read())[0] === 'main') {
    others += 1;
    // As if it were another file: the number of its inode is what it is remembered by.
    await read(4, { ino: BigInt(1e9 + others) });
    await nextTurn();
  }
  expect(others).toBeLessThanOrEqual(256);
  // The list holds the last of the others and this one: with 254 more it is full.
  for (let i = 1; i <= 254; i += 1) await read(4, { ino: BigInt(2e9 + i) });
  await nextTurn();
  expect((await read())[0]).toBe('main');
  await read(4, { ino: 3_000_000_000n });
  await nextTurn();
  expect((await read())[0]).toBe('thread');
});
