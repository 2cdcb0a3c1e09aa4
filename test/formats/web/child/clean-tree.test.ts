/**
 * Code on pages, as written by syntax highlighters.
 */

import { expect, test } from 'vitest';
import { quoteAsides } from '../../../../src/formats/web/child/extract.ts';
import { clean } from '../../../../src/formats/web/child/clean-tree.ts';
import { htmlToMarkdown } from '../../../../src/formats/web/child/html-markdown.ts';
import { type HtmlElement, parseHtml } from '../../../../src/formats/web/child/html-tree.ts';
import { LAG_RETRIES, withoutLag } from '../../../support/lag.ts';

function markdown(html: string): string {
  const { root } = parseHtml(html);
  clean(root);
  return htmlToMarkdown(root, 'http://site.example/');
}

test.each([
  ['bare', '<pre>a\n  b</pre>', ''],
  [
    'spans with newlines',
    '<pre><code><span class="line">a</span>\n<span class="line">  b</span></code></pre>',
    '',
  ],
  ['spans with breaks', '<pre><span class="line">a</span><br><span class="line">  b</span><br></pre>', ''],
  ['spans alone', '<pre><span class="line">a</span><span class="line">  b</span></pre>', ''],
  ['blocks', '<pre><div>a</div><div>  b</div></pre>', ''],
  ['a class of its language', '<pre><code class="language-js">a\n  b</code></pre>', 'js'],
  ['numbers in spans', '<pre><span class="lineno">1 </span>a\n<span class="lineno">2 </span>  b</pre>', ''],
  [
    'numbers in a cell',
    '<table><tr><td class="gutter"><pre>1\n2</pre></td><td class="code"><pre>a\n  b</pre></td></tr></table>',
    '',
  ],
])('%s', (_, html, language) => {
  expect(markdown(html)).toBe(`\`\`\`${language}\na\n  b\n\`\`\`\n`);
});

/** A tree for each try of `withoutLag`, parsed before: that takes longer than what is measured. */
const treesOf = (html: string): HtmlElement[] =>
  Array.from({ length: LAG_RETRIES + 1 }, () => parseHtml(html).root);

test('the cost per row is constant', { tags: 'slow' }, async () => {
  const trees = treesOf(`<pre>${'<div>a row</div>'.repeat(40_000)}</pre>`);
  await withoutLag(() => Promise.resolve(clean(trees.pop() as HtmlElement)));
});

test('code keeps blank lines and trailing blanks', () => {
  const code = 'def a():\n    return 1\n\n\ns = """x   \n    \n\n\ny"""\n\n- a\n\n- b';
  expect(markdown(`<pre><code>${code}\n\n</code></pre>`)).toBe(`\`\`\`\n${code}\n\`\`\`\n`);
  const indented = code
    .split('\n')
    .map((line) => (line === '' ? '' : `  ${line}`))
    .join('\n');
  expect(markdown(`<ul><li><p>one</p><pre>${code}</pre></li></ul>`)).toBe(
    `- one\n\n  \`\`\`\n${indented}\n  \`\`\`\n`,
  );
});

test.each([
  [
    'lines that say their numbers',
    '<pre>[\n<span class="line" data-line-number="2">  1</span>\n<span class="line" data-line-number="3">  3</span>\n]</pre>',
    '[\n  1\n  3\n]',
  ],
  [
    'code that has the class of a plugin for numbers',
    '<pre><code class="line-numbers">42\n43</code></pre>',
    '42\n43',
  ],
  ['numbers that cannot be selected, alone', '<pre><span style="user-select:none">7</span></pre>', '7'],
])('code of numbers is kept as code: %s', (_, html, shown) => {
  expect(markdown(html)).toBe(`\`\`\`\n${shown}\n\`\`\`\n`);
});

test.each([
  [
    'a heading with an offset for anchors',
    '<h2 style="margin-top:-100px;padding-top:100px">Title</h2>',
    '## Title',
  ],
  ['a negative margin', '<div style="margin-left:-120px">text</div>', 'text'],
  [
    'sections that fade in',
    '<h1>T</h1><div style="opacity:0;transform:translateY(20px)">a long text of this section</div>',
    '# T\n\na long text of this section',
  ],
  [
    'a body that shows itself later',
    '<html><body style="visibility:hidden"><p>text</p></body></html>',
    'text',
  ],
  ['the question of an accordion', '<h3><button>What?</button></h3><p>That.</p>', '### What?\n\nThat.'],
  [
    'the head of a column that sorts',
    '<table><tr><th><button>A</button><th>B<tr><td>1<td>2</table>',
    '| A | B |\n| --- | --- |\n| 1 | 2 |',
  ],
])('visible elements are kept: %s', (_, html, shown) => {
  expect(markdown(html)).toBe(`${shown}\n`);
});

test.each([
  'display:none',
  'visibility: hidden',
  'opacity:0',
  'left:-9999px',
  'color:red; text-indent: -5000px',
  'font-size:0',
])('invisible elements are removed: %s', (style) => {
  expect(
    markdown(`<p>A text that is seen, and longer.</p><p style="${style}">Not this.</p><button>Menu</button>`),
  ).toBe('A text that is seen, and longer.\n');
});

const KATEX =
  '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>x</mi></mrow><annotation encoding="application/x-tex">x=\\frac{1}{2}</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">x=21</span></span>';

test.each([
  ['KaTeX', `so ${KATEX} holds`, 'so $x=\\frac{1}{2}$ holds'],
  ['a power', '<math><msup><mi>y</mi><mn>2</mn></msup></math>', 'y^2'],
  [
    'a fraction of sums',
    '<math><mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mn>2</mn></mfrac></math>',
    '(a+b)/2',
  ],
  [
    'a matrix',
    '<math><mtable><mtr><mtd>1</mtd><mtd>2</mtd></mtr><mtr><mtd>3</mtd><mtd>4</mtd></mtr></mtable></math>',
    '[1, 2; 3, 4]',
  ],
  [
    'a matrix with an empty cell',
    '<math><mtable><mtr><mtd>1</mtd><mtd></mtd><mtd>3</mtd></mtr></mtable></math>',
    '[1, , 3]',
  ],
  ['an empty index', '<math><msubsup><mi>x</mi><mrow/><mn>2</mn></msubsup></math>', 'x^2'],
  [
    'a fraction with a power',
    '<math><msup><mfrac><mn>1</mn><mn>2</mn></mfrac><mn>2</mn></msup></math>',
    '(1/2)^2',
  ],
  [
    'fences',
    '<math><mi>f</mi><mfenced><mi>x</mi><mi>y</mi></mfenced><mfenced open="[" close=")" separators=";"><mn>0</mn><mn>1</mn></mfenced></math>',
    'f(x,y)[0;1)',
  ],
  [
    'a fraction in fences with a power',
    '<math><msup><mfenced><mfrac><mn>1</mn><mn>2</mn></mfrac></mfenced><mn>2</mn></msup></math>',
    '(1/2)^2',
  ],
  [
    'scripts on both sides',
    '<math><mmultiscripts><mi>C</mi><mn>2</mn><none/><mprescripts/><mn>6</mn><mn>14</mn></mmultiscripts></math>',
    '_6^14C_2',
  ],
  [
    'a row with a label',
    '<math><mtable><mlabeledtr><mtd>(7)</mtd><mtd>x</mtd></mlabeledtr></mtable></math>',
    '[x (7)]',
  ],
  ['a mixed fraction', '<math><mn>2</mn><mfrac><mn>1</mn><mn>3</mn></mfrac></math>', '2 1/3'],
  [
    'a limit',
    '<math><munder><mo>lim</mo><mrow><mi>x</mi><mo>→</mo><mn>0</mn></mrow></munder><mi>f</mi></math>',
    'lim_(x→0)f',
  ],
  [
    'one as deep as a page may be',
    `<math>${'<mrow>'.repeat(150)}<mi>x</mi>${'</mrow>'.repeat(150)}</math>`,
    'x',
  ],
  ['a root', '<math><msqrt><mn>2</mn></msqrt></math>', '√2'],
  [
    'its TeX',
    '<math alttext="\\pi"><mi>π</mi></math><img class="mwe-math-fallback-image-inline" src="a.svg">',
    '$\\pi$',
  ],
])('a formula becomes its source: %s', (_, html, shown) => {
  expect(markdown(`<p>${html}</p>`)).toBe(`${shown}\n`);
});

test('a table with code keeps its headers, numbers and rows', () => {
  expect(markdown('<table><tr><th>Code<th>Snippet<tr><td>1<td><pre>print(1)\nprint(2)</pre></table>')).toBe(
    '| Code | Snippet |\n| --- | --- |\n| 1 | `print(1)`<br>`print(2)` |\n',
  );
  expect(markdown('<table><tr><td>1 2 5<td><pre>a\nb\nc</pre></table>')).toContain('1 2 5');
});

test('a number beside one line of code is kept', () => {
  expect(markdown('<table><tr><td>2024<td><pre>release notes</pre></table>')).toContain('2024');
});

test('a button in a hidden heading is removed', () => {
  const hidden = '<button hidden>Copied!</button><button style="display:none">Copy link</button>';
  expect(markdown(`<h2>Install ${hidden}</h2>`)).toBe('## Install\n');
});

test('a page faded in by a script keeps its code', () => {
  expect(
    markdown('<div style="opacity:0"><p>Text</p><pre>a\n<span style="opacity:0">b</span></pre></div>'),
  ).toBe('Text\n\n```\na\nb\n```\n');
});

test('nested tables and many blanks have linear cost', { tags: 'slow' }, async () => {
  const nested = `${'<table><tr><td>'.repeat(60)}<table>${'<tr><td>a<td>b'.repeat(5_000)}`;
  const trees = treesOf(nested);
  await withoutLag(() => Promise.resolve(clean(trees.pop() as HtmlElement)));
  const link = parseHtml(`<a href=x>a${'&nbsp;'.repeat(80_000)}</a>`).root;
  await withoutLag(() => Promise.resolve(htmlToMarkdown(link, 'http://h/')));
  const asides = treesOf(`<main>${'<aside>x</aside>'.repeat(10_000)}</main>`);
  await withoutLag(() => Promise.resolve(quoteAsides(asides.pop() as HtmlElement)));
});
