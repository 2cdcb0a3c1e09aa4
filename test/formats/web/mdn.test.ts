/** Pages of MDN, read from a server with JSON for each page, as MDN has. */

import { expect, test } from 'vitest';
import { apiSite, json } from '../../support/api-site.ts';
import { article, paragraphs } from '../../support/web.ts';

const HOST = 'developer.mozilla.org';
const PATH = '/en-US/docs/Web/API/Widget';

const document = {
  doc: {
    title: 'Widget',
    body: [
      {
        type: 'prose',
        value: { title: null, content: '<p>A <code>Widget</code> is <a href="/en-US/docs/X">one</a>.</p>' },
      },
      {
        type: 'prose',
        value: {
          title: 'Examples',
          isH3: false,
          content:
            '<div class="code-example"><pre class="brush: js notranslate"><code>new Widget();\n  go();</code></pre></div>',
        },
      },
      { type: 'prose', value: { title: 'Errors', isH3: true, content: '<p>None.</p>' } },
      {
        type: 'specifications',
        value: {
          title: 'Specifications',
          specifications: [{ title: 'Widgets', bcdSpecificationURL: 'https://spec.example/w#x' }],
        },
      },
      { type: 'browser_compatibility', value: { title: 'Browser compatibility', query: 'api.Widget' } },
    ],
  },
};

test('the sections of a page, its code with its language', async () => {
  const { read } = await apiSite({ [`${PATH}/index.json`]: json(document) }, 'mdn');
  const page = await read(HOST, `${PATH}/`);
  expect(page).toMatchObject({
    status: 200,
    rendering: { method: 'mdn' },
    notes: ['the table of browser compatibility is left out'],
  });
  expect(page.text.replaceAll(/:\d+/g, '')).toBe(
    `# Widget\n\nA \`Widget\` is [one](http://${HOST}/en-US/docs/X).\n\n## Examples\n\n` +
      '```js\nnew Widget();\n  go();\n```\n\n### Errors\n\nNone.\n\n' +
      '## Specifications\n\n- [Widgets](https://spec.example/w#x)\n',
  );
});

test.each([
  ['is not there', undefined],
  ['is no JSON', { type: 'application/json', body: '<' }],
  ['has another shape', json({ doc: { body: 'all of it' } })],
  ['has sections of another shape', json({ doc: { body: [null, 1, { value: [] }] } })],
])('if the JSON %s, the page itself is used', async (_, page) => {
  const { read, asked } = await apiSite(
    { [PATH]: article('Widget', paragraphs(3)), ...(page && { [`${PATH}/index.json`]: page }) },
    'mdn',
  );
  const found = await read(HOST, PATH);
  expect(found).toMatchObject({
    rendering: { method: 'readability' },
    notes: ['mdn: its API has not answered, this is the page itself'],
  });
  expect(found.text).toContain('Paragraph 3');
  expect(asked.slice(0, 2)).toEqual([`${PATH}/index.json`, PATH]);
});

test.each(['/en-US/', '/en-US/docs/Web/a.png', '/pricing'])(
  '%s is read like any other page',
  async (path) => {
    const { read, asked } = await apiSite({ [path]: article('A', paragraphs(3)) }, 'mdn');
    expect((await read(HOST, path)).notes).toEqual([]);
    expect(asked[0]).toBe(path);
  },
);
