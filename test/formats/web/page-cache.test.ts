/** The page cache between calls: replies of servers are cached, temporary failures are not. */

import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { place } from '../../support/dialect.ts';
import { article, type Page, paragraphs, site } from '../../support/web.ts';

const reader = () => place('oriel', { web: { allow: ['127.0.0.1'] }, display: 'plain' });

const tagged =
  (type: string, body: string): Page =>
  (request, response) =>
    request.headers['if-none-match'] === '"1"'
      ? response.writeHead(304).end()
      : response.writeHead(200, { 'content-type': type, etag: '"1"' }).end(body);

describe('a page read without a part that came too late', () => {
  const markdown = `# The Markdown\n\n${'Some words of it. '.repeat(20)}\n`;

  async function unsettled(missing: (response: ServerResponse) => void) {
    let isThere = false;
    const { url, asked } = await site({
      '/doc': tagged('text/html', article('Doc', paragraphs(400))),
      '/doc.md'(_, response) {
        if (!isThere) return missing(response);
        return response.writeHead(200, { 'content-type': 'text/markdown' }).end(markdown);
      },
    });
    const { call } = reader();
    const read = async (selector = '') => (await call('read', { path: `${url}/doc${selector}` })).text;
    expect(await read()).toContain('Method: readability');
    return { asked, read, comes: () => (isThere = true) };
  }

  test.each<[string, (response: ServerResponse) => void]>([
    ['a connection that breaks', (response) => response.destroy()],
    ['an answer that does not come', () => undefined],
  ])('%s: is read anew, and its parts are kept', { tags: 'slow' }, async (_, missing) => {
    const { asked, read, comes } = await unsettled(missing);
    const before = asked.length;
    expect(await read(':301..')).toContain('Paragraph');
    expect(asked).toHaveLength(before);
    comes();
    expect(await read()).toContain('Method: md-suffix');
    expect(await read()).toContain('Method: md-suffix');
    expect(asked).toHaveLength(before + 2);
  });

  test('a part that does not exist is not missing', async () => {
    const { asked, read } = await unsettled((response) => response.writeHead(404).end());
    const before = asked.length;
    expect(await read()).toContain('Method: readability');
    expect(asked).toHaveLength(before);
  });
});

test('a URL that redirects fetches the newest version', async () => {
  let version = 1;
  const { url } = await site({
    '/from': (_, response) => response.writeHead(302, { location: '/to' }).end(),
    '/to': (_, response) =>
      response.writeHead(200, { 'content-type': 'text/plain' }).end(`version ${version}\n`),
  });
  const { call } = reader();
  const read = async (path: string) => (await call('read', { path: url + path })).text;
  expect(await read('/to')).toContain('version 1');
  version = 2;
  expect(await read('/from')).toContain('version 2');
  expect(await read('/to')).toContain('version 2');
  version = 3;
  expect(await read('/to:fresh')).toContain('version 3');
  expect(await read('/from')).toContain('version 2');
  expect(await read('/to')).toContain('version 3');
});

test.each(['', ':raw'])(
  'the largest body is requested once, for any parts%s',
  { tags: 'slow' },
  async (raw) => {
    const body = Buffer.alloc((64 << 20) + 1, 'a line of some words\n');
    const { url, asked } = await site({ '/huge': { type: 'application/octet-stream', body } });
    const { call } = reader();
    for (const lines of [raw, `${raw}:301..310`, `${raw}:601..610`]) {
      expect((await call('read', { path: `${url}/huge${lines}` })).text).toContain('a line of some words\n');
    }
    expect(asked).toEqual(['/huge']);
  },
);

describe('an error page longer than an answer', () => {
  const rows = Array.from({ length: 900 }, (_, i) => `<p>row ${i + 1}</p>`).join('\n');
  const gone = { '/gone': { status: 404, body: `<html><body>\n${rows}\n</body></html>` } };

  test('is truncated, with a notice', async () => {
    const { url } = await site(gone);
    const { text } = await reader().call('read', { path: `${url}/gone` });
    expect(text).toContain('Method: failed');
    expect(text).not.toContain('to continue]');
    expect(text.endsWith(`…\n\n(The server says more. Use ${url}/gone:raw for all of it.)\n`)).toBe(true);
  });

  test('is shown completely with :raw, page by page', async () => {
    const { url } = await site(gone);
    const { call } = reader();
    let path: string | undefined = `${url}/gone:raw`;
    let all = '';
    for (let pages = 0; path !== undefined && pages < 9; pages += 1) {
      const { text }: { text: string } = await call('read', { path });
      expect(text).toContain('HTTP 404: ');
      all += text;
      path = / Use (\S+) to continue\]/.exec(text)?.[1];
    }
    expect(path).toBeUndefined();
    const seen = Array.from(all.matchAll(/<p>row (\d+)<\/p>/g), ([, row]) => Number(row));
    expect(seen).toEqual(Array.from({ length: 900 }, (_, i) => i + 1));
  });

  test('is reported for any requested lines', async () => {
    const { url } = await site({ '/page': { status: 404, type: 'text/plain', body: 'a\nb\n' } });
    for (const selector of [':1..1', ':301..', ':-1']) {
      const { text } = await reader().call('read', { path: `${url}/page${selector}` });
      expect(text).toContain('Method: failed');
    }
    const { text } = await reader().call('read', { path: `${url}/page:2..` });
    expect(text).toMatch(/^b\n\[HTTP 404: /);
  });
});

test.each<[string, (response: ServerResponse) => void]>([
  ['an error', (response) => response.writeHead(500).end('no')],
  ['a connection that breaks', (response) => response.destroy()],
])('a cached page stays if its update is %s', async (_, fail) => {
  let isAway = false;
  const { url, asked } = await site({
    '/page': (_request, response) =>
      isAway
        ? fail(response)
        : response.writeHead(200, { 'content-type': 'text/plain' }).end('a line\n'.repeat(700)),
  });
  const { call } = reader();
  const read = async (selector = '') => (await call('read', { path: `${url}/page${selector}` })).text;
  await read();
  isAway = true;
  expect(await read(':fresh')).not.toContain('a line');
  const before = asked.length;
  expect(await read(':301..')).toContain('a line');
  expect(await read()).toContain('a line');
  expect(asked).toHaveLength(before);
  isAway = false;
  expect(await read(':fresh')).toContain('a line');
  expect(asked).toHaveLength(before + 1);
});
