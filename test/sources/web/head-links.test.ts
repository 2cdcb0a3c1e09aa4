/** What a page links to, found in linear time whatever the page is. */

import { expect, test } from 'vitest';
import { alternatesOf, linksOf, visibleLength } from '../../../src/sources/web/head-links.ts';
import { withoutLag } from '../../support/lag.ts';

const URL = 'https://example.com/a/';

test('alternates and links, absolute', () => {
  const html =
    `<link rel="stylesheet" href="x.css"><LINK REL='alternate' data-href=no type="text/markdown; x=1" href="b.md?a=1&amp;b=2">` +
    `<link rel=alternate type=application/rss+xml href=/feed><a href="#top">t</a><a class=x href='c#d'>c</a><area href=e>`;
  expect(alternatesOf(html, URL)).toEqual([
    { type: 'text/markdown', url: 'https://example.com/a/b.md?a=1&b=2' },
    { type: 'application/rss+xml', url: 'https://example.com/feed' },
  ]);
  expect(linksOf(html, URL)).toEqual(['https://example.com/a/', 'https://example.com/a/c']);
});

test.each([
  ['tags without an end', '<link '.repeat(50_000)],
  ['tags in tags', `${'<a '.repeat(600)}>`.repeat(140)],
  ['names without values', `<a ${'a'.repeat(1_990)}>`.repeat(130)],
  ['blanks', `<a a${' '.repeat(1_980)}>`.repeat(130)],
  ['quotes', `<link ${`a="b'`.repeat(390)}>`.repeat(130)],
  ['values', `<a ${'href=x '.repeat(280)}>`.repeat(130)],
  ['comments without an end', '<!--'.repeat(60_000)],
])('hostile: %s', async (_, html) => {
  await withoutLag(() => {
    alternatesOf(html, URL);
    linksOf(html, URL);
    visibleLength(html);
    return Promise.resolve();
  });
});
