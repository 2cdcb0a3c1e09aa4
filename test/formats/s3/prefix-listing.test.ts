/** Prefixes as directories, buckets, and missing paths. */

import { expect, test } from 'vitest';
import { createOriel } from '../../../src/index.ts';
import { place } from '../../support/dialect.ts';
import { KEYS, lineOf, numberedObject, objectServer } from '../../support/objects.ts';

const now = (): number => Date.parse('2026-05-03T10:00:00Z');

test('a prefix is listed like a directory', async () => {
  const server = await objectServer({
    box: {
      'a.txt': 'one\n',
      'dir/b.txt': 'x'.repeat(2048),
      'dir/in/c.txt': '',
      'dir/': '',
      'ü &<+ .txt': '1',
    },
    other: {},
  });
  const here = place('oriel', { now });
  const read = async (path: string): Promise<string> => (await here.call('read', { path })).text;
  expect(await read('s3://')).toBe('s3://box/\ns3://other/\n');
  expect(await read('s3://box')).toBe('a.txt  4 B  2d\ndir/\nü &<+ .txt  1 B  2d\n');
  expect(await read('s3://box/dir/')).toBe('b.txt  2 KiB  2d\nin/\n');
  expect(server.heard).toHaveLength(3);
  expect(await read('s3://box/dir')).toBe('b.txt  2 KiB  2d\nin/\n');
  expect(server.heard).toHaveLength(5);
  expect(await read('s3://other')).toBe('(no objects)\n');
  expect(await read('s3://box/:2..2')).toBe('dir/\n');
});

test('following the notices lists every entry once', async () => {
  const keys = Array.from({ length: 2500 }, (_, i) =>
    i % 10 === 0 ? `p/${String(i).padStart(5, '0')}/x` : `p/${String(i).padStart(5, '0')}: a b.txt`,
  );
  const server = await objectServer({ box: Object.fromEntries(keys.map((key) => [key, 'x'])) });
  const here = place('oriel', { now });
  const seen: string[] = [];
  const pages = new Set<string>();
  for (let next: string | undefined = 's3://box/p/'; next !== undefined;) {
    const { text, isError } = await here.call('read', { path: next });
    expect(isError, text).toBe(false);
    seen.push(...[...text.matchAll(/^(\d{5})/gm)].map(([, no]) => String(no)));
    pages.add(next);
    next = / Use (s3:[^\s\]]+)/.exec(text)?.[1];
  }
  expect(seen).toEqual(keys.map((key) => key.slice(2, 7)));
  expect(server.heard).toHaveLength(pages.size);
});

test('missing names are answered with existing ones', async () => {
  const server = await objectServer({ box: { 'dir/report.txt': 'x' } });
  const here = place('oriel');
  const read = (path: string) => here.call('read', { path });
  expect(await read('s3://box/dir/reprot.txt')).toMatchObject({
    isError: true,
    text: 's3://box/dir/reprot.txt does not exist. Did you mean s3://box/dir/report.txt? Use s3://box/dir/ for the list.',
  });
  expect((await read('s3://nowhere/x')).text).toBe(
    's3://nowhere/x does not exist: there is no such bucket. Use s3:// for the list.',
  );
  expect((await read('s3://a')).text).toContain('names no bucket');
  expect((await read('s3://box/a/../b')).text).toContain('a URL cannot name a key with . or ..');
  expect((await read('s3://box/dir/report.txt:nonsense')).text).toContain('does not exist');
  expect(server.heard.length).toBeLessThan(20);
});

test('only configured buckets are read', async () => {
  const server = await objectServer({ box: { 'logs/a': 'a\n', 'logs2/a': 'b\n', secret: 's\n' }, logs: {} });
  const here = place('oriel', { display: 'plain', s3: { buckets: ['box/logs'] } });
  const read = async (path: string): Promise<string> => (await here.call('read', { path })).text;
  expect(await read('s3://')).toBe('s3://box/logs/\n');
  expect(await read('s3://box/logs/a')).toBe('a\n');
  expect(await read('s3://box/logs')).toContain('a  2 B');
  const asked = server.heard.length;
  for (const path of [
    's3://box',
    's3://box/',
    's3://box/secret',
    's3://box/logs2/a',
    's3://logs',
    's3://box/?after=a',
  ]) {
    expect(await read(path)).toMatch(
      /lies outside of what may be read here: s3:\/\/box\/logs\. Use s3:\/\/box\/logs\/\./,
    );
  }
  expect(server.heard).toHaveLength(asked);
});

test('without configuration a server reads none', async () => {
  const server = await objectServer({ box: { a: 'a\n' } });
  const here = place('oriel', { s3: false });
  expect((await here.call('read', { path: 's3://box/a' })).text).toBe(
    's3:// is not read: objects are off here. The operator of oriel can allow them with s3: true.',
  );
  expect(server.heard).toEqual([]);
});

test('lines far into an object are counted once', { tags: 'slow' }, async () => {
  const server = await objectServer({ box: { big: numberedObject(64 << 20) } });
  const here = place('oriel', { display: 'plain' });
  const read = async (path: string): Promise<[string, number]> => {
    const before = server.heard.length;
    const { text } = await here.call('read', { path });
    return [text, server.heard.length - before];
  };
  const [text, requests] = await read('s3://box/big:1000000..1000001');
  expect(text).toBe(lineOf(1_000_000) + lineOf(1_000_001));
  // Ever larger parts, up to 4 MiB.
  expect(requests).toBeLessThan(25);
  for (const line of [500_000, 17, 999_999, 65_537]) {
    const [page, count] = await read(`s3://box/big:${line}..`);
    expect(page.startsWith(lineOf(line) + lineOf(line + 1))).toBe(true);
    expect(count).toBeLessThanOrEqual(2);
  }
});

test('the keys come from the environment or a profile', async () => {
  const server = await objectServer({ box: { a: 'a\n' } });
  const { vi } = await import('vitest');
  const here = place('oriel', { display: 'plain' });
  const read = async (): Promise<string> => (await here.call('read', { path: 's3://box/a' })).text;
  vi.stubEnv('AWS_ACCESS_KEY_ID', '');
  expect(await read()).toContain('the request was not signed, since no credentials were found');
  const keys = `aws_access_key_id = ${KEYS.accessKeyId}\naws_secret_access_key = ${KEYS.secretAccessKey}\n`;
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', here.write('credentials', `[default]\n[work.eu]\n${keys}`));
  expect(await read()).toContain('not signed');
  vi.stubEnv('AWS_PROFILE', 'work.eu');
  expect(await read()).toBe('a\n');
  vi.stubEnv('AWS_ENDPOINT_URL_S3', '');
  vi.stubEnv('AWS_REGION', '');
  vi.stubEnv(
    'AWS_CONFIG_FILE',
    here.write('config', `[profile work.eu]\nregion = eu-x\nendpoint_url = ${server.url}\n`),
  );
  expect(await read()).toBe('a\n');
  vi.stubEnv('AWS_PROFILE', 'nobody');
  expect(await read()).toBe(
    'The profile nobody of AWS_PROFILE does not exist. The operator of oriel must set or remove it.',
  );
});

test.each([
  ['another secret', { AWS_SECRET_ACCESS_KEY: 'wrong' }, 'SignatureDoesNotMatch'],
  ['another key', { AWS_ACCESS_KEY_ID: 'AKIAOTHER' }, 'InvalidAccessKeyId'],
])('%s is refused with an explanation', async (_, variables, code) => {
  await objectServer({ box: { a: 'a\n' } });
  const { vi } = await import('vitest');
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const { text, isError } = await place('oriel').call('read', { path: 's3://box/a' });
  expect(isError).toBe(true);
  expect(text).toContain(
    `(403, ${code}, ${code} it is): the credentials have no access to it, or are not valid.`,
  );
});

test('the next process reuses the line index', { tags: 'slow' }, async () => {
  const server = await objectServer({ box: { big: numberedObject(32 << 20) } });
  const read = async (line: number): Promise<number> => {
    const before = server.heard.length;
    const oriel = createOriel({ display: 'plain' });
    const { content } = await oriel.tool('read').run({ path: `s3://box/big:${line}..${line}` });
    expect(content).toEqual([{ type: 'text', text: lineOf(line) }]);
    await oriel.close();
    return server.heard.length - before;
  };
  expect(await read(500_000)).toBeGreaterThan(5);
  expect(await read(400_000)).toBeLessThanOrEqual(2);
  server.buckets = { box: { big: numberedObject(32 << 20, '"another"') } };
  expect(await read(400_000)).toBeGreaterThan(5);
});

test('names outside the allowed prefix are not shown', async () => {
  await objectServer({ box: { 'team-b/secret.txt': 'x' } });
  const here = place('oriel', { s3: { buckets: ['box/team-a', 'box/report.csv'] } });
  for (const path of ['s3://box/team-a', 's3://box/report.csv', 's3://box/team-a/x'])
    expect((await here.call('read', { path })).text).not.toContain('team-b');
});

test('surplus entries in a reply are not silently dropped', async () => {
  const keys = Array.from({ length: 1500 }, (_, i) => `k${String(i).padStart(4, '0')}`);
  const server = await objectServer({ box: Object.fromEntries(keys.map((key) => [key, 'x'])) });
  const here = place('oriel', { now });
  // It takes no word of how many, and says that this is all.
  server.instead = (request, response) => {
    const after = new URL(request.url ?? '', 'http://x').searchParams.get('start-after') ?? '';
    const shown = keys
      .filter((key) => key > after)
      .map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`);
    response.end(`<ListBucketResult><IsTruncated>false</IsTruncated>${shown.join('')}</ListBucketResult>`);
    return true;
  };
  const first = (await here.call('read', { path: 's3://box/' })).text;
  const [, next = 'none'] = / Use (s3:[^\s\]]+) to continue/.exec(first) ?? [];
  const seen = (text: string): string[] => text.match(/^k\d{4}/gm) ?? [];
  expect([...seen(first), ...seen((await here.call('read', { path: next })).text)]).toEqual(keys);
});

test('keys from a server without encoding are taken literally', async () => {
  const server = await objectServer({});
  server.instead = (_request, response) => {
    const keys = ['a+b.txt', '50%25.txt', 'c%2Fd'];
    response.end(
      `<ListBucketResult><IsTruncated>false</IsTruncated>${keys.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join('')}</ListBucketResult>`,
    );
    return true;
  };
  const { text } = await place('oriel', { now }).call('read', { path: 's3://box/' });
  expect(text).toContain('a+b.txt');
  expect(text).toContain('50%25.txt');
  expect(text).toContain('c%2Fd');
});
