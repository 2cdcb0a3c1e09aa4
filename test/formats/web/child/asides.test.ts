/** Which asides belong to the text. */

import { expect, test } from 'vitest';
import { quoteAsides } from '../../../../src/formats/web/child/extract.ts';
import { parseHtml, walkHtml } from '../../../../src/formats/web/child/html-tree.ts';

test.each([
  ['class="starlight-aside starlight-aside--tip" aria-label="Recommended settings"', true],
  ['class="admonition note" aria-label="Table of contents"', true],
  ['class="admonition-banner warning"', false],
  ['class="cookie-alert"', false],
  ['class="info-box related"', false],
  ['aria-label="Related"', false],
])('the class, not the title, makes an aside: %s', (attrs, kept) => {
  const { root } = parseHtml(`<main><p>a</p><p>b</p><aside ${attrs}><p>Text.</p></aside></main>`);
  quoteAsides(root);
  expect([...walkHtml(root)].some(({ name }) => name === 'blockquote')).toBe(kept);
});
