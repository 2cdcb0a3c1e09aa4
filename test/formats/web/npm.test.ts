/** Pages of npm packages, read through a server with the protocol of a registry. */

import { beforeEach, expect, test, vi } from 'vitest';
import { npm } from '../../../src/formats/web/sites.ts';
import { apiSite, json } from '../../support/api-site.ts';
import { emptyHome } from '../../support/home.ts';
import { article, paragraphs } from '../../support/web.ts';

beforeEach(emptyHome);

const HOST = ['www', 'npmjs', 'com'].join('.');

const manifest = {
  name: '@acme/widget',
  version: '2.1.0',
  description: 'A tiny\nwidget.',
  license: 'MIT',
  repository: { type: 'git', url: 'git+https://github.com/acme/widget.git' },
  keywords: ['tiny', 'widget'],
  engines: { node: '>=20' },
  dependencies: { 'left-part': '^1.0.0' },
};
const packument = {
  'dist-tags': { latest: '2.1.0', next: '3.0.0-rc.1' },
  time: { '2.1.0': '2026-03-04T10:00:00Z' },
  versions: {
    '1.0.0': { ...manifest, version: '1.0.0', deprecated: 'Use 2.' },
    '2.1.0': manifest,
  },
  readme: '# Widget\n\nText.\n',
};

test('a package shows its metadata and its README', async () => {
  const { read, url } = await apiSite({ '/@acme%2Fwidget': json(packument) });
  vi.stubEnv('npm_config_registry', `${url}/`);
  const page = await read(HOST, '/package/@acme/widget');
  expect(page).toMatchObject({ rendering: { method: 'npm' }, notes: [] });
  expect(page.text).toBe(
    '# @acme/widget 2.1.0\n\nA tiny widget.\n\n- License: MIT\n- Repository: git+https://github.com/acme/widget.git\n' +
      '- Keywords: tiny, widget\n- Engines: node >=20\n- Dependencies: left-part ^1.0.0\n\n' +
      '- Published: 2026-03-04\n- Tags: latest 2.1.0, next 3.0.0-rc.1\n- Versions: 2\n\n---\n\n# Widget\n\nText.\n',
  );
});

test('a given version, and its deprecation', async () => {
  const { read, url } = await apiSite({ '/@acme%2Fwidget': json(packument) });
  vi.stubEnv('npm_config_registry', url);
  const { text } = await read(HOST, '/package/%40acme/widget/v/1.0.0');
  expect(text).toMatch(/^# @acme\/widget 1\.0\.0\n\nA tiny widget\.\n\n\*\*Deprecated:\*\* Use 2\.\n/);
});

test('the latest version is shown if metadata is too large', async () => {
  const { read, url } = await apiSite({
    '/widget': { type: 'application/json', body: `{"readme":"${'x'.repeat(9 << 20)}"}` },
    '/widget/latest': json({ ...manifest, name: 'widget' }),
  });
  vi.stubEnv('npm_config_registry', url);
  const page = await read(HOST, '/package/widget');
  expect(page).toMatchObject({ rendering: { method: 'npm' }, notes: ['its README was not read'] });
  expect(page.text).toMatch(/^# widget 2\.1\.0\n\nA tiny widget\.\n/);
});

test.each([
  ['no registry is configured', {}, undefined],
  ['the registry does not have it', {}, 'registry'],
  ['its answer has another shape', { '/widget': json([]), '/widget/latest': json(1) }, 'registry'],
])('if %s, the page itself is used', async (_, pages, registry) => {
  const { read, url } = await apiSite({ '/package/widget': article('widget', paragraphs(3)), ...pages });
  if (registry !== undefined) vi.stubEnv('npm_config_registry', url);
  expect(await read(HOST, '/package/widget')).toMatchObject({
    rendering: { method: 'readability' },
    notes: ['npm: its API has not answered, this is the page itself'],
  });
});

test.each(['/package/..%2Fv%2F1.0.0', '/package/x%2Fv%2F..', '/package/@a%2F..', '/package/.'])(
  'a name or version of dots is not requested: %s',
  (path) => {
    expect(npm.page(new URL(path, `https://${HOST}`))).toBeUndefined();
  },
);
