/** Which texts are read as feeds. */

import { expect, test } from 'vitest';
import { place } from '../../support/dialect.ts';
import { site } from '../../support/web.ts';

const RSS =
  '<rss version="2.0"><channel><title>Feed</title><item><title>Entry</title></item></channel></rss>';

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
