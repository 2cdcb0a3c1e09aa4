/** Pages of Python packages, read through a server with the JSON API of an index. */

import { beforeEach, expect, test, vi } from 'vitest';
import { apiSite, json } from '../../support/api-site.ts';
import { emptyHome } from '../../support/home.ts';
import { article, paragraphs } from '../../support/web.ts';

beforeEach(emptyHome);

const HOST = ['pypi', 'org'].join('.');

const project = {
  info: {
    name: 'Tiny.Widget',
    version: '2.1.0',
    summary: 'A tiny widget.',
    license_expression: 'MIT',
    requires_python: '>=3.10',
    author_email: 'Ana <ana@example.com>',
    project_urls: { Source: 'https://github.com/acme/widget' },
    requires_dist: ['attrs>=23', 'pytest; extra == "test"'],
    description: '# Widget\n\nText.\n',
  },
  urls: [{ upload_time_iso_8601: '2026-03-04T10:00:00Z' }],
  releases: { '2.0.0': [], '2.1.0': [] },
};

test('a package shows its metadata and its description', async () => {
  const { read, url, asked } = await apiSite({ '/root/pypi/tiny-widget/json': json(project) });
  vi.stubEnv('PIP_INDEX_URL', `${url}/root/simple/`);
  const page = await read(HOST, '/project/Tiny.Widget/');
  expect(page).toMatchObject({ rendering: { method: 'pypi' }, notes: [] });
  expect(page.text).toBe(
    '# Tiny.Widget 2.1.0\n\nA tiny widget.\n\n- License: MIT\n- Requires Python: >=3.10\n- Published: 2026-03-04\n' +
      '- Author: Ana <ana@example.com>\n- Source: https://github.com/acme/widget\n' +
      '- Requires: attrs>=23, pytest; extra == "test"\n- Versions: 2\n\n---\n\n# Widget\n\nText.\n',
  );
  expect(asked).toEqual(['/root/pypi/tiny-widget/json']);
});

test('a given version', async () => {
  const { read, url } = await apiSite({
    '/pypi/widget/1.0/json': json({ info: { name: 'widget', version: '1.0' } }),
  });
  vi.stubEnv('PIP_INDEX_URL', `${url}/simple`);
  expect((await read(HOST, '/project/widget/1.0/')).text).toBe('# widget 1.0\n');
});

test('without an index, the server of the page is used', async () => {
  const { read, asked } = await apiSite({ '/pypi/widget/json': json(project) });
  expect((await read(HOST, '/project/widget/')).rendering.method).toBe('pypi');
  expect(asked).toEqual(['/pypi/widget/json']);
});

test.each([
  ['nobody has it', {}],
  ['the answer has another shape', { '/pypi/widget/json': json({ info: 'x' }) }],
])('if %s, the page itself is used', async (_, pages) => {
  const { read } = await apiSite({ '/project/widget/': article('widget', paragraphs(3)), ...pages });
  expect(await read(HOST, '/project/widget/')).toMatchObject({
    rendering: { method: 'readability' },
    notes: ['pypi: its API has not answered, this is the page itself'],
  });
});
