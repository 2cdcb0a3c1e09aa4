/** A page and feeds with many kinds of elements, and with one of their tags changed: the texts are on record; `vitest -u` writes them. */

import { test } from 'vitest';
import { answer } from '../../../../src/formats/web/page-realm.ts';
import { changedLines, expectAsRecorded, withChange } from '../../../support/recorded.ts';

const said = (about: string): string =>
  `<p>This paragraph says in a sentence or two, with commas and a full stop, what the section about ${about} is for.</p>`;

const PAGE = `<!doctype html><html lang=en><head><title>All of it — Site</title><base href="/docs/">
<meta name=description content="What it is"><meta property="og:title" content="All of it"><meta name=author content="Ada">
<link rel=canonical href="https://x.org/docs/all"><link rel=next href=two.html><link rel=alternate type="application/rss+xml" href=/feed>
<script type="application/ld+json">{"@type":"Article","headline":"All of it","datePublished":"2026-01-02"}</script><style>p{}</style></head>
<body class=page><header><nav><ul><li><a href=/>Home</a><li><a href=/a>About</a></ul></nav></header><aside class=sidebar><a href=/s>Side</a></aside>
<main><article><h1 id=top>All of it</h1>${said('all')}${said('more')}<h2 id=lists>Lists <a class=anchor href=#lists>¶</a></h2>
<ul><li>one<ul><li>inner <b>bold</b> and <i>italic</i><li>second<ol start=3><li>three<li>four</ol></ul><li><p>two</p><p>paragraphs</p><li><input type=checkbox checked> done</ul>
<ol reversed><li value=7>seven<li>six</ol><dl><dt>Term<dd>Meaning<dt>Other<dd>First<dd>Second</dl>${said('lists')}<h2>Tables</h2>
<table><caption>Prices</caption><thead><tr><th>Name<th align=right>Price<th>Notes</thead><tbody><tr><td rowspan=2>Tea<td>1 | 2<td>a<br>b<tr><td colspan=2>wide</tbody><tfoot><tr><td>Sum<td>3<td></tfoot></table>
<table><tr><td><table><tr><td>nested<td>cells</table><td><p>one</p><ul><li>item</ul></table>${said('tables')}<h3>Code</h3>
<pre><code class="language-js highlight">const a = \`x\`;\n\n  if (a &lt; b) {\n\treturn "\`\`\`";\n  }\n</code></pre><pre class=plain>  kept   blanks\n</pre>
<p>Call <code>run(\`a\`)</code>, press <kbd>Ctrl</kbd>+<kbd>C</kbd>, see <samp>out</samp> and <var>x</var><sup>2</sup> + H<sub>2</sub>O, <del>old</del><ins>new</ins> <mark>marked</mark> <q>quoted</q> <abbr title="As Soon">AS</abbr> <small>small</small> <s>gone</s>.</p>
<blockquote cite=/q><p>Quoted <em>words</em>.</p><blockquote>Deeper</blockquote><footer>— Ada</footer></blockquote>
<figure><img src=pic.png alt="A picture | of it" srcset="big.png 2x" title="T"><figcaption>Figure 1: a caption.</figcaption></figure>
<picture><source srcset=p.webp><img src=p.png></picture><img src="data:image/png;base64,AAAA" alt=inline><img data-src=lazy.jpg alt=lazy width=1>
<p><a href="other.html#x">relative</a>, <a href="https://y.org/a_b_(c)">far [away]</a>, <a href="javascript:void(0)">script</a>, <a href=mailto:a@b.c>mail</a>, <a href=#top>up</a>, <a name=here></a><a href=/empty></a> *not bold* _x_ # 1. \\ &lt;tag&gt; &amp; &nbsp;&copy; 5&thinsp;%<br>new line<wbr>here</p>
<hr><details><summary>More</summary>${said('details')}</details><p hidden>hidden words</p><p style="display:none">not shown</p><p aria-hidden=true>unheard</p><div class=ad>Buy now</div>
<math><mi>x</mi><mo>=</mo><mfrac><mrow><mn>1</mn></mrow><mi>y</mi></mfrac><msqrt><mn>2</mn></msqrt><msubsup><mi>a</mi><mn>1</mn><mn>2</mn></msubsup></math>
<span class=katex><annotation encoding="application/x-tex">\\frac{a}{b}</annotation></span><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>
<video src=v.mp4 controls>no video</video><audio><source src=a.mp3></audio><iframe src="https://www.youtube.com/embed/abc" title=Film></iframe><object data=o.pdf>an object</object><svg><title>Drawing</title><text>in svg</text></svg><canvas>drawn</canvas>
<form><label>Name <input name=n value=v></label><select><option selected>A<option>B</select><textarea>t</textarea><button>Send</button></form>
<p>A note.<sup id=r1><a href=#f1>1</a></sup></p><section class=footnotes><ol><li id=f1>The note. <a href=#r1>↩</a></ol></section><template><p>never</p></template><noscript><p>without scripts</p></noscript><my-part>custom <slot>slot</slot></my-part>
${said('the end')}<address>Ada, <time datetime=2026-01-02>2 January</time></address></article></main><footer>© Site</footer><script>var x = "<p>no</p>";</script></body></html>`;

const RSS = `<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>News &amp; more</title><link>https://x.org/</link><description>What is new</description><lastBuildDate>Fri, 02 Jan 2026 03:04:05 GMT</lastBuildDate>
<item><title><![CDATA[One <b>bold</b>]]></title><link>/one</link><pubDate>Fri, 02 Jan 2026 03:04:05 GMT</pubDate><dc:creator>Ada</dc:creator><category>a</category><category>b</category><description>short</description><content:encoded><![CDATA[<p>Long <a href="/x">text</a></p><ul><li>item</ul>]]></content:encoded><enclosure url="/a.mp3" type="audio/mpeg" length="5"/><guid isPermaLink="true">https://x.org/1</guid></item>
<item><description>No title &lt;i&gt;here&lt;/i&gt;</description><guid>https://x.org/2</guid></item><item><title>Empty</title></item></channel></rss>`;

const ATOM = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://x.org/"><title type="html">Blog &lt;i&gt;x&lt;/i&gt;</title><subtitle>Sub</subtitle><updated>2026-01-02T03:04:05Z</updated><link rel="self" href="feed"/><link href="blog"/><author><name>Ada</name></author>
<entry><title>One</title><link rel="alternate" href="one"/><link rel="enclosure" href="a.mp3"/><id>urn:1</id><published>2026-01-01T00:00:00Z</published><updated>2026-01-02T00:00:00Z</updated><summary>Sum</summary><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>In <b>xhtml</b></p></div></content></entry>
<entry><title type="text">Two &lt;</title><id>https://x.org/two</id><content type="html">&lt;p&gt;escaped&lt;/p&gt;</content></entry><entry><summary type="html">&lt;h1&gt;only&lt;/h1&gt;</summary></entry></feed>`;

const RDF = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="x"><title>Old</title><link>https://x.org</link></channel><item rdf:about="y"><title>Item</title><link>https://x.org/i</link><dc:date>2026-01-02</dc:date><description>words</description></item></rdf:RDF>`;

const JSON_FEED = `{"version":"https://jsonfeed.org/version/1.1","title":"J","home_page_url":"https://x.org","description":"d","items":[{"id":"1","url":"/a","title":"A","content_html":"<p>h</p>","date_published":"2026-01-02T00:00:00Z","authors":[{"name":"Ada"}],"tags":["t"]},{"id":"2","content_text":"plain\\ntext"},{"id":"3","external_url":"https://y.org","summary":"s"},7]}`;

async function text(job: object, content: string): Promise<string> {
  const { reply, body } = await answer(
    JSON.stringify({ url: 'https://x.org/docs/all', ...job }),
    Buffer.from(content),
  );
  return `${reply}\n${Buffer.from(body).toString()}`;
}

test.each([
  ['page', { kind: 'page' }, PAGE, 60],
  ['page-fragment', { kind: 'fragment' }, PAGE, 5],
  ['rss', { kind: 'feed' }, RSS, 40],
  ['atom', { kind: 'feed' }, ATOM, 40],
  ['rdf', { kind: 'feed' }, RDF, 20],
  ['entry', { kind: 'entry' }, ATOM, 5],
  ['json-feed', { kind: 'json' }, JSON_FEED, 1],
] as const)('the text of a %s, whole and changed, is as recorded', async (name, job, content, count) => {
  const whole = await text(job, content);
  const changes = Array.from({ length: count }, (_, at) => `${at}`);
  await expectAsRecorded(`web-${name}`, ['whole', ...changes], async (change) =>
    change === 'whole' ? whole : changedLines(whole, await text(job, withChange(content, Number(change)))),
  );
});
