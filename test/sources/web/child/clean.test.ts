/** Code on pages, as highlighters leave it. */

import { expect, test } from 'vitest';
import { clean } from '../../../../src/sources/web/child/clean.ts';
import { toMarkdown } from '../../../../src/sources/web/child/markdown.ts';
import { parse } from '../../../../src/sources/web/child/tree.ts';
import { withoutLag } from '../../../support/lag.ts';

function markdown(html: string): string {
  const { root } = parse(html);
  clean(root);
  return toMarkdown(root, 'http://site.example/');
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

test('a row costs the same, however many there are', async () => {
  const { root } = parse(`<pre>${'<div>a row</div>'.repeat(40_000)}</pre>`);
  await withoutLag(() => Promise.resolve(clean(structuredClone(root))));
});
