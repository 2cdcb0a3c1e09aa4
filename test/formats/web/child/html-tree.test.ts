import { expect, test } from 'vitest';
import { extractPage } from '../../../../src/formats/web/child/extract.ts';
import { htmlToMarkdown } from '../../../../src/formats/web/child/html-markdown.ts';
import {
  type HtmlElement,
  parseHtml,
  elementText,
  walkHtml,
} from '../../../../src/formats/web/child/html-tree.ts';

test.each([
  ['signs that begin no tag', '<'.repeat(5_000), '<'.repeat(5_000)],
  ['comments between words', 'word<!-- > -->'.repeat(5_000), 'word'.repeat(5_000)],
  ['entities', '&lt;'.repeat(5_000), '<'.repeat(5_000)],
  ['marked text', 'a<![CDATA[<b>1 > 2]]>b<!DOCTYPE x>c<?pi x?>d<![CDATA[e', 'a<b>1 > 2bcde'],
  ['a tag that has only begun', 'a < b <3 </ <', 'a < b <3 </ '],
])('adjacent pieces of text are one node: %s', (_, html, text) => {
  // Where a page is cut, what has only begun is no text.
  const expected = html.endsWith('<') && text.endsWith('<') ? text.slice(0, -1) : text;
  expect(parseHtml(html).root.children).toEqual([expected]);
});

test('elements nested too deep become separate words', () => {
  const { root } = parseHtml(`${'<b>'.repeat(300)}one${'<b>'.repeat(3)}two<b></b><b></b>three`);
  expect(elementText(root)).toMatch(/^ one two three$/);
});

test('of too many elements the first remain, and all text', { tags: 'slow' }, () => {
  const { root } = parseHtml('<i>x</i>'.repeat(260_000));
  let kept = 0;
  for (const _ of walkHtml(root)) kept += 1;
  expect(kept).toBe(250_000);
  expect(elementText(root).replaceAll(' ', '')).toBe('x'.repeat(260_000));
});

test.each([
  ['elements', '<p>a word</p>'.repeat(20_001)],
  ['cells', `<table>${'<tr><td>a<td>b'.repeat(10_001)}</table>`],
  ['entities', `<p>${'a < b '.repeat(60_001)}</p>`],
])('too many %s for a library: converts the whole page', (_, html) => {
  expect(extractPage(`<body>${html}</body>`, 'http://x.example/').how).toBe('page');
});

test('a page too large for one library uses the other', () => {
  const page = (blocks: number): string =>
    `<body><nav>${'<div>x</div>'.repeat(blocks)}</nav><article>${'<p>Some words, and more of them here.</p>'.repeat(40)}</article>`;
  expect(extractPage(page(10), 'http://x.example/').how).toBe('readability');
  expect(extractPage(page(5_000), 'http://x.example/').how).toBe('readability');
});

test('nested inline elements are visited a bounded number of times', () => {
  let looks = 0;
  const leaf = (): HtmlElement => ({
    name: 'b',
    attributes: {},
    get children() {
      looks += 1;
      return ['x'];
    },
  });
  let inner: HtmlElement = { name: 'span', attributes: {}, children: Array.from({ length: 500 }, leaf) };
  for (let i = 0; i < 150; i += 1) inner = { name: 'span', attributes: {}, children: [inner] };
  htmlToMarkdown({ name: 'body', attributes: {}, children: [inner] }, 'http://x.example/');
  expect(looks).toBeLessThan(500 * 5);
});

test.each([
  ['an attribute as HTML reads it', '<a href="/x?a=1&currency=USD&copy=1&amp;region=eu">l</a>'],
  ['an attribute that is escaped', '<a href="/x?a=1&amp;currency=USD&amp;copy=1&amp;region=eu">l</a>'],
])('%s: its references are resolved once', (_, html) => {
  expect(htmlToMarkdown(parseHtml(html).root, 'http://h/')).toBe(
    '[l](http://h/x?a=1&currency=USD&copy=1&region=eu)\n',
  );
});

test('links from the libraries resolve as on the page', () => {
  const link =
    '<a href="/x?a=1&amp;currency=USD&amp;section=2"><img src="a.png" alt="&amp;lt;alt&amp;gt;"> here</a>';
  const { how, markdown } = extractPage(
    `<body><article><h1>T</h1>${`<p>${'A sentence, with words. '.repeat(20)}${link}</p>`.repeat(4)}</article>`,
    'http://h/',
  );
  expect(how).toBe('readability');
  expect(markdown).toContain('[![&lt;alt&gt;](http://h/a.png) here](http://h/x?a=1&currency=USD&section=2)');
});

test.each([
  ['svg', '<svg viewBox="0 0 1 1"/><p>after</p>', {}],
  ['a script of XHTML', '<script src="a.js"/><p>after</p>', { asXml: true }],
  ['a title of XHTML', '<title/><p>after</p>', { asXml: true }],
  ['a div of XHTML', '<div/><p>after</p>', { asXml: true }],
  ['an empty comment', '<!--><p>after</p><!-- x -->', {}],
  ['another one', '<!---><p>after</p>', {}],
  ['a comment that ends in a wrong way', '<!-- x --!><p>after</p><!-- y -->', {}],
])('nothing is lost after a self-closing tag: %s', (_, html, written) => {
  expect(elementText(parseHtml(html, written).root)).toBe('after');
});
