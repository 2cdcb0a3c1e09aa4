/** Registries of packages that answer without an end: no more than a bounded part is taken, and the page itself is read. */

import type { ServerResponse } from 'node:http';
import { createGzip } from 'node:zlib';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { apiSite } from '../support/api-site.ts';
import { emptyHome } from '../support/home.ts';
import { article, type Page, paragraphs } from '../support/web.ts';

beforeEach(emptyHome);

/** Sends JSON without an end until nobody takes it, and counts what it has sent. */
function endless(packed = false): { readonly page: Page; sent: number } {
  const endless = {
    sent: 0,
    page(_: unknown, response: ServerResponse) {
      response.setHeader('content-type', 'application/json');
      if (packed) response.setHeader('content-encoding', 'gzip');
      const gzip = packed ? createGzip() : undefined;
      gzip?.pipe(response);
      const into = gzip ?? response;
      const piece = `"${'x'.repeat(65_530)}":1,`;
      const more = (): void => {
        while (!response.destroyed) {
          endless.sent += piece.length;
          if (!into.write(piece)) return void into.once('drain', more);
        }
      };
      response.on('error', () => undefined);
      into.write('{"versions":{');
      more();
    },
  };
  return endless;
}

describe.each([
  ['npm', ['www', 'npmjs', 'com'].join('.'), '/package/widget', ['/widget', '/widget/latest']],
  ['pypi', ['pypi', 'org'].join('.'), '/project/widget/', ['/pypi/widget/json']],
])('%s', (name, host, path, paths) => {
  test.each([
    ['as it is', false],
    ['packed', true],
  ])('endless metadata, %s', { tags: 'slow' }, async (_, packed) => {
    const metadata = endless(packed);
    const { read, url, asked } = await apiSite({
      [path]: article('widget', paragraphs(3)),
      ...Object.fromEntries(paths.map((one) => [one, metadata.page])),
    });
    vi.stubEnv('npm_config_registry', url);
    const page = await read(host, path);
    expect(page).toMatchObject({
      rendering: { method: 'readability' },
      notes: [`${name}: its API has not answered, this is the page itself`],
    });
    expect(asked.slice(0, paths.length)).toEqual(paths);
    expect(metadata.sent).toBeLessThan(paths.length * (packed ? 256 << 20 : 32 << 20));
  });
});
