/** Archives in objects: what is listed and read of them, and how many requests that takes. */

import { expect, test } from 'vitest';
import { place } from '../../support/dialect.ts';
import { objectServer } from '../../support/objects.ts';
import { tar } from '../../support/tar.ts';
import { zip } from '../../support/zip.ts';

test('a zip: its directory is read, then the bytes of one member', async () => {
  const noise = Array.from({ length: 2 << 20 }, (_, i) => ((i * 7919) ^ (i >> 5)) & 255);
  const large = { name: 'large.bin', content: Buffer.from(noise), method: 0 };
  const members = Array.from({ length: 100 }, (_, i) => ({ name: `dir/${i}.txt`, content: `text ${i}\n` }));
  const server = await objectServer({
    box: { 'a.zip': zip([...members, large, { name: 'last.txt', content: 'one\ntwo\n' }]) },
  });
  const here = place('oriel', { display: 'plain' });
  const read = async (path: string): Promise<[string, number]> => {
    const before = server.heard.length;
    const { text } = await here.call('read', { path });
    return [text, server.heard.length - before];
  };
  const [listing, requests] = await read('s3://box/a.zip');
  expect(listing).toContain('last.txt');
  expect(requests).toBe(2);
  expect(await read('s3://box/a.zip:last.txt:2..2')).toEqual(['two\n', 2]);
  expect(await read('s3://box/a.zip:dir/7.txt')).toEqual(['text 7\n', 1]);
  expect((await read('s3://box/a.zip:large.bin:@1000000+1K:raw'))[1]).toBeLessThanOrEqual(2);
});

test('a tar and a compressed file', async () => {
  const { gzipSync } = await import('node:zlib');
  const packed = tar([{ name: 'dir/x.txt', content: 'one\ntwo\n' }]);
  await objectServer({
    box: { 'a.tar': packed, 'a.tar.gz': gzipSync(packed), 'x.log.gz': gzipSync('log\n') },
  });
  const here = place('oriel', { display: 'plain' });
  const read = async (path: string): Promise<string> => (await here.call('read', { path })).text;
  expect(await read('s3://box/a.tar:dir/x.txt')).toBe('one\ntwo\n');
  expect(await read('s3://box/a.tar.gz:dir/x.txt:2..2')).toBe('two\n');
  expect(await read('s3://box/x.log.gz')).toBe('log\n');
});
