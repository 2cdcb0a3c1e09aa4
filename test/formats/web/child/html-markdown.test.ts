import { expect, test } from 'vitest';
import { htmlToMarkdown } from '../../../../src/formats/web/child/html-markdown.ts';
import { parseHtml } from '../../../../src/formats/web/child/html-tree.ts';

const markdown = (html: string): string =>
  htmlToMarkdown(parseHtml(html).root, 'http://x.example/').trimEnd();

test('a cell that spans rows keeps its column from others', () => {
  const head = '<tr><th>Group<th>Name<th>Size';
  expect(markdown(`<table>${head}<tr><td rowspan=2>A<td>one<td>1<tr><td>two<td>2</table>`)).toBe(
    ['| Group | Name | Size |', '| --- | --- | --- |', '| A | one | 1 |', '|  | two | 2 |'].join('\n'),
  );
  expect(
    markdown(
      `<table>${head}<tr><td>B<td rowspan=3 colspan=2>all<tr><td>C<tr><td>D<tr><td>E<td>5<td>6</table>`,
    ),
  ).toMatch(/\| B \| all \| {2}\|\n\| C \| {2}\| {2}\|\n\| D \| {2}\| {2}\|\n\| E \| 5 \| 6 \|$/);
});

test.each([
  ['to the end of the table', '0', 3],
  ['more rows than a table has', '65534', 3],
  ['what is no number', 'x', 0],
])('rowspan: %s', (_, rowspan, below) => {
  const rows = markdown(
    `<table><tr><td rowspan=${rowspan}>A<td>1${'<tr><td>b<td>c'.repeat(3)}</table>`,
  ).split('\n');
  expect(rows.filter((row) => row.startsWith('|  | b'))).toHaveLength(below);
});

test('cells that span very many rows and columns are bounded', () => {
  const wide = `<tr>${'<td colspan=1000 rowspan=65534>x'.repeat(300)}`;
  const text = markdown(`<table>${wide}${'<tr><td>y<td>z'.repeat(5_000)}</table>`);
  expect(text).toContain('| y | z |');
  expect(text.length).toBeLessThan(1e6);
});

test.each([
  ['a table of one column', '<table><caption> </caption><tr><td>a<tr><td> <tr><td>b</table>', 'a\n\nb'],
  ['a power', '10<sup>6</sup> rows', '10^6 rows'],
  ['a negative one', '10<sup>−3</sup>', '10^−3'],
  ['one of several terms', 'e<sup>a + b</sup>', 'e^(a + b)'],
  ['a base', '1010<sub>2</sub>', '1010_2'],
  ['a formula of chemistry', 'H<sub>2</sub>O', 'H2O'],
  ['an ordinal', '21<sup>st</sup> century', '21st century'],
  ['a sign of trade', 'Oriel<sup>TM</sup>', 'OrielTM'],
  ['a note', 'said<sup><a href="#n">[1]</a></sup>', 'said[1]'],
  ['nothing', 'x<sup> </sup>y', 'x y'],
])('superscript and subscript do not change a number: %s', (_, html, text) => {
  expect(markdown(`<p>${html}</p>`)).toBe(text);
});

test.each([
  ['an element of the page itself', '<devsite-code><pre>a\n  b</pre></devsite-code>', '```\na\n  b\n```'],
  ['several of them', '<app-root><app-page><h2>T</h2><p>x</p></app-page></app-root>', '## T\n\nx'],
  ['ins', '<ins><h2>New</h2><ul><li>a</ul></ins>', '## New\n\n- a'],
  ['a label of words', '<p>a <label>b</label> <x-y>c</x-y></p>', 'a b c'],
])('an element around blocks is a block: %s', (_, html, shown) => {
  expect(markdown(html)).toBe(shown);
});

test.each([
  ['a value', '<ol><li value=5>five<li>six</ol>', '5. five\n6. six'],
  ['counted down', '<ol reversed><li>a<li>b<li>c</ol>', '3. a\n2. b\n1. c'],
  ['a start', '<ol start="7"><li>a<li>b</ol>', '7. a\n8. b'],
])('list items keep their numbers: %s', (_, html, shown) => {
  expect(markdown(html)).toBe(shown);
});

test.each([
  ['a card', '<a href="/p"><h3>Post</h3><p>Teaser</p></a>', '### [Post](http://x.example/p)\n\nTeaser'],
  ['a tile', '<a href="/p"><div>Post</div><div>more</div></a>', '[Post](http://x.example/p)\n\nmore'],
  ['a list', '<a href="/p"><ul><li>a</ul></a>', '- a\n\n<http://x.example/p>'],
  ['a place in the page', '<a href="#p"><h3>Post</h3></a>', '### Post'],
])('a link around blocks keeps its URL: %s', (_, html, shown) => {
  expect(markdown(html)).toBe(shown);
});

test.each([
  ['lines of code', '<code>first();<br>second();</code>', '`first(); second();`'],
  ['a reading', '<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>', '漢(かん)字(じ)'],
])('words stay separate: %s', (_, html, shown) => {
  expect(markdown(html)).toBe(shown);
});

test.each([
  [
    'a form around cells',
    '<table><tr><th>A<th>B<tr><form><td>one<td>two</form></tr></table>',
    '| A | B |\n| --- | --- |\n| one | two |',
  ],
  [
    'cells without a row',
    '<table><tbody><td>alpha<td>beta<tr><td>1<td>2</table>',
    '| alpha | beta |\n| --- | --- |\n| 1 | 2 |',
  ],
  [
    'a head that is higher than its group',
    '<table><thead><tr><th rowspan=2>N<th>Q</thead><tbody><tr><td>ann<td>1</table>',
    '| N | Q |\n| --- | --- |\n| ann | 1 |',
  ],
  ['one row with a header', '<table><tr><th>a<td>b</table>', '| a | b |\n| --- | --- |'],
])('a table keeps its cells: %s', (_, html, shown) => {
  expect(markdown(html)).toBe(shown);
});

test.each([
  ['<strong><b>x</b></strong>', '**x**'],
  ['<i>a <em>b</em> c</i>', '*a b c*'],
  ['<b>a <i>b <b>c</b></i></b> <b>d</b>', '**a *b c*** **d**'],
  ['<del><s>x</s></del>', '~~x~~'],
  ['<b>Hel</b><strong>lo</strong><b> you</b> <b>there</b>', '**Hello you** **there**'],
  ['<i>a</i><b>b</b>', '*a***b**'],
  ['<dl><dt><b>T</b></dt><dd><b>D</b></dd></dl>', '**T**\n\n: **D**'],
])('nested and adjacent marks do not close each other: %s', (html, text) => {
  expect(markdown(html)).toBe(text);
});

test('optional word breaks go, narrow spaces widen, except in code', () => {
  const hidden = 'Inter\u00adnet\u200brecht 10\u2009000\u2060\ufeff km';
  expect(markdown(`<p>${hidden}</p>`)).toBe('Internetrecht 10 000 km');
  expect(markdown(`<table><tr><th>a<th>b<tr><td>c<td>${hidden}</table>`)).toContain(
    '| c | Internetrecht 10 000 km |',
  );
  expect(markdown('<p><code>a\u00adb\u200bc</code></p>')).toBe('`a\u00adb\u200bc`');
  expect(markdown(`<pre>${hidden}</pre>`)).toBe(`\`\`\`\n${hidden}\n\`\`\``);
});

test.each([
  ['<h1>a<br>b</h1><h6>c</h6><h2> </h2>', '# a b\n\n###### c'],
  ['<ul><li>a<ul><li>b</ul><li>c</ul>', '- a\n  - b\n- c'],
  ['<ol><li><p>a</p><p>b</p></ol>', '1. a\n\n   b'],
  ['<ul><li></ul>', ''],
  ['<blockquote><p>a</p><p>b</p></blockquote>', '> a\n>\n> b'],
  ['<pre><code class="language-js">let a;\n</code></pre>', '```\nlet a;\n```'],
  ['<pre>a\n```\nb</pre>', '````\na\n```\nb\n````'],
  ['<p><code>a`b</code> <code> </code><code>c</code>', '`` a`b `` `c`'],
  ['<p><b>a</b> <i>b</i> <del>c</del> <em><strong>d</strong></em>', '**a** *b* ~~c~~ ***d***'],
  ['<p><b> a </b>b', '**a** b'],
  ['<a href="/p?q=1 2">t</a>', '[t](http://x.example/p?q=1%202)'],
  ['<a href="javascript:x">t</a>', 't'],
  ['<a href="/x"></a>', ''],
  ['<img src="i.png">', '![](http://x.example/i.png)'],
  ['<a href="/x"><img src="i.png" alt="A"></a>', '[![A](http://x.example/i.png)](http://x.example/x)'],
  ['<table><tr><td>a|b<td>c<br>d</table>', 'a|b\n\nc\nd'],
  [
    '<table><caption>C</caption><thead><tr><th>a<tbody><tr><td><ul><li>x<li>y</ul></table>',
    'C\n\na\n\n- x\n- y',
  ],
  ['<table><tr><td><table><tr><td>in</table></table>', 'in'],
  ['<p>a * b _c_ [d] <e> # f `g` \\ h', 'a * b _c_ [d] # f `g` \\ h'],
  ['<p># a</p><p>- b</p><p>1. c</p><p>+ d</p><p>> e</p>', '\\# a\n\n\\- b\n\n1\\. c\n\n\\+ d\n\n\\> e'],
  ['<p>a&amp;b &lt;c&gt; &nbsp;d &eacute; &#233; &#x1F600; &bogus; &#0;', 'a&b <c>  d é é 😀 &bogus; �'],
  ['<p>a<!-- c -->b<!doctype x>', 'ab'],
  ['<input type=checkbox checked> a <input type=checkbox> b <input value=v>', '[x] a [ ] b [ ]'],
  ['<p>a</div>b</p>c', 'ab\n\nc'],
  ['<p>a<span title=">">b</span', 'ab'],
  ['<div><p>a<div>b</div></p></div>', 'a\n\nb'],
  ['<ul><li>a<p>b<li>c</ul>', '- a\n\n  b\n- c'],
  ['<br>a<br><br>b<br>', 'a\n\nb'],
  ['<a name=x>t</a>', 't'],
  ['<p>a\n  b	 c</p>', 'a b c'],
  ['<pre>\n\na\n\n</pre>', '```\n\na\n```'],
  ['<a href="HTTP://X.example/">http://X.example/</a>', '[http://X.example/](http://x.example/)'],
  ['<center>a</center><font>b</font>', 'a\n\nb'],
  ['<p>x<sub>i+1</sub><sup>2</sup>', 'xi+1^2'],
  ['<td>a</td>b', 'a\n\nb'],
  ['<b>a<p>b</b>c</p>', 'a\n\nb\n\nc'],
  ['<title>t</title>a', 'a'],
])('%s', (html, shown) => {
  expect(markdown(html)).toBe(shown);
});
