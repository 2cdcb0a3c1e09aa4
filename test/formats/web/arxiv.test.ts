/** Abstracts of arXiv, read from a server that replies in Atom. */

import { expect, test } from 'vitest';
import { apiSite } from '../../support/api-site.ts';
import { article, type Page, paragraphs } from '../../support/web.ts';

const atom = (entry: string): Page => ({
  type: 'application/atom+xml; charset=utf-8',
  body: `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Query</title>${entry}</feed>`,
});

const entry =
  '<entry><id>http://arxiv.org/abs/2401.01234v2</id><published>2024-01-02T00:00:00Z</published>' +
  '<title>On the Frobnication\n of Widgets</title><summary>  We study widgets.\n</summary>' +
  '<author><name>Ana Example</name></author><author><name>Bob Example</name></author>' +
  '<link href="http://arxiv.org/abs/2401.01234v2" rel="alternate" type="text/html"/><category term="cs.SE"/></entry>';

test('an abstract with authors, subjects and URL of the text', async () => {
  const { read } = await apiSite({ '/api/query?id_list=2401.01234v2': atom(entry) }, 'arxiv');
  const page = await read('arxiv.org', '/abs/2401.01234v2');
  expect(page).toMatchObject({ rendering: { method: 'arxiv' }, notes: [] });
  expect(page.text).toBe(
    '# On the Frobnication of Widgets\n\nhttp://arxiv.org/abs/2401.01234v2\n\n2024-01-02 · Ana Example, Bob Example\n\n' +
      'We study widgets.\n\nSubjects: cs.SE\n\nFull text: https://arxiv.org/pdf/2401.01234v2\n',
  );
});

test.each([
  ['an unknown number', atom('<entry><title>Error</title><summary>incorrect id</summary></entry>')],
  ['no entry', atom('')],
  ['a page of HTML', '<h1>Busy</h1>'],
])('for %s the page itself is used', async (_, api) => {
  const { read } = await apiSite(
    { '/abs/math/0309136': article('On', paragraphs(3)), '/api/query?id_list=math/0309136': api },
    'arxiv',
  );
  expect(await read('www.arxiv.org', '/abs/math/0309136')).toMatchObject({
    rendering: { method: 'readability' },
    notes: ['arxiv: its API has not answered, this is the page itself'],
  });
});
