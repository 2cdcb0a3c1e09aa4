import { expect, test } from 'vitest';
import { markdownOffset, plainMarkdown } from '../../src/text/plain-markdown.ts';

test.each([
  ['\\_\\_init\\__ d\\[i] T\\<int> C:\\\\me', '__init__ d[i] T<int> C:\\me'],
  ['Inter**national** and *one* `code` ~~no~~', 'International and one code no'],
  ['## A *title*', 'A title'],
  ['see [the **page**](https://x.org/a) and ![a cat](c.png)', 'see the page and a cat'],
  ['E=mc<sup>2</sup><br>R&amp;D', 'E=mc2 R&D'],
  ['a&nbsp;&lt;b&gt; &quot;c&#39;s&quot;', 'a\u00a0<b> "c\'s"'],
  ['2 * 3 and a*b, x[1](y z), #tag, a [note]', '2 * 3 and a*b, x[1](y z), #tag, a [note]'],
])('the text of %s', (markdown, text) => {
  expect(plainMarkdown(markdown)).toBe(text);
});

test('an offset in the text stands for one in the Markdown', () => {
  const line = '## A\\_b **c** [d](u) e';
  const text = plainMarkdown(line);
  for (const sign of 'A_bcde')
    expect(line[markdownOffset(line, text.indexOf(sign))], sign).toBe(sign === '_' ? '\\' : sign);
});
