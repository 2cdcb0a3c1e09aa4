/** Pages of GitHub, read through a server that speaks its REST API. */

import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { github as githubSite } from '../../../src/formats/web/sites.ts';
import { place } from '../../support/dialect.ts';
import { makePng } from '../../support/images.ts';
import { article, type Page, paragraphs, site } from '../../support/web.ts';
import { zip } from '../../support/zip.ts';

afterEach(() => vi.unstubAllEnvs());

const json = (value: unknown): Page => ({ type: 'application/json', body: JSON.stringify(value) });

async function github(pages: Readonly<Record<string, Page>>) {
  const { url, asked } = await site(pages);
  vi.stubEnv('GITHUB_API_URL', url);
  vi.stubEnv('GITHUB_TOKEN', 'secret-token');
  const here = place('oriel', { web: { allow: ['127.0.0.1'] }, display: 'plain' });
  return {
    asked,
    read: async (path: string) => (await here.call('read', { path })).text,
    run: (path: string) => here.oriel.tool('read').run({ path }),
  };
}

test('an issue with comments; only the API gets the token', async () => {
  const heard: (string | undefined)[] = [];
  const { read, asked } = await github({
    '/repos/acme/widget/issues/7': (request: IncomingMessage, response) => {
      heard.push(request.headers.authorization);
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          title: 'It breaks',
          state: 'open',
          labels: [{ name: 'bug' }],
          body: 'Steps\r\n1. run',
          user: { login: 'ana' },
          created_at: '2026-05-01T10:00:00Z',
        }),
      );
    },
    '/repos/acme/widget/issues/7/comments?per_page=100': json([{ body: 'Same here', user: null }]),
  });
  const text = await read('https://github.com/acme/widget/issues/7');
  expect(text).toBe(
    'URL: https://github.com/acme/widget/issues/7\nContent-Type: application/json\nMethod: github\n\n---\n' +
      '# It breaks (#7)\n\nState: open · Author: ana · Created: 2026-05-01 · Labels: bug\n\nSteps\n1. run\n\n---\n\n**ghost**\n\nSame here\n',
  );
  expect(heard).toEqual(['Bearer secret-token']);
  const before = asked.length;
  await read('https://github.com/acme/widget/issues/7:1..2');
  expect(await read('issue://acme/widget/7')).toBe(text.slice(text.indexOf('# It breaks')));
  expect(asked).toHaveLength(before);
});

test('a pull request has its reviews, :fresh requests it again', async () => {
  const { read, asked } = await github({
    '/repos/acme/widget/pulls/8': json({ title: 'Mends it', state: 'open', user: { login: 'ana' } }),
    '/repos/acme/widget/issues/8/comments?per_page=100': json([]),
    '/repos/acme/widget/pulls/8/reviews?per_page=100': json([{ state: 'APPROVED', user: { login: 'bo' } }]),
    '/repos/acme/widget/pulls/8/comments?per_page=100': json([]),
  });
  expect(await read('https://github.com/acme/widget/pull/8')).toContain('**bo** approved\n');
  await read('https://www.github.com/acme/widget/pull/8:fresh');
  expect(asked.filter((path) => path.endsWith('/pulls/8'))).toHaveLength(2);
});

test('if the API refuses a thread, the header says why', async () => {
  const { read } = await github({
    '/repos/acme/widget/issues/9': { status: 403, headers: { 'x-ratelimit-remaining': '0' }, body: '{}' },
  });
  const text = await read('https://github.com/acme/widget/issues/9');
  expect(text).toContain('The rate limit of GitHub is reached (403)');
});

test('a repository shows metadata and README, a file its content', async () => {
  const { read } = await github({
    '/repos/acme/widget': json({ full_name: 'acme/widget', description: 'Widgets', default_branch: 'main' }),
    '/repos/acme/widget/readme': { type: 'text/plain', body: '# Widget\n' },
    '/repos/acme/widget/contents/src/a.ts?ref=main': { type: 'text/plain', body: 'export {};\n' },
    '/repos/acme/widget/contents/a%20b/c.ts?ref=v1.0%2Bbuild': { type: 'text/plain', body: 'tagged\n' },
  });
  expect(await read('https://github.com/acme/widget/blob/v1.0%2Bbuild/a%20b/c.ts')).toMatch(/---\ntagged\n$/);
  expect(await read('https://github.com/acme/widget')).toMatch(
    /---\n# acme\/widget\n\nWidgets\n\nDefault branch: main\n\n---\n\n# Widget\n$/,
  );
  expect(await read('https://github.com/acme/widget/blob/main/src/a.ts')).toMatch(/---\nexport {};\n$/);
});

test('a file that is no plain text keeps its kind', async () => {
  const type = 'application/vnd.github.raw+json; charset=utf-8';
  const mark = Buffer.from([0xff, 0xfe]);
  const files = {
    'a.png': makePng(2, 2),
    'a.zip': zip([{ name: 'inner.txt', content: 'inside\n' }]),
    'utf16.txt': Buffer.concat([mark, Buffer.from('wide words\n', 'utf16le')]),
    'a.bin': Buffer.from([1, 0, 2, 0, 3]),
  };
  const { read, run } = await github(
    Object.fromEntries(
      Object.entries(files).map(([name, body]) => [
        `/repos/acme/widget/contents/${name}?ref=main`,
        { type, body },
      ]),
    ),
  );
  const front = 'https://github.com/acme/widget/blob/main';
  const { content } = await run(`${front}/a.png`);
  expect(content.map((block) => block.type)).toEqual(['text', 'image']);
  expect(await read(`${front}/a.zip:inner.txt`)).toBe('inside\n');
  expect(await read(`${front}/utf16.txt`)).toMatch(/\nMethod: github\n\n---\nwide words\n$/);
  expect(await read(`${front}/a.bin`)).toMatch(/is binary/);
});

test.each([
  'https://github.com/foo/...git/blob/main/x',
  'https://github.com/foo/..git',
  'https://github.com/..%2f/x/blob/main/x',
])('a name with path segments is not a repository: %s', (url) => {
  expect(githubSite.page(new URL(url))).toBeUndefined();
});

describe('a GitHub Enterprise Server', () => {
  async function enterprise(api: Readonly<Record<string, Page>>) {
    const pages = await site({ '/acme/widget/issues/7': article('Its page', paragraphs(3)) });
    const { read, asked } = await github(api);
    vi.stubEnv('GITHUB_SERVER_URL', pages.url);
    return { asked, text: await read(`${pages.url}/acme/widget/issues/7`) };
  }

  test('its pages are read through its API', async () => {
    const { text } = await enterprise({
      '/repos/acme/widget/issues/7': json({ title: 'It breaks', number: 7, state: 'open' }),
      '/repos/acme/widget/issues/7/comments?per_page=100': json([]),
    });
    expect(text).toContain('Method: github\n');
    expect(text).toContain('# It breaks (#7)');
  });

  test('without an answer of its API, the page is used', { tags: 'slow' }, async () => {
    const { text } = await enterprise({ '/repos/acme/widget/issues/7': () => undefined });
    expect(text).toContain('Method: readability\n');
    expect(text).toMatch(/\nNotes: github: .*This is the page itself\n/);
  });
});
