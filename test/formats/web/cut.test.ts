/** Truncated bodies: every answer about them says so, whichever way the text was read. */

import { describe, expect, test, vi } from 'vitest';
import { place } from '../../support/dialect.ts';
import { tar } from '../../support/tar.ts';
import { article, type Page, paragraphs, site } from '../../support/web.ts';
import { zip } from '../../support/zip.ts';

const SAID = '[Only the first 8 MiB of the body were read: it is longer]';
const LINES = 'A line of the text, as long as others.\n';
const LONG = `# Long\n${LINES.repeat(Math.ceil((9 << 20) / LINES.length))}`;

const plain = (body: string, type = 'text/plain'): Page => ({ type, body });
const ENTRIES = `<item><title>One</title><description>${LINES.repeat(100)}</description></item>`.repeat(
  2_400,
);
/** One reader, which fetches and converts a page once. */
const reader = () => {
  const here = place('oriel', { web: { allow: ['127.0.0.1'] }, display: 'plain' });
  return (path: string) => here.call('read', { path });
};

describe('a truncated body', () => {
  test.each<[string, string, Readonly<Record<string, Page>>, string]>([
    ['as text', '/big.txt', { '/big.txt': plain(LONG) }, 'text'],
    ['as it came', '/big.txt:raw', { '/big.txt': plain(LONG) }, 'raw'],
    ['as Markdown beside its page', '/p', { '/p': article('P', 'p'), '/p.md': plain(LONG) }, 'md-suffix'],
    [
      'as Markdown that its page links to',
      '/p',
      {
        '/p': article('P', 'p', '<link rel="alternate" type="text/markdown" href="/long">'),
        '/long': plain(LONG, 'text/markdown'),
      },
      'alternate-markdown',
    ],
    [
      'as JSON',
      '/big.json',
      { '/big.json': plain(`[${'"word",'.repeat(1_400_000)}0]`, 'application/json') },
      'json',
    ],
    [
      'as a page',
      '/p',
      { '/p': article('P', `${paragraphs(100)}<script type="application/json">${LONG}</script>`) },
      '',
    ],
    [
      'as a feed',
      '/f',
      { '/f': plain(`<rss version="2.0"><channel><title>F</title>${ENTRIES}`, 'application/rss+xml') },
      'feed',
    ],
  ])('%s', { tags: 'slow' }, async (_, path, pages, method) => {
    const { url } = await site(pages);
    const read = reader();
    for (const selector of ['', ':2..3', ':-2']) {
      const { text, details } = await read(`${url}${path}${selector}`);
      expect(text).toContain(SAID);
      expect(text).not.toContain('All of it is kept');
      if (method !== '') expect(details['meta']).toMatchObject({ method });
    }
  });

  test('as a file of GitHub', async () => {
    const { url } = await site({ '/repos/a/b/contents/big.txt?ref=main': plain(LONG) });
    vi.stubEnv('GITHUB_API_URL', url);
    const { text, details } = await reader()('https://github.com/a/b/blob/main/big.txt:-2');
    vi.unstubAllEnvs();
    expect(details['meta']).toMatchObject({ method: 'github' });
    expect(text).toContain(SAID);
  });

  test('as an archive', { tags: 'slow' }, async () => {
    const large = { name: 'large.txt', content: Buffer.alloc(65 << 20, 'x\n') };
    const { url } = await site({
      '/a.tar': { type: 'application/x-tar', body: tar([{ name: 'small.txt', content: 'small\n' }, large]) },
      '/a.zip': { type: 'application/zip', body: zip([{ ...large, method: 0 }]) },
    });
    const read = reader();
    const said = 'Only the first 64 MiB of the body were read: it is longer';
    expect((await read(`${url}/a.tar`)).text).toContain(`[${said}]`);
    expect((await read(`${url}/a.tar:small.txt`)).text).toBe(`small\n[${said}]`);
    const { text, isError } = await read(`${url}/a.zip`);
    expect(isError).toBe(true);
    expect(text).toContain(`: the file may be cut short. ${said}. Use `);
  });

  test('a complete one has no notice', async () => {
    const { url } = await site({ '/small.txt': plain(LINES) });
    const read = reader();
    for (const selector of ['', ':raw', ':1..1']) {
      expect((await read(`${url}/small.txt${selector}`)).text).not.toContain('[');
    }
  });
});

test(':raw reports replaced invalid bytes, and a guessed encoding', async () => {
  const invalid = Buffer.concat([Buffer.alloc(500, 'x'), Buffer.from([0xff])]);
  const cyrillic = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2, 0x2c, 0x20, 0xec, 0xe8, 0xf0, 0x0a]);
  const { url } = await site({
    '/invalid': { type: 'text/plain; charset=utf-8', body: invalid },
    '/guess': { type: 'text/plain', body: Buffer.concat(Array.from({ length: 40 }, () => cyrillic)) },
  });
  const read = reader();
  expect((await read(`${url}/invalid:raw`)).text).toContain('[1 invalid sequence of UTF-8 shown as U+FFFD]');
  expect((await read(`${url}/guess:raw`)).text).toMatch(
    /\[the encoding \S+ was guessed; :encoding=NAME behind the URL decides\]/,
  );
});
