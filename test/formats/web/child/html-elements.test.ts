/** Each element of HTML and XHTML that holds text, in a page and in a chapter of a book. */

import { expect, test } from 'vitest';
import { clean } from '../../../../src/formats/web/child/clean-tree.ts';
import { htmlToMarkdown } from '../../../../src/formats/web/child/html-markdown.ts';
import { parseHtml } from '../../../../src/formats/web/child/html-tree.ts';

/** Elements whose text is shown as it is. */
const PLAIN =
  'abbr address article aside audio bdi bdo cite data dfn div footer form header ins label main mark meter nav output progress search section small span time u var video'.split(
    ' ',
  );

/** Sources: HTML, 4.3 to 4.12, and MathML Core. */
const SHOWN: readonly (readonly [html: string, text: string])[] = [
  ...PLAIN.map((name) => [`<${name}>W</${name}>`, 'W'] as const),
  ['<a href="https://x.org/">W</a>', '[W](https://x.org/)'],
  ['<b>W</b>', '**W**'],
  ['<blockquote>W</blockquote>', '> W'],
  ['<table><caption>W</caption><tr><th>a</th><td>b</td></tr></table>', 'W\n\n| a | b |\n| --- | --- |'],
  ['<code>W</code>', '`W`'],
  ['<del>W</del>', '~~W~~'],
  ['<details><summary>W</summary>X</details>', 'W\n\nX'],
  ['<dl><dt>W</dt><dd>X</dd></dl>', '**W**\n\n: X'],
  ['<dialog open="">W</dialog>', 'W'],
  ['<em>W</em>', '*W*'],
  ['<fieldset><legend>W</legend>X</fieldset>', 'W\n\nX'],
  ['<figure>X<figcaption>W</figcaption></figure>', 'X\n\nW'],
  ['<h3>W</h3>', '### W'],
  ['<hgroup><h2>W</h2><p>X</p></hgroup>', '## W\n\nX'],
  ['<i>W</i>', '*W*'],
  ['<img src="https://x.org/a.png" alt="W"/>', '![W](https://x.org/a.png)'],
  ['<img src="a.png" alt="W"/>', 'W'],
  ['<iframe srcdoc="&lt;p>W &amp;lt; X&lt;/p>">Y</iframe>', 'W < X'],
  ['<div><iframe srcdoc="&lt;p>W&lt;/p>&lt;/div>&lt;/body>&lt;/html>"></iframe><p>X</p></div>', 'W\n\nX'],
  ['<p>W</p><iframe hidden srcdoc="&lt;/div>X"></iframe>', 'W'],
  ['<p>W</p><p hidden><iframe srcdoc="&lt;p>X"></iframe></p>', 'W'],
  ['<kbd>W</kbd>', '`W`'],
  ['<ol start="3"><li>W</li></ol>', '3. W'],
  ['<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>', '1/2'],
  ['<menu><li>W</li></menu>', '- W'],
  ['<picture><img src="https://x.org/a.png" alt="W"/></picture>', '![W](https://x.org/a.png)'],
  ['<pre>W\n  X</pre>', '```\nW\n  X\n```'],
  ['<q>W</q>', '“W”'],
  ['<ruby>W<rp>(</rp><rt>X</rt><rp>)</rp></ruby>', 'W(X)'],
  ['<s>W</s>', '~~W~~'],
  ['<samp>W</samp>', '`W`'],
  ['<strong>W</strong>', '**W**'],
  ['<p>x<sub>2</sub></p>', 'x2'],
  ['<p>x<sup>2</sup></p>', 'x^2'],
  [
    '<table><thead><tr><th>W</th></tr></thead><tbody><tr><td>X</td></tr></tbody><tfoot><tr><td>Y</td></tr></tfoot></table>',
    'W\n\nX\n\nY',
  ],
  ['<svg><text>W</text><foreignObject><p>X</p></foreignObject></svg>', 'W\n\nX'],
  ['<ul><li>W</li></ul>', '- W'],
  ['<p>W<wbr/>X</p>', 'WX'],
  ['<p>W<br/>X</p>', 'W\nX'],
  ['<hr/>', '---'],
];

/** Controls and what scripts fill, which are no text of a page, and content for browsers that cannot show an element. */
const LEFT_OUT: readonly string[] = [
  '<map><area alt="W" href="/x"/></map>',
  '<button>W</button>',
  '<canvas>W</canvas>',
  '<datalist><option>W</option></datalist>',
  '<dialog>W</dialog>',
  '<iframe src="/x">W</iframe>',
  '<input type="text" value="W"/>',
  '<input type="submit" value="W"/>',
  '<noscript>W</noscript>',
  '<object data="/x">W</object>',
  '<select><option>W</option></select>',
  '<script>W</script>',
  '<style>W</style>',
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
