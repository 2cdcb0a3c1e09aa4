/** Articles of Wikipedia, read through a server with the REST API of MediaWiki. */

import { expect, test } from 'vitest';
import { apiSite } from '../../support/api-site.ts';
import { article, paragraphs } from '../../support/web.ts';

const html =
  '<!DOCTYPE html><html><head><title>AC/DC</title></head><body><section><p><b>AC/DC</b> are a ' +
  '<a rel="mw:WikiLink" href="./Rock_band">band</a>.<sup class="mw-ref reference"><a href="#1">[1]</a></sup></p></section>' +
  '<section><h2>History</h2><table class="wikitable"><tr><th>Year</th><th>Event</th></tr><tr><td>1973</td><td>Founded</td></tr></table>' +
  '<div class="navbox">Other bands</div></section></body></html>';

test('an article without reference marks and navigation', async () => {
  const { read, asked } = await apiSite({ '/w/rest.php/v1/page/AC%2FDC_%28band%29/html': html }, 'wikipedia');
  const page = await read('en.m.wikipedia.org', '/wiki/AC/DC_%28band%29');
  expect(page).toMatchObject({ rendering: { method: 'wikipedia' }, notes: [] });
  expect(page.text.replaceAll(/:\d{2,}/g, '')).toBe(
    '# AC/DC (band)\n\n**AC/DC** are a [band](http://en.m.wikipedia.org/wiki/AC/Rock_band).\n\n' +
      '## History\n\n| Year | Event |\n| --- | --- |\n| 1973 | Founded |\n',
  );
  expect(asked).toHaveLength(1);
});

test('an article without API answer is read from its page', async () => {
  const { read } = await apiSite({ '/wiki/Widget': article('Widget', paragraphs(3)) }, 'wikipedia');
  expect(await read('de.wikipedia.org', '/wiki/Widget')).toMatchObject({
    rendering: { method: 'readability' },
    notes: ['wikipedia: its API has not answered, this is the page itself'],
  });
});

test.each([
  ['en.wikipedia.org', '/wiki/Widget?oldid=1'],
  ['en.wikipedia.org', '/w/index.php'],
  ['www.wikipedia.org', '/wiki/Widget'],
])('%s%s is read like any other page', async (host, path) => {
  const { read } = await apiSite({ [path]: article('Widget', paragraphs(3)) }, 'wikipedia');
  expect(await read(host, path)).toMatchObject({ rendering: { method: 'readability' }, notes: [] });
});
