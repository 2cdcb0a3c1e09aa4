/** Links of a page, found in linear time for any page. */

import { expect, test } from 'vitest';
import { alternatesOf, linksOf, parseStart, visibleLength } from '../../../src/formats/web/steps.ts';
import { withoutLag } from '../../support/lag.ts';

const URL = 'https://example.com/a/';

test('alternates and links, absolute', () => {
  const html =
    `<link rel="stylesheet" href="x.css"><LINK REL='alternate' data-href=no type="text/markdown; x=1" href="b.md?a=1&amp;b=2">` +
    `<link rel=alternate type=application/rss+xml href=/feed><a href="#top">t</a><a class=x href='c#d'>c</a><area href=e>`;
  expect(alternatesOf(parseStart(html), URL)).toEqual([
    { type: 'text/markdown', url: 'https://example.com/a/b.md?a=1&b=2' },
    { type: 'application/rss+xml', url: 'https://example.com/feed' },
  ]);
  expect(linksOf(parseStart(html), URL)).toEqual(['https://example.com/a/', 'https://example.com/a/c']);
});

test.each([
  ['a comment', '<!-- LINK -->'],
  ['a script', '<script>const a = `LINK`;</script>'],
  ['a field of text', '<textarea>LINK</textarea>'],
  ['a template', '<template>LINK</template>'],
  ['the title', '<title>LINK</title>'],
])('markup that looks like a link in %s is ignored', (_, around) => {
  const link = '<base href="/b/"><link rel=alternate type=text/markdown href=old.md><a href=old>old</a>';
  const html = `${around.replace('LINK', link)}<link rel=alternate type=text/markdown href=new.md><a href=new>n</a>`;
  expect(alternatesOf(parseStart(html), URL).map(({ url }) => url)).toEqual(['https://example.com/a/new.md']);
  expect(linksOf(parseStart(html), URL)).toEqual(['https://example.com/a/new']);
});

test('only the language of the page is an alternate', () => {
  const html = `<html lang="en-GB"><link rel=alternate type=text/markdown hreflang=fr href=fr.md><link rel=alternate type=text/markdown hreflang=en href=en.md><link rel=alternate type=text/markdown hreflang=x-default href=x.md>`;
  expect(alternatesOf(parseStart(html), URL).map(({ url }) => url)).toEqual([
    'https://example.com/a/en.md',
    'https://example.com/a/x.md',
  ]);
});

test.each([
  ['tags without an end', '<link '.repeat(50_000)],
  ['tags in tags', `${'<a '.repeat(600)}>`.repeat(140)],
  ['names without values', `<a ${'a'.repeat(1_990)}>`.repeat(130)],
  ['blanks', `<a a${' '.repeat(1_980)}>`.repeat(130)],
  ['quotes', `<link ${`a="b'`.repeat(390)}>`.repeat(130)],
  ['values', `<a ${'href=x '.repeat(280)}>`.repeat(130)],
  ['comments without an end', '<!--'.repeat(60_000)],
  ['comments', '<!---->'.repeat(37_000)],
  ['scripts', '<script></script>'.repeat(15_000)],
  ['titles in a title', `<title>${'</titl'.repeat(40_000)}`],
])('hostile: %s', async (_, html) => {
  await withoutLag(() => {
    alternatesOf(parseStart(html), URL);
    linksOf(parseStart(html), URL);
    visibleLength(parseStart(html));
    return Promise.resolve();
  });
});
