/** The kind as which a page is read: as a feed, as Markdown with headings. */

import { expect, test } from 'vitest';
import { place } from '../../support/dialect.ts';
import { site } from '../../support/web.ts';

const RSS =
  '<rss version="2.0"><channel><title>Feed</title><item><title>Entry</title></item></channel></rss>';

test('a page has an outline, and sections by their names', async () => {
  const { url } = await site({
    '/guide.html': `<body><h1>Guide</h1><p>${'Some words. '.repeat(50)}</p><h2>Install on Linux</h2><p>${'More words. '.repeat(50)}</p></body>`,
  });
  const { call } = place('oriel', { web: { allow: [new URL(url).host] }, display: 'plain' });
  const { text } = await call('read', { path: `${url}/guide.html:outline` });
  expect(text).toMatch(/# Guide[^]*## Install on Linux/);
  expect((await call('read', { path: `${url}/guide.html:#install-on-linux` })).text).toMatch(
    /^## Install on Linux\n\nMore words/,
  );
});

test.each([
  ['a feed', 'application/rss+xml', RSS, true],
  [
    'a feed that is said to be HTML',
    'text/html',
    `<?xml version="1.0"?>\n<!-- x -->\n<!DOCTYPE rss>${RSS}`,
    true,
  ],
  ['a text about feeds', 'text/plain', `Begin with <rss version="2.0"> and then\n<channel>\nKEEP\n`, false],
  [
    'a script that makes one',
    'application/javascript',
    `// <feed xmlns="x">\nconst KEEP = '<feed >';\n`,
    false,
  ],
  [
    'JSON about JSON Feed',
    'application/json',
    '{"KEEP":{"version":"https://jsonfeed.org/version/1"},"items":[1]}',
    false,
  ],
  ['a page that is called an image', 'image/png', '<!doctype html><p>KEEP', false],
  ['a page that is called a document', 'application/pdf', '<html><p>KEEP', false],
])('%s', async (_, type, body, isFeed) => {
  const { url } = await site({ '/x': { type, body } });
  const { text } = await place('oriel', { web: { allow: [new URL(url).host] }, display: 'plain' }).call(
    'read',
    {
      path: `${url}/x`,
    },
  );
  expect(/^Method: feed$/m.test(text)).toBe(isFeed);
  expect(text).toContain(isFeed ? '## Entry' : 'KEEP');
});

test('a page with a notebook’s name is a page', async () => {
  const { url } = await site({
    '/notebook.ipynb': '<!doctype html><title>View</title><p>The notebook as a page.',
  });
  const { call } = place('oriel', { web: { allow: [new URL(url).host] }, display: 'plain' });
  const { text } = await call('read', { path: `${url}/notebook.ipynb` });
  expect(text).toContain('The notebook as a page.');
  expect(text).toContain('Content-Type: text/html');
});
