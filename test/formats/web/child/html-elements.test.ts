/** Each element of HTML and XHTML that holds text, in a page and in a chapter of a book. */

import { expect, test } from 'vitest';
import { clean } from '../../../../src/formats/web/child/clean-tree.ts';
import { htmlToMarkdown } from '../../../../src/formats/web/child/html-markdown.ts';
import { parseHtml } from '../../../../src/formats/web/child/html-tree.ts';

/** Sources: HTML, 4.3 to 4.12, and MathML Core. */
const SHOWN: readonly (readonly [html: string, text: string])[] = [
  ['<a href="https://x.org/">W</a>', '[W](https://x.org/)'],
  ['<abbr title="long">W</abbr>', 'W'],
  ['<address>W</address>', 'W'],
  ['<article>W</article>', 'W'],
  ['<aside>W</aside>', 'W'],
  ['<audio controls="">W</audio>', 'W'],
  ['<b>W</b>', '**W**'],
  ['<bdi>W</bdi>', 'W'],
  ['<bdo dir="rtl">W</bdo>', 'W'],
  ['<blockquote>W</blockquote>', '> W'],
  ['<table><caption>W</caption><tr><th>a</th><td>b</td></tr></table>', 'W\n\n| a | b |\n| --- | --- |'],
  ['<cite>W</cite>', 'W'],
  ['<code>W</code>', '`W`'],
  ['<data value="1">W</data>', 'W'],
  ['<del>W</del>', '~~W~~'],
  ['<details><summary>W</summary>X</details>', 'W\n\nX'],
  ['<dfn>W</dfn>', 'W'],
  ['<div>W</div>', 'W'],
  ['<dl><dt>W</dt><dd>X</dd></dl>', '**W**\n\n: X'],
  ['<em>W</em>', '*W*'],
  ['<fieldset><legend>W</legend>X</fieldset>', 'W\n\nX'],
  ['<figure>X<figcaption>W</figcaption></figure>', 'X\n\nW'],
  ['<footer>W</footer>', 'W'],
  ['<form>W</form>', 'W'],
  ['<h3>W</h3>', '### W'],
  ['<header>W</header>', 'W'],
  ['<hgroup><h2>W</h2><p>X</p></hgroup>', '## W\n\nX'],
  ['<i>W</i>', '*W*'],
  ['<img src="https://x.org/a.png" alt="W"/>', '![W](https://x.org/a.png)'],
  ['<img src="a.png" alt="W"/>', 'W'],
  ['<ins>W</ins>', 'W'],
  ['<kbd>W</kbd>', '`W`'],
  ['<label>W</label>', 'W'],
  ['<ol start="3"><li>W</li></ol>', '3. W'],
  ['<main>W</main>', 'W'],
  ['<mark>W</mark>', 'W'],
  ['<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>', '1/2'],
  ['<menu><li>W</li></menu>', '- W'],
  ['<meter value="1">W</meter>', 'W'],
  ['<nav>W</nav>', 'W'],
  ['<output>W</output>', 'W'],
  ['<picture><img src="https://x.org/a.png" alt="W"/></picture>', '![W](https://x.org/a.png)'],
  ['<pre>W\n  X</pre>', '```\nW\n  X\n```'],
  ['<progress value="1">W</progress>', 'W'],
  ['<q>W</q>', '“W”'],
  ['<ruby>W<rp>(</rp><rt>X</rt><rp>)</rp></ruby>', 'W(X)'],
  ['<s>W</s>', '~~W~~'],
  ['<samp>W</samp>', '`W`'],
  ['<search>W</search>', 'W'],
  ['<section>W</section>', 'W'],
  ['<small>W</small>', 'W'],
  ['<span>W</span>', 'W'],
  ['<strong>W</strong>', '**W**'],
  ['<p>x<sub>2</sub></p>', 'x2'],
  ['<p>x<sup>2</sup></p>', 'x^2'],
  [
    '<table><thead><tr><th>W</th></tr></thead><tbody><tr><td>X</td></tr></tbody><tfoot><tr><td>Y</td></tr></tfoot></table>',
    'W\n\nX\n\nY',
  ],
  ['<time datetime="2024-03-15">W</time>', 'W'],
  ['<u>W</u>', 'W'],
  ['<ul><li>W</li></ul>', '- W'],
  ['<var>W</var>', 'W'],
  ['<video src="/v">W</video>', 'W'],
  ['<p>W<wbr/>X</p>', 'WX'],
  ['<p>W<br/>X</p>', 'W\nX'],
  ['<hr/>', '---'],
];

/**
 * Controls and what scripts fill, which are no text of a page; content for browsers that cannot show an element; and texts of
 * drawings.
 */
const LEFT_OUT: readonly string[] = [
  '<map><area alt="W" href="/x"/></map>',
  '<button>W</button>',
  '<canvas>W</canvas>',
  '<datalist><option>W</option></datalist>',
  '<dialog open="">W</dialog>',
  '<iframe src="/x">W</iframe>',
  '<input type="text" value="W"/>',
  '<input type="submit" value="W"/>',
  '<noscript>W</noscript>',
  '<object data="/x">W</object>',
  '<select><option>W</option></select>',
  '<script>W</script>',
  '<style>W</style>',
  '<svg><text>W</text></svg>',
  '<svg><title>W</title></svg>',
  '<template>W</template>',
  '<textarea>W</textarea>',
];

function shownOf(html: string, asXml: boolean): string {
  const { root } = parseHtml(`<html><body><p>before</p>${html}<p>after</p></body></html>`, { asXml });
  clean(root);
  return htmlToMarkdown(root, 'about:blank')
    .trim()
    .replace(/^before\s*|\s*after$/g, '');
}

test.each([
  ['a page', false],
  ['a chapter', true],
])('elements with text are shown or left out in %s', (_, asXml) => {
  const rows = [...SHOWN, ...LEFT_OUT.map((html) => [html, ''] as const)];
  expect(rows.map(([html]) => [html, shownOf(html, asXml)])).toEqual(rows);
});
