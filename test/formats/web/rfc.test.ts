/** RFCs, read from a server with their texts. */

import { expect, test } from 'vitest';
import { apiSite } from '../../support/api-site.ts';
import { article, paragraphs } from '../../support/web.ts';

test.each([
  ['www.rfc-editor.org', '/rfc/rfc9999'],
  ['rfc-editor.org', '/rfc/rfc9999.html'],
  ['datatracker.ietf.org', '/doc/html/rfc9999'],
  ['datatracker.ietf.org', '/doc/rfc9999/'],
])('%s%s is its text, without page breaks', async (host, path) => {
  const { read } = await apiSite(
    { '/rfc/rfc9999.txt': { type: 'text/plain', body: 'RFC 9999\n\f\nText\n' } },
    'rfc',
  );
  const page = await read(host, path);
  expect(page).toMatchObject({ rendering: { method: 'rfc' }, notes: [] });
  expect(page.text).toBe('RFC 9999\n\nText\n');
});

test('one without a text version is read from its page', async () => {
  const { read } = await apiSite({ '/rfc/rfc1': article('RFC 1', paragraphs(3)) }, 'rfc');
  expect(await read('www.rfc-editor.org', '/rfc/rfc1')).toMatchObject({
    rendering: { method: 'readability' },
    notes: ['rfc: its API has not answered, this is the page itself'],
  });
});
