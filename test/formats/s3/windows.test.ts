/** Windows of objects: by bytes, by lines, from the end, and how many requests each takes. */

import { describe, expect, test } from 'vitest';
import { place, type Place } from '../../support/dialect.ts';
import { lineOf, numberedObject, objectServer, type ObjectServer } from '../../support/objects.ts';

const GIB = 2 ** 30;
const SIZE = 100 * GIB;

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => lineOf(from + i)).join('');

async function huge(): Promise<{
  here: Place;
  server: ObjectServer;
  read(path: string): Promise<[string, number]>;
}> {
  const server = await objectServer({ logs: { 'dir/big.log': numberedObject(SIZE) } });
  const here = place('oriel', { display: 'plain' });
  return {
    here,
    server,
    /** The text of an answer, and the requests that it took. */
    async read(path) {
      const before = server.heard.length;
      const { text, isError } = await here.call('read', { path });
      expect(isError, text).toBe(false);
      return [text, server.heard.length - before];
    },
  };
}

describe('a page of an object of 100 GB', () => {
  test('at the beginning: one request', async () => {
    const { read } = await huge();
    const [text, requests] = await read('s3://logs/dir/big.log');
    expect(text).toBe(
      `${lines(1, 800)}[Showing lines 1-800, bytes 0-51200 of ${SIZE} (50 KiB limit). Use s3://logs/dir/big.log:801.. to continue]`,
    );
    expect(requests).toBe(1);
  });

  test('of a log: one request too, and no map, which reads all', async () => {
    const line = '2026-11-29T10:00:00Z INFO request\n';
    const server = await objectServer({ logs: { 'a.log': line.repeat(100_000) } });
    // Rules for private files name files, not objects.
    const { text } = await place('oriel', { deny: ['*.pem'] }).call('read', { path: 's3://logs/a.log' });
    expect(text).toMatch(/Use s3:\/\/logs\/a\.log:\d+\.\. to continue\]$/);
    expect(server.heard).toHaveLength(1);
  });

  test('in the middle: two requests, then one for each page', async () => {
    const { read } = await huge();
    const [text, requests] = await read(`s3://logs/dir/big.log:@${50 * GIB}+64K`);
    const first = (50 * GIB) / 64 + 1;
    const next = 50 * GIB + 65_536;
    expect(text).toBe(
      `${lines(first, first + 1023)}[Showing bytes ${50 * GIB}-${next} of ${SIZE}. Use s3://logs/dir/big.log:@${next}+64K to continue]`,
    );
    expect(requests).toBe(2);
    expect((await read(`s3://logs/dir/big.log:@${next}+64K`))[1]).toBe(1);
  });

  test('of the largest size: two requests, then one', async () => {
    const { read } = await huge();
    expect((await read(`s3://logs/dir/big.log:@${SIZE / 2 + 7}+256K`))[1]).toBe(2);
    expect((await read(`s3://logs/dir/big.log:@${SIZE / 4 + 7}+256K`))[1]).toBe(1);
  });

  test('at the end: two requests, then one for lines before', async () => {
    const { read } = await huge();
    const [text, requests] = await read('s3://logs/dir/big.log:-500');
    const last = SIZE / 64;
    expect(text.startsWith(lines(last - 499, last))).toBe(true);
    expect(requests).toBe(2);
    expect((await read(`s3://logs/dir/big.log:-500@${SIZE - 500 * 64}`))[1]).toBe(1);
  });

  test('past the end: the notice is true', async () => {
    const { read } = await huge();
    const [text, requests] = await read(`s3://logs/dir/big.log:@${2 * SIZE}+64K`);
    expect(text).toContain(String(SIZE));
    expect(requests).toBe(2);
  });
});

describe('a small object', () => {
  test('is shown like a file, with its totals', async () => {
    const server = await objectServer({ box: { 'a.txt': 'one\ntwo\nthree\n', empty: '' } });
    const here = place('oriel');
    expect((await here.call('read', { path: 's3://box/a.txt' })).text).toBe('1|one\n2|two\n3|three\n');
    expect((await here.call('read', { path: 's3://box/a.txt:2..2' })).text).toBe('2|two\n');
    expect((await here.call('read', { path: 's3://box/empty' })).text).toContain('empty');
    expect(server.heard).toHaveLength(3);
    expect(server.heard.every(({ signed }) => signed)).toBe(true);
  });

  test.each([
    'with blank & plus+sign.txt',
    'ü/日本/x.txt',
    "quote'(1)*!.txt",
    'percent%41.txt',
    'a=b&c?d#e.txt',
    'double//slash.txt',
    'x:1-2',
  ])('is named %s', async (key) => {
    await objectServer({ box: { [key]: `of ${key}\n`, other: 'other\n' } });
    const here = place('oriel', { display: 'plain' });
    const answer = await here.call('read', { path: `s3://box/${key}` });
    expect(answer).toMatchObject({ isError: false, text: `of ${key}\n` });
    expect((await here.call('read', { path: `s3://box/${key}:1..` })).text).toBe(`of ${key}\n`);
  });
});
