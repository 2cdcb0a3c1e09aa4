/** Links of feeds, resolved as each feed says. */

import { describe, expect, test } from 'vitest';
import { feedText } from '../../../../src/sources/web/child/feed.ts';

const URL = 'http://site.example/blog/feed.xml';

const atom = (root: string, entry: string, link = 'post'): string =>
  `<feed xmlns="http://www.w3.org/2005/Atom"${root}><title>F</title><entry${entry}><title>E</title>` +
  `<link href="${link}"/><content type="html">&lt;a href="more"&gt;m&lt;/a&gt;</content></entry></feed>`;

describe('xml:base', () => {
  test.each([
    ['none', '', '', 'http://site.example/blog/post', 'http://site.example/blog/more'],
    ['absolute', ' xml:base="http://o.example/a/"', '', 'http://o.example/a/post', 'http://o.example/a/more'],
    [
      'relative',
      " xml:base='/news/?a=1&amp;b=2'",
      '',
      'http://site.example/news/post',
      'http://site.example/news/more',
    ],
    [
      'of an entry, relative to that of the feed',
      ' xml:base="http://o.example/a/"',
      ' xml:base="2026/"',
      'http://o.example/a/2026/post',
      'http://o.example/a/2026/more',
    ],
    ['of an entry alone', '', ' xml:base="/x/"', 'http://site.example/x/post', 'http://site.example/x/more'],
  ])('%s', (_, root, entry, link, inside) => {
    expect(feedText(atom(root, entry), URL)).toBe(`# F\n\n## E\n\n${link}\n\n[m](${inside})\n`);
  });
});

test('links in the text of an entry begin at its own URL where the feed names no base', () => {
  const rss =
    '<rss version="2.0"><channel><title>F</title><item><title>E</title><link>/2026/post</link>' +
    '<description>&lt;a href="more"&gt;m&lt;/a&gt;</description></item></channel></rss>';
  expect(feedText(rss, URL)).toBe(
    '# F\n\n## E\n\nhttp://site.example/2026/post\n\n[m](http://site.example/2026/more)\n',
  );
});
