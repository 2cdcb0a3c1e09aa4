/** The cache on disk: complete values or none, private, bounded, shared by processes, and never the value of another key. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type DiskCacheOptions, FileCache } from '../../src/session/disk-cache.ts';

/** The module, for other processes. */
let built: string;

beforeAll(async () => {
  const home = mkdtempSync(join(tmpdir(), 'oriel-test-'));
  const bundle = await rolldown({ input: 'src/session/disk-cache.ts', platform: 'node' });
  const file = join(home, 'disk-cache.mjs');
  await bundle.write({ file });
  await bundle.close();
  built = pathToFileURL(file).href;
  return () => rmSync(home, { recursive: true });
});

/** In seconds. */
const DAY = 24 * 60 * 60;

function place(): string {
  const parent = mkdtempSync(join(tmpdir(), 'oriel-test-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  return join(parent, 'derived');
}

/** What a process that ends now leaves behind. */
async function put(options: DiskCacheOptions, entries: Readonly<Record<string, Uint8Array>>): Promise<void> {
  const cache = new FileCache(options);
  for (const [key, value] of Object.entries(entries)) {
    cache.put(key, [value]);
    await cache.close();
  }
}

const get = (directory: string, key: string): Promise<Buffer | undefined> =>
  new FileCache({ directory }).get(key);

const text = async (directory: string, key: string): Promise<string | undefined> =>
  (await get(directory, key))?.toString();

const onlyFile = (directory: string): string => join(directory, readdirSync(directory)[0] ?? '');

const ago = (path: string, seconds: number): void => {
  const then = Date.now() / 1000 - seconds;
  utimesSync(path, then, then);
};

test('a value is found only by its key, across processes', async () => {
  const directory = place();
  const cache = new FileCache({ directory });
  expect(await cache.get('a')).toBeUndefined();
  cache.put('a', [Buffer.from('one '), Buffer.alloc(0), Buffer.from('two')]);
  cache.put('empty', []);
  await cache.close();
  expect(await text(directory, 'a')).toBe('one two');
  expect(await text(directory, 'empty')).toBe('');
  expect(await get(directory, 'b')).toBeUndefined();
  await put({ directory }, { a: Buffer.from('three') });
  expect(await text(directory, 'a')).toBe('three');
  cache.remove('a');
  void cache.put('c', [Buffer.from('being written')]);
  cache.remove('c');
  await cache.close();
  expect([await text(directory, 'a'), await text(directory, 'c')]).toEqual([undefined, undefined]);
});

test('a value of several pieces is read back exactly', async () => {
  const directory = place();
  const value = Buffer.from(Array.from({ length: 2_500_000 }, (_, i) => (i * 7) & 255));
  const [head, tail] = [value.subarray(0, 300_000), value.subarray(300_000)];
  const read = (from: number, length: number): Promise<Uint8Array> =>
    Promise.resolve(tail.subarray(from, from + length));
  await new FileCache({ directory }).put('a', [head, { length: tail.length, read }]);
  expect((await get(directory, 'a'))?.equals(value)).toBe(true);
  expect(Buffer.concat((await pieces(directory, 'a')) ?? []).equals(value)).toBe(true);
});

/** What was taken in pieces; undefined where it is to be forgotten. */
async function pieces(directory: string, key: string): Promise<Buffer[] | undefined> {
  const taken: Buffer[] = [];
  const found = await new FileCache({ directory }).getPieces(key, () => async (piece) => {
    await Promise.resolve();
    taken.push(piece);
  });
  return found ? taken : undefined;
}

test('a value is written and read in small pieces', { tags: 'slow' }, async () => {
  const directory = place();
  const value = Buffer.from(Array.from({ length: 5_500_000 }, (_, i) => (i * 7) & 255));
  const cache = new FileCache({ directory });
  let [asked, largest] = [0, 0];
  const read = (start: number, length: number): Promise<Uint8Array> => {
    asked += 1;
    largest = Math.max(largest, length);
    return Promise.resolve(value.subarray(start, start + length));
  };
  await cache.put('a', [Buffer.from('head'), { length: value.length, read }]);
  expect([asked, largest]).toEqual([21, 256 << 10]);
  const found = await pieces(directory, 'a');
  expect(Buffer.concat(found ?? []).equals(Buffer.concat([Buffer.from('head'), value]))).toBe(true);
  expect(Math.max(...(found ?? []).map(({ length }) => length))).toBe(256 << 10);
  expect(cache.lookups).toEqual({ hits: 0, misses: 0 });
});

test('modified pieces are a miss; unreadable pieces leave no file', async () => {
  const directory = place();
  await put({ directory }, { a: Buffer.alloc(2_500_000, 'a') });
  const path = onlyFile(directory);
  const bytes = readFileSync(path);
  bytes[bytes.length - 1]! ^= 1;
  writeFileSync(path, bytes);
  expect(await pieces(directory, 'a')).toBeUndefined();
  expect(await pieces(directory, 'b')).toBeUndefined();
  rmSync(path);
  const cache = new FileCache({ directory });
  await cache.put('a', [{ length: 10, read: () => Promise.reject(new Error('gone')) }]);
  await cache.put('b', [{ length: 10, read: () => Promise.resolve(Buffer.alloc(9)) }]);
  expect(readdirSync(directory)).toEqual([]);
});

test('the directory and files are made private; names are digests', async () => {
  const directory = place();
  mkdirSync(directory, { mode: 0o755 });
  await put({ directory }, { '../../secret key': Buffer.from('value') });
  const mode = (path: string): string => (statSync(path).mode & 0o777).toString(8);
  expect([mode(directory), mode(onlyFile(directory))]).toEqual(['700', '600']);
  expect(readdirSync(directory)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
});

test('modified, truncated or extended files are misses and get replaced', async () => {
  const directory = place();
  await put({ directory }, { a: Buffer.from('a value of some length') });
  const path = onlyFile(directory);
  const whole = readFileSync(path);
  const damaged = [
    ...Array.from(whole, (byte, at) => {
      const copy = Buffer.from(whole);
      copy[at] = byte ^ 1;
      return copy;
    }),
    ...Array.from(whole, (_, length) => whole.subarray(0, length)),
    Buffer.concat([whole, Buffer.from('x')]),
    Buffer.alloc(whole.length),
  ];
  for (const bytes of damaged) {
    writeFileSync(path, bytes);
    expect(await get(directory, 'a')).toBeUndefined();
  }
  await put({ directory }, { a: Buffer.from('another') });
  expect(await text(directory, 'a')).toBe('another');
});

test('another key’s file under this name is a miss', async () => {
  const directory = place();
  await put({ directory }, { a: Buffer.from('a') });
  const a = onlyFile(directory);
  await put({ directory }, { b: Buffer.from('b') });
  const b = join(directory, readdirSync(directory).find((name) => join(directory, name) !== a) ?? '');
  copyFileSync(a, b);
  expect(await get(directory, 'b')).toBeUndefined();
  expect(await text(directory, 'a')).toBe('a');
});

test('a link, FIFO or directory is a miss without blocking', async () => {
  const directory = place();
  await put({ directory }, { a: Buffer.from('a') });
  const path = onlyFile(directory);
  const moved = `${directory}.moved`;
  copyFileSync(path, moved);
  const replacements = [
    () => symlinkSync(moved, path),
    () => execFileSync('mkfifo', [path]),
    () => mkdirSync(path),
    // Only root gives files away.
    ...(process.getuid?.() === 0 ? [() => (copyFileSync(moved, path), chownSync(path, 1_234, 1_234))] : []),
  ];
  for (const replace of replacements) {
    rmSync(path, { recursive: true });
    replace();
    expect(await get(directory, 'a')).toBeUndefined();
    await put({ directory }, { a: Buffer.from('new') });
  }
});

test('a linked or impossible directory disables the cache', async () => {
  const directory = place();
  const elsewhere = place();
  mkdirSync(elsewhere);
  symlinkSync(elsewhere, directory);
  await put({ directory }, { a: Buffer.from('a') });
  expect(await get(directory, 'a')).toBeUndefined();
  expect(readdirSync(elsewhere)).toEqual([]);
  await put({ directory: '/dev/null/no' }, { a: Buffer.from('a') });
  expect(await get('/dev/null/no', 'a')).toBeUndefined();
});

/** A directory that anybody may replace, as another account could. */
test.skipIf(!process.getuid)('C12 a directory that others can replace is not used', async () => {
  const directory = place();
  const elsewhere = place();
  const cache = new FileCache({ directory });
  await cache.put('a', [Buffer.from('a')]);
  // A value of this user, and one that would be removed for its age.
  renameSync(directory, elsewhere);
  const old = join(elsewhere, 'a'.repeat(64));
  writeFileSync(old, '');
  ago(old, 90 * DAY);
  const before = readdirSync(elsewhere);
  symlinkSync(elsewhere, directory);
  chmodSync(dirname(directory), 0o777);
  for (const path of [directory, join(dirname(directory), 'deeper/derived')]) {
    await put({ directory: path }, { a: Buffer.from('a'), b: Buffer.from('b') });
    expect(await get(path, 'a')).toBeUndefined();
  }
  await cache.put('b', [Buffer.from('b')]);
  cache.remove('a');
  await cache.close();
  expect(await cache.get('a')).toBeUndefined();
  expect(readdirSync(elsewhere)).toEqual(before);
  expect(readdirSync(dirname(directory))).toEqual(['derived']);
});

test('a failed write leaves nothing behind', async () => {
  const directory = place();
  // A file may have no more than 64 KiB: a disk that is full in the middle of it.
  const script = `
    import { FileCache } from ${JSON.stringify(built)};
    process.on('SIGXFSZ', () => {});
    const cache = new FileCache({ directory: ${JSON.stringify(directory)} });
    cache.put('large', [Buffer.alloc(1 << 20)]);
    await cache.close();
    cache.put('small', [Buffer.from('small')]);
    await cache.close();`;
  execFileSync('sh', [
    '-c',
    'ulimit -f 64; exec "$0" "$@"',
    process.execPath,
    '--input-type=module',
    '-e',
    script,
  ]);
  expect(await get(directory, 'large')).toBeUndefined();
  expect(await text(directory, 'small')).toBe('small');
  expect(readdirSync(directory)).toHaveLength(1);
});

test('a removed directory is created again', async () => {
  const directory = place();
  const cache = new FileCache({ directory });
  cache.put('a', [Buffer.from('a')]);
  await cache.close();
  rmSync(directory, { recursive: true });
  cache.put('b', [Buffer.from('b')]);
  await cache.close();
  cache.put('c', [Buffer.from('c')]);
  await cache.close();
  expect(await cache.get('c')).toEqual(Buffer.from('c'));
});

test('C11 the budget holds; the least recently used goes first', async () => {
  const directory = place();
  const bytes = 1 << 20;
  const value = Buffer.alloc(100_000, 1);
  await put({ directory, bytes }, { old: value });
  const old = onlyFile(directory);
  ago(old, 2 * DAY);
  await put({ directory, bytes }, { used: value });
  const used = join(directory, readdirSync(directory).find((name) => join(directory, name) !== old) ?? '');
  ago(used, 3 * DAY);
  expect(await get(directory, 'used')).toBeDefined();
  const sizes: number[] = [];
  for (let i = 0; i < 30; i += 1) {
    await put({ directory, bytes }, { [`new ${i}`]: value });
    // One that was used is younger than what came before.
    if (i < 6) expect(await get(directory, 'used')).toBeDefined();
    sizes.push(readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0));
    for (const name of readdirSync(directory)) {
      if (Date.now() - statSync(join(directory, name)).mtimeMs < DAY * 1000) ago(join(directory, name), 60);
    }
  }
  expect(Math.max(...sizes)).toBeLessThanOrEqual(bytes);
  expect(sizes.at(-1)).toBeGreaterThan(bytes / 2);
  expect(await get(directory, 'old')).toBeUndefined();
});

test('one process keeps to the budget, too', async () => {
  const directory = place();
  const cache = new FileCache({ directory, bytes: 1 << 20 });
  for (let i = 0; i < 24; i += 1) await cache.put(`${i}`, [Buffer.alloc(100_000)]);
  const sizes = readdirSync(directory).map((name) => statSync(join(directory, name)).size);
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(1 << 20);
  expect(sizes.length).toBeGreaterThan(5);
});

test('what is cached is kept while a version holds', async () => {
  const directory = place();
  const cache = new FileCache({ directory });
  await cache.keepWhile('rules', '1');
  await cache.put('a', [Buffer.from('a')]);
  await cache.keepWhile('rules', '1');
  expect(await text(directory, 'a')).toBe('a');
  await cache.keepWhile('rules', '2');
  expect([await text(directory, 'a'), readdirSync(directory).length]).toEqual([undefined, 1]);
});

test('of many values at once eight are written', async () => {
  const directory = place();
  const cache = new FileCache({ directory });
  for (let i = 0; i < 20; i += 1) void cache.put(`${i}`, [Buffer.from('a')]);
  await cache.close();
  expect(readdirSync(directory)).toHaveLength(8);
  await cache.put('later', [Buffer.from('b')]);
  expect(await text(directory, 'later')).toBe('b');
  expect(cache.lookups).toEqual({ hits: 0, misses: 0 });
  for (const key of ['later', 'none', 'none']) await cache.get(key);
  expect(cache.lookups).toEqual({ hits: 1, misses: 2 });
});

test('a value taking much of the budget is not cached', async () => {
  const directory = place();
  await put({ directory, bytes: 80_000 }, { large: Buffer.alloc(11_000), small: Buffer.alloc(9_000) });
  expect(await get(directory, 'large')).toBeUndefined();
  expect(await get(directory, 'small')).toBeDefined();
  expect(await new FileCache({ directory, bytes: 8_000 }).get('small')).toBeUndefined();
});

test('the smallest values count as much as they take on disk', async () => {
  const cache = new FileCache({ directory: place(), bytes: 1 << 16 });
  for (let i = 0; i < 24; i += 1) await cache.put(`${i}`, [Buffer.from('a')]);
  const found = await Promise.all(Array.from({ length: 24 }, (_, i) => cache.get(`${i}`)));
  const kept = found.filter((value) => value !== undefined).length;
  expect([kept > 8, kept <= 16]).toEqual([true, true]);
});

test('old and unfinished files are removed, but no foreign names', async () => {
  const directory = place();
  await put({ directory }, { a: Buffer.from('a') });
  const value = onlyFile(directory);
  const future = join(directory, 'f'.repeat(64));
  writeFileSync(future, '');
  ago(future, -31 * DAY);
  const [unfinished, current] = ['1-0123456789abcdef', '2-0123456789abcdef'].map(
    (process) => `${value}.${process}.tmp`,
  ) as [string, string];
  const foreign = ['README', 'notes.tmp', `${'a'.repeat(64)}.txt`, `${'a'.repeat(64)}.tmp.txt`];
  for (const path of [unfinished, current, ...foreign.map((name) => join(directory, name))]) {
    writeFileSync(path, '');
    if (path !== current) ago(path, path === unfinished ? 7_200 : 90 * DAY);
  }
  ago(value, 31 * DAY);
  await put({ directory }, { b: Buffer.from('b') });
  expect(readdirSync(directory)).toHaveLength(2 + foreign.length);
  expect(readdirSync(directory)).toEqual(expect.arrayContaining([basename(current), ...foreign]));
  expect(await get(directory, 'a')).toBeUndefined();
});

test('updates of many values at once are all applied', async () => {
  const directory = place();
  const cache = new FileCache({ directory });
  const keys = Array.from({ length: 12 }, (_, i) => `list ${i}`);
  await Promise.all(keys.map((key) => cache.change(key, () => Buffer.from(key))));
  await cache.close();
  expect(await Promise.all(keys.map((key) => text(directory, key)))).toEqual(keys);
});

test('C04 killed concurrent writers leave complete values or none', { tags: 'slow' }, async () => {
  const directory = place();
  const script = `
    import { FileCache } from ${JSON.stringify(built)};
    const cache = new FileCache({ directory: ${JSON.stringify(directory)} });
    process.stdout.write('go');
    for (let round = 0; ; round += 1) {
      for (const key of ['a', 'b']) cache.put(key, [Buffer.alloc(300_000, key + round % 10)]);
      await cache.close();
    }`;
  let found = 0;
  for (let round = 0; round < 3; round += 1) {
    const writers = [1, 2].map(() =>
      spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    );
    await Promise.all(writers.map(({ stdout }) => once(stdout, 'data')));
    for (let i = 0; i < 20; i += 1) {
      for (const key of ['a', 'b']) {
        const value = await get(directory, key);
        if (!value) continue;
        found += 1;
        expect(value.length).toBe(300_000);
        expect(value.equals(Buffer.alloc(300_000, value.subarray(0, 2)))).toBe(true);
        expect(value.toString('latin1', 0, 1)).toBe(key);
      }
    }
    for (const writer of writers) writer.kill('SIGKILL');
    await Promise.all(writers.map((writer) => writer.exitCode ?? once(writer, 'exit')));
  }
  expect(found).toBeGreaterThan(0);
  for (const name of readdirSync(directory))
    expect(name).toMatch(/^[0-9a-f]{64}(?:\.\d+-[0-9a-f]{16}\.tmp)?$/);
});
