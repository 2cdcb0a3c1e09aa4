/** A page that is converted as a whole: everything around its text is removed, and its parts are kept. */

import { expect, test } from 'vitest';
import { extractPage, fragment } from '../../../../src/formats/web/child/extract.ts';

const many = (part: (i: number) => string): string =>
  Array.from({ length: 7_000 }, (_, i) => part(i)).join('');

test('headings and asides of its sections are kept', () => {
  const sections = many((i) => `<section><header><h2>Section ${i}</h2></header><p>Text ${i}</p></section>`);
  const html = `<body><header>TOP</header><main>${sections}<section><aside>WARNING</aside></section></main><footer>BOTTOM</footer></body>`;
  const { how, markdown } = extractPage(html, 'https://docs.example/');
  expect(how).toBe('page');
  expect(markdown).toContain('## Section 6999\n\nText 6999');
  expect(markdown).toContain('WARNING');
  expect(markdown).not.toMatch(/TOP|BOTTOM/);
});

test('only a form that is the whole page is kept', () => {
  const table = `<table>${many((i) => `<tr><td>a${i}<td>b${i}<td>c${i}`)}</table>`;
  const html = `<body><form id="all">${table}<form>SEARCH</form></form></body>`;
  const { markdown } = extractPage(html, 'https://docs.example/');
  expect(markdown).toContain('| a6999 | b6999 | c6999 |');
  expect(markdown).not.toContain('SEARCH');
});

test('links in a fragment are resolved against its base element', () => {
  const html =
    '<html><head><base href="//de.wikipedia.org/wiki/"></head><body><a href="./Foo">f</a></body></html>';
  expect(fragment(html, 'https://de.m.wikipedia.org/wiki/A/B')).toBe(
    '[f](https://de.wikipedia.org/wiki/Foo)\n',
  );
});
