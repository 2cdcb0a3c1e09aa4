/** Feeds: links resolved as each feed says, entries and their limits. */

import { describe, expect, test } from 'vitest';
import { feedText, jsonFeed } from '../../../../src/formats/web/child/feeds.ts';

const URL = 'http://site.example/blog/feed.xml';
const VERSION = 'https://jsonfeed.org/version/1.1';

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

test('links of an entry without a base use its URL', () => {
  const rss =
    '<rss version="2.0"><channel><title>F</title><item><title>E</title><link>/2026/post</link>' +
    '<description>&lt;a href="more"&gt;m&lt;/a&gt;</description></item></channel></rss>';
  expect(feedText(rss, URL)).toBe(
    '# F\n\n## E\n\nhttp://site.example/2026/post\n\n[m](http://site.example/2026/more)\n',
  );
});

describe('a feed is parsed only as far as shown', () => {
  const rss = (inside: string): string => `<rss version="2.0"><channel>${inside}</channel></rss>`;
  const MANY = 200_000;
  const entriesIn = (text: string | undefined): number => text?.match(/^## /gm)?.length ?? 0;

  test.each([
    ['RSS', rss(`<title>F</title>${'<item><title>E</title></item>'.repeat(MANY)}`)],
    ['RSS with nothing in its entries', rss(`<title>F</title>${'<item/>'.repeat(MANY)}`)],
    ['what its channel says behind its entries', rss(`${'<item/>'.repeat(MANY)}<title>F</title>`)],
    [
      'Atom',
      `<feed xmlns="http://www.w3.org/2005/Atom"><title>F</title>${'<entry><id>1</id></entry>'.repeat(MANY)}</feed>`,
    ],
    [
      'RDF, with a prefix',
      `<rdf:RDF xmlns:rdf="http://r"><channel><title>F</title></channel>${'<x:item></x:item>'.repeat(MANY)}</rdf:RDF>`,
    ],
  ])('%s: the first 1,000 of 200,000 entries, and their number', { tags: 'slow' }, (_, xml) => {
    const text = feedText(xml, URL);
    expect(text?.split('\n')[0]).toBe('# F');
    expect(entriesIn(text)).toBe(1_000);
    expect(text?.endsWith('\n\n(199000 more entries)\n')).toBe(true);
  });

  test.each([
    ['beside its entries', rss(`<title>F</title><item/>${'<a/>'.repeat(10 * MANY)}`), 1],
    ['in an entry', rss(`<title>F</title><item>${'<a/>'.repeat(10 * MANY)}</item>`), 1],
    ['before its entries', rss(`<title>F</title>${'<a/>'.repeat(10 * MANY)}<item/>`), 0],
  ])('two million elements %s', { tags: 'slow' }, (_, xml, shown) => {
    const text = feedText(xml, URL);
    expect(entriesIn(text)).toBe(shown);
    expect(text?.endsWith('(1 more entries)\n')).toBe(shown === 0);
  });

  test('tags in comments, CDATA and entries are not entries', () => {
    const item =
      '<item><title>E</title><x:item>a</x:item><!-- <item> --><description><![CDATA[<item>b]]></description></item>';
    const text = feedText(rss(`<title>F</title>${item.repeat(1_001)}`), URL);
    expect(text?.startsWith('# F\n\n## E\n\nb\n\n## E\n')).toBe(true);
    expect(text?.endsWith('\n\n(1 more entries)\n')).toBe(true);
  });

  test.each([
    ['<!--', 0],
    ['<![CDATA[', 0],
    ['<item', 0],
    ['<rss ', 0],
    ['<', 0],
    // One has begun.
    ['<item><!-- ', 1],
  ])('%s without an end', (piece, shown) => {
    const text = feedText(`<rss version="2.0"><channel>${piece.repeat(8e6 / piece.length)}`, URL);
    expect(entriesIn(text)).toBe(shown);
  });

  test('a long entry is converted only where it is shown', { tags: 'slow' }, () => {
    const html = `${'<p>Some <b>words</b>.</p>'.repeat(1_000)}${'<b>'.repeat(1_000_000)}`;
    const shown = `${'Some **words**.\n\n'.repeat(200).slice(0, 2_000)}… (longer)`;
    const item = `<item><title>E</title><description><![CDATA[${html}]]></description></item>`;
    expect(feedText(rss(`<title>F</title>${item}`), URL)).toBe(`# F\n\n## E\n\n${shown}\n`);
    const feed = { version: VERSION, title: 'F', items: [{ title: 'E', content_html: html }] };
    expect(jsonFeed(JSON.stringify(feed), URL)).toBe(`# F\n\n## E\n\n${shown}\n`);
  });
});

describe('escaped text is unescaped as often as it was escaped', () => {
  const CODE =
    '<p>Write <code>&lt;div&gt;</code>, a &amp;lt; b:</p><pre><code>&lt;ul&gt;\n  &lt;li&gt;\n&lt;/ul&gt;</code></pre>';
  const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const SHOWN = 'Write `<div>`, a &lt; b:\n\n```\n<ul>\n  <li>\n</ul>\n```';
  const rssOf = (element: string): string =>
    `<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>F</title><item><title>E</title>${element}</item></channel></rss>`;
  const atomOf = (element: string): string =>
    `<feed xmlns="http://www.w3.org/2005/Atom"><title>F</title><entry><title>E</title>${element}</entry></feed>`;

  test.each([
    ['CDATA', rssOf(`<description><![CDATA[${CODE}]]></description>`), SHOWN],
    ['escaped', rssOf(`<description>${escaped(CODE)}</description>`), SHOWN],
    [
      'content:encoded',
      rssOf(`<content:encoded><![CDATA[${CODE}]]></content:encoded><description>short</description>`),
      SHOWN,
    ],
    ['Atom, html', atomOf(`<content type="html">${escaped(CODE)}</content>`), SHOWN],
    [
      'Atom, xhtml',
      atomOf(`<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">${CODE}</div></content>`),
      SHOWN,
    ],
    [
      'Atom, text',
      atomOf('<summary>if a &lt;b&gt; then O(n &lt;log n&gt;)</summary>'),
      'if a <b> then O(n <log n>)',
    ],
  ])('%s', (_, xml, shown) => {
    expect(feedText(xml, URL)).toBe(`# F\n\n## E\n\n${shown}\n`);
  });
});

test('an entry shows files, a guid link, and the rest', () => {
  const long = 'word '.repeat(1_000);
  const item =
    '<item><title>E</title><guid>http://site.example/e</guid><enclosure url="e.mp3" type="audio/mpeg" length="1"/>' +
    `<description>${long}</description></item>`;
  const text = feedText(`<rss version="2.0"><channel><title>F</title>${item}</channel></rss>`, URL) as string;
  expect(text).toContain('\n\nhttp://site.example/e\n\n');
  expect(text).toContain('… (longer: http://site.example/e)');
  expect(text).toContain('Attached: http://site.example/blog/e.mp3 (audio/mpeg)');
  const json = {
    version: VERSION,
    items: [
      { title: 'E', content_text: 'all of it', summary: 'short', attachments: [{ url: 'http://x/a.mp3' }] },
    ],
  };
  const shown = jsonFeed(JSON.stringify(json), URL);
  expect(shown).toContain('all of it');
  expect(shown).toContain('Attached: http://x/a.mp3');
});

test('a page that only mentions feeds is not a feed', () => {
  expect(feedText('<rdf:RDF xmlns:rdf="x"><foaf/></rdf:RDF>', URL)).toBeUndefined();
  expect(
    jsonFeed(JSON.stringify({ x: { version: VERSION }, items: [1, 2], secret: 42 }), URL),
  ).toBeUndefined();
});

test('JSON feed: absolute attachments, addresses as links, descriptions truncated', () => {
  const items = [
    { id: 'http://site.example/1', title: 'One', attachments: [{ url: '/a.mp3', mime_type: 'audio/mpeg' }] },
    { id: 'urn:2', title: 'Two' },
  ];
  const shown = jsonFeed(
    JSON.stringify({ version: VERSION, title: 'F', description: 'd'.repeat(3_000), items }),
    URL,
  );
  expect(shown).toContain(`${'d'.repeat(2_000)}… (longer)\n\n## One\n`);
  expect(shown).toContain(
    '## One\n\nhttp://site.example/1\n\nAttached: http://site.example/a.mp3 (audio/mpeg)\n\n## Two\n',
  );
});

describe('a truncated feed', () => {
  const item = (i: number): string => `<item><title>T ${i}</title><link>http://h/${i}</link></item>`;
  const feed = (count: number): string =>
    `<?xml version="1.0"?><rss version="2.0"><channel><title>F</title>${Array.from({ length: count }, (_, i) => item(i)).join('')}`;

  test.each([
    '',
    '<item><tit',
    '<item><title>T</ti',
    '<item><',
    '<item a="b',
    '<!-- a <b',
    '<?a',
    '<item><description><![CDATA[a <b',
    '<item><description><![CDA',
  ])('before %j is still a feed', (rest) => {
    const few = feedText(feed(2) + rest, 'http://h/f');
    expect(few).toMatch(/^# F\n\n## T 0\n\n<?http:\/\/h\/0>?\n\n## T 1\n\n<?http:\/\/h\/1>?\n/);
    const many = feedText(feed(1_500) + rest, 'http://h/f');
    expect(many).toMatch(/## T 999\n\n<?http:\/\/h\/999>?\n\n\(50[01] more entries\)\n$/);
  });
});
