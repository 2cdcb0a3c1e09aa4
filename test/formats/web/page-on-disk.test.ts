/** Pages in the cache on disk: what a later process reads without a request, what it revalidates, and what is not stored. */

import { readdirSync, statSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../support/commands.ts';
import { place } from '../../support/dialect.ts';
import { site } from '../../support/web.ts';

const MINUTE = 60_000;
const lines = Array.from({ length: 900 }, (_, i) => `line ${i + 1}\n`).join('');

/** Each call in an instance of its own, as processes after one another have them. */
function reader(directory: string, web = { allow: ['127.0.0.1'] }) {
  let now = Date.parse('2026-01-01');
  return {
    wait(ms: number) {
      now += ms;
    },
    async read(path: string): Promise<string> {
      const here = place('oriel', { display: 'plain', web, cache: { directory }, now: () => now });
      const { text } = await here.call('read', { path });
      await here.oriel.close();
      return text;
    },
  };
}

const counted = (headers: Record<string, string>, asked: IncomingMessage[]) => {
  return (request: IncomingMessage, response: ServerResponse): void => {
    asked.push(request);
    if (headers['etag'] !== undefined && request.headers['if-none-match'] === headers['etag'])
      return void response.writeHead(304).end();
    response
      .writeHead(200, { 'content-type': 'text/plain', ...headers })
      .end(`version ${asked.length}\n${lines}`);
  };
};

test('parts of a page need no request for five minutes', async () => {
  const asked: IncomingMessage[] = [];
  const { url } = await site({ '/page': counted({}, asked) });
  const { read, wait } = reader(temporaryFolder());
  expect(await read(`${url}/page`)).toContain(`Use ${url}/page:301.. to continue]`);
  wait(4 * MINUTE);
  expect(await read(`${url}/page:301..302`)).toContain('line 300\nline 301\n');
  expect(await read(`${url}/page:1..1`)).toContain('version 1\n');
  expect(asked).toHaveLength(1);
  expect(await read(`${url}/page`)).toContain('version 2\n');
  expect(await read(`${url}/page:1..1`)).toContain('version 2\n');
  wait(6 * MINUTE);
  expect(await read(`${url}/page:1..1`)).toContain('version 3\n');
  expect(await read(`${url}/page:fresh:1..1`)).toContain('version 4\n');
});

test('a page with a validator is revalidated for a week', async () => {
  const asked: IncomingMessage[] = [];
  const { url } = await site({ '/page': counted({ etag: '"1"' }, asked) });
  const { read, wait } = reader(temporaryFolder());
  await read(`${url}/page`);
  wait(60 * MINUTE);
  expect(await read(`${url}/page`)).toContain('version 1\n');
  expect(asked.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"1"']);
  wait(8 * 24 * 60 * MINUTE);
  expect(await read(`${url}/page`)).toContain('version 3\n');
});

test('a page from an alternate with no-store is not stored', async () => {
  const asked: IncomingMessage[] = [];
  const html = '<link rel="alternate" type="text/markdown" href="/other.md"><p>The page.</p>';
  const { url } = await site({
    '/page': { type: 'text/html', body: html },
    '/other.md': counted({ 'content-type': 'text/markdown', 'cache-control': 'no-store' }, asked),
  });
  const { read } = reader(temporaryFolder());
  await read(`${url}/page`);
  expect(await read(`${url}/page:1..1`)).toContain('version 2\n');
});

test('a validator of the page does not cover its alternate', async () => {
  const asked: IncomingMessage[] = [];
  const html = '<link rel="alternate" type="text/markdown" href="/other.md"><p>The page.</p>';
  const { url } = await site({
    '/page': (request, response) => {
      if (request.headers['if-none-match'] !== undefined) return void response.writeHead(304).end();
      response.writeHead(200, { 'content-type': 'text/html', etag: '"1"' }).end(html);
    },
    '/other.md': counted({ 'content-type': 'text/markdown' }, asked),
  });
  const { read } = reader(temporaryFolder());
  expect(await read(`${url}/page`)).toContain('version 1\n');
  expect(await read(`${url}/page`)).toContain('version 2\n');
  const here = place('oriel', { display: 'plain', web: { allow: ['127.0.0.1'] } });
  expect((await here.call('read', { path: `${url}/page` })).text).toContain('version 3\n');
  expect((await here.call('read', { path: `${url}/page:fresh` })).text).toContain('version 4\n');
});

test('pages with no-store, and deleted pages, are not on disk', async () => {
  const asked: IncomingMessage[] = [];
  let status = 200;
  const { url } = await site({
    '/secret': counted({ 'cache-control': 'private, No-Store' }, asked),
    '/gone': (_, response) => void response.writeHead(status, { 'content-type': 'text/plain' }).end('here\n'),
  });
  const { read } = reader(temporaryFolder());
  await read(`${url}/secret`);
  expect(await read(`${url}/secret:1..1`)).toContain('version 2\n');
  await read(`${url}/gone`);
  status = 404;
  expect(await read(`${url}/gone:1..1`)).toBe('here\n');
  expect(await read(`${url}/gone`)).toContain('Method: failed');
  expect(await read(`${url}/gone:1..1`)).toContain('Method: failed');
});

test('entries are separate for each list of allowed addresses', async () => {
  const { url } = await site({ '/page': { type: 'text/plain', body: lines } });
  const directory = temporaryFolder();
  await reader(directory).read(`${url}/page`);
  const { read } = reader(directory, { allow: [] });
  expect(await read(`${url}/page:1..1`)).not.toContain('line 1\n');
});

test('other users cannot read the cache or learn from names', async () => {
  const { url } = await site({ '/page': { type: 'text/plain', body: lines } });
  const directory = temporaryFolder();
  await reader(directory).read(`${url}/page`);
  const files = readdirSync(directory);
  expect(files).not.toEqual([]);
  for (const name of files) {
    expect(name).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  }
});
