/** Archives in objects: listing and reading, and the number of requests. */

import { expect, test } from 'vitest';
import { place } from '../../support/dialect.ts';
import { type Heard, objectServer } from '../../support/objects.ts';
import { docx, fixture, paragraph } from '../../support/documents.ts';
import { makePng } from '../../support/images.ts';
import { databaseBytes } from '../../support/sqlite.ts';
import { tar } from '../../support/tar.ts';
import { zip } from '../../support/zip.ts';

test('a zip: its directory is read, then one member', { tags: 'slow' }, async () => {
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

test('a database: only the pages that a query needs', { tags: 'slow' }, async () => {
  const database = await databaseBytes(
    'create table users(id integer primary key, name text, note text)',
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000)
     insert into users select i, 'name ' || i, printf('a note of some length, number %d', i) from n`,
    'create index by_name on users(name)',
  );
  expect(database.length).toBeGreaterThan(10 << 20);
  const server = await objectServer({ box: { 'app.db': database } });
  const here = place('oriel', { display: 'plain' });
  const read = async (
    path: string,
  ): Promise<{ text: string; isError: boolean; requests: number; bytes: number }> => {
    const before = server.heard.length;
    const { text, isError } = await here.call('read', { path });
    const heard = server.heard.slice(before);
    return {
      text,
      isError,
      requests: heard.length,
      bytes: heard.reduce((sum, one) => sum + lengthOf(one), 0),
    };
  };
  const row = await read('s3://box/app.db:users:123456');
  expect(row.text).toContain('note: a note of some length, number 123456');
  expect(row.requests).toBeLessThanOrEqual(5);
  const found = await read("s3://box/app.db?q=select id from users where name = 'name 77777'");
  expect(found.text).toContain('77777');
  expect(found.requests).toBeLessThanOrEqual(6);
  const list = await read('s3://box/app.db');
  expect(list.text).toMatch(/users.*at least|users/);
  expect(list.bytes).toBeLessThan(4 << 20);
  const all = await read('s3://box/app.db?q=select count(*), sum(length(note)) from users');
  // Read onwards in ever larger parts: all of it takes few requests too.
  expect(all).toMatchObject({ isError: false });
  expect(all.text).toContain('200000');
  expect(all.requests).toBeLessThan(60);
  for (const where of ['', 'where=note>%27%27&']) {
    const deep = await read(`s3://box/app.db:users?${where}limit=20&offset=150000`);
    const [next = ''] = /s3:\S*(?= to continue)/.exec(deep.text) ?? [];
    const following = await read(next);
    expect(following.text).toContain('| 150021 |');
    // It begins behind the last row that was shown: those before it are not read again.
    expect(following.bytes).toBeLessThan(2 << 20);
  }
});

test('a database replaced while read, or needing too many requests', { tags: 'slow' }, async () => {
  const bytes = await databaseBytes(
    'create table t(id integer primary key, body text)',
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
     insert into t select i, hex(zeroblob(1000)) from n`,
  );
  const server = await objectServer({ box: { 'app.db': bytes } });
  const here = place('oriel');
  let asked = 0;
  server.instead = () => {
    asked += 1;
    if (asked === 2) server.buckets = { box: { 'app.db': Buffer.concat([bytes, Buffer.alloc(4096)]) } };
    return false;
  };
  const { text, details } = await here.call('read', { path: 's3://box/app.db:t:2500' });
  expect(text).toContain('s3://box/app.db was replaced while it was read');
  expect(details['error']).toMatchObject({ code: 'BUSY' });
  expect((await here.call('read', { path: 's3://box/app.db:t:2500' })).isError).toBe(false);
});

/** Bytes that were asked for. */
function lengthOf({ range }: Heard): number {
  const [, from = 0, to = 0] = /(\d+)-(\d+)/.exec(range ?? '') ?? [];
  return Number(to) - Number(from) + 1;
}

test('code, documents, notebooks and images are read as from files', { tags: 'slow' }, async () => {
  const code = Array.from({ length: 20 }, (_, i) => `export function f${i}() {\n  return ${i};\n}\n`).join(
    '',
  );
  const notebook = JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: {},
    cells: [{ cell_type: 'markdown', id: 'a', metadata: {}, source: ['# A title'] }],
  });
  const server = await objectServer({
    box: {
      'x.ts': code,
      'a.docx': docx(paragraph('one') + paragraph('two')),
      'r.pdf': fixture('report.pdf'),
      'n.ipynb': notebook,
      'p.png': makePng(30, 20),
    },
  });
  const here = place('oriel', { display: 'plain', read: { imageMetadataOnly: true } });
  const read = async (path: string): Promise<[string, number]> => {
    const before = server.heard.length;
    const { text, isError } = await here.call('read', { path });
    expect(isError, text).toBe(false);
    return [text, server.heard.length - before];
  };
  const [outline, requests] = await read('s3://box/x.ts:outline');
  expect(outline).toContain('function f7');
  expect(outline).toContain('22-24');
  expect(requests).toBe(1);
  expect((await read('s3://box/x.ts:#f7'))[0]).toContain('return 7;');
  expect(await read('s3://box/a.docx')).toEqual(['one\n\ntwo\n', 1]);
  expect((await read('s3://box/r.pdf:p2'))[0]).not.toBe((await read('s3://box/r.pdf:p1'))[0]);
  expect((await read('s3://box/n.ipynb'))[0]).toContain('# A title');
  const [image] = await read('s3://box/p.png');
  expect(image).toMatch(/30\s*[x×]\s*20/);
});
