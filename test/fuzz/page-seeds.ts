/** A valid page, feeds and JSON, to be damaged. */

export const PAGE = `<!doctype html><html><head><meta charset="utf-8"><title>A page</title><link rel="alternate" href="/f.xml">
<script>var hidden = 1 < 2;</script><style>p { color: red }</style></head><body><nav><a href="/">home</a></nav><article>
<h1>A page &amp; more</h1><p>Words <b>and <i>more</i></b>, a <a href="b.html" title="x">link</a>, &#x1F600; &nosuch; ${'long words '.repeat(30)}</p>
<pre><code class="language-js">if (a &lt; b) {\n  c();\n}</code></pre><table><thead><tr><th>a<th>b</tr></thead><tr><td colspan=2>1</td></tr>
<tr><td>2<td>3</table><ul><li>one<ul><li>two</ul></ul><blockquote>said</blockquote><img src="i.png" alt="an image"><svg><path d="M0"/></svg>
<template><p>never</p></template><!-- a comment --></article></body></html>`;

export const FEED = `<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://h/a/"><title type="html">A &lt;b&gt;feed</title>
<entry><title>one</title><link href="1.html"/><id>urn:1</id><updated>2024-01-01T00:00:00Z</updated><content type="html"><![CDATA[<p>text</p>]]></content></entry></feed>`;

export const RSS = `<rss version="2.0"><channel><title>A feed</title><link>http://h/</link><item><title>one</title><link>/1</link><description>&lt;p&gt;text</description><pubDate>Mon, 01 Jan 2024 00:00:00 GMT</pubDate></item></channel></rss>`;

export const VALUE = '{"a":[1,2.5,9007199254740993,"\u00e9\\u2028"],"b":{"c":null,"d":[{"e":true},[]]}}';
